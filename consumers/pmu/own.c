// SPDX-License-Identifier: MIT
/* Metrics and events that a user adds: -C and -E (model.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/models.h"

#define EVENTS_OF_ONE 64 /* events of a metric */

/* A text that is read line by line, as a copy that may be cut. */
struct lines {
	struct wt_pmu_models *models;
	const char *where;
	struct wt_err *err;
	size_t line;
	size_t first; /* entries of the first table from there on are of this text */
};

typedef int take_line(struct lines *lines, char *line);

static int fail(const struct lines *lines, const char *what, const char *word)
{
	return wt_fail(lines->err, WT_ERR_USAGE, "%s:%zu: %s at '%.60s'", lines->where, lines->line, what,
		       word);
}

static char *strip(char *text)
{
	size_t n;

	text += strspn(text, " \t\r");
	n = strlen(text);
	while (n && strchr(" \t\r", text[n - 1]))
		text[--n] = 0;
	return text;
}

static bool is_name(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n && n <= 63 && !text[n];
}

/* Events are as the table of events, or as the kernel, writes them: no space, nothing that ends a list. */
static bool is_event(const char *text)
{
	for (size_t i = 0; text[i]; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("{}\"", text[i]))
			return false;
	return *text;
}

/* The end of a word of a list: a comma between two '/' is an event's own. */
static char *word_end(char *word)
{
	bool inside = false;

	for (; *word && (inside || *word != ','); word++)
		inside ^= *word == '/';
	return word;
}

static int finish_all(struct wt_pmu_models *models, struct wt_err *err)
{
	for (size_t i = 0; i < models->n_here; i++)
		if (wt_pmu_table_finish(models->here[i], err))
			return -1;
	return 0;
}

/* The table's functions report WT_ERR_FORMAT; here a user wrote the text. */
static int usage(const struct lines *lines)
{
	if (lines->err && lines->err->code == WT_ERR_FORMAT)
		lines->err->code = WT_ERR_USAGE;
	return -1;
}

/* Names are the first members of items. */
static int check_twice(const struct lines *lines, const void *items, size_t n, size_t size, const char *name)
{
	const char *at = items;

	for (size_t i = lines->first; i < n; i++)
		if (!strcasecmp(*(const char *const *)(const void *)(at + i * size), name))
			return fail(lines, "the second definition of a name", name);
	return 0;
}

static int add_metric(struct lines *lines, const struct wt_pmu_metric *metric)
{
	const struct wt_pmu_table *table = lines->models->n_here ? lines->models->here[0] : NULL;

	if (table &&
	    check_twice(lines, table->metrics, table->n_metrics, sizeof(*table->metrics), metric->name))
		return -1;
	for (size_t i = 0; i < lines->models->n_here; i++)
		if (wt_pmu_table_metric(lines->models->here[i], metric, lines->err))
			return usage(lines);
	return 0;
}

/* "{EVENT,EVENT}" */
static int take_events(struct lines *lines, struct wt_pmu_metric *metric, char *list)
{
	const char *words[EVENTS_OF_ONE];
	size_t len = strlen(list), n = 0;
	bool more = true;

	if (list[0] != '{' || list[len - 1] != '}')
		return fail(lines, "'{EVENT,EVENT}' is expected", list);
	list[len - 1] = 0;
	for (char *word = list + 1, *end; more; word = end + 1) {
		end = word_end(word);
		more = *end;
		*end = 0;
		if (n == EVENTS_OF_ONE)
			return fail(lines, "more than 64 events in one metric", word);
		words[n] = strip(word);
		if (!is_event(words[n++]))
			return fail(lines, "no name of an event", word);
	}
	metric->events = (struct wt_pmu_words){words, n};
	return add_metric(lines, metric);
}

static int take_formula(struct lines *lines, struct wt_pmu_metric *metric, const char *text)
{
	struct wt_formula *formula = NULL;
	const char *const *names;
	size_t n;
	int rc = 0;

	if (wt_formula_parse(text, &formula, lines->err))
		return wt_fail_prefix(lines->err, "%s:%zu", lines->where, lines->line);
	n = wt_formula_names(formula, &names);
	for (size_t i = 0; !rc && i < n; i++)
		if (!strcasecmp(names[i], metric->name))
			rc = fail(lines, "a metric whose formula leads to itself", names[i]);
	if (!rc && !n)
		rc = fail(lines, "a formula without an event", text);
	wt_formula_destroy(formula);
	metric->formula = text;
	return rc ? -1 : add_metric(lines, metric);
}

static int take_metric(struct lines *lines, char *line)
{
	struct wt_pmu_metric metric = {.own = true};
	char *end = line + strcspn(line, ":="), sign = *end;
	char *rest = end + 1;

	if (!sign)
		return fail(lines, "NAME:{EVENT,EVENT} or NAME=FORMULA is expected", line);
	*end = 0;
	metric.name = strip(line);
	if (!is_name(metric.name))
		return fail(lines, "no name for a metric (letters, digits, '_', '.', '-')", line);
	rest = strip(rest);
	return sign == ':' ? take_events(lines, &metric, rest) : take_formula(lines, &metric, rest);
}

static int take_event(struct lines *lines, char *word)
{
	struct wt_pmu_event event = {.own = true};
	const struct wt_pmu_table *table;
	char *code = strchr(word, ':'), *end;

	if (!code)
		return fail(lines, "NAME:CODE is expected", word);
	*code++ = 0;
	event.name = strip(word);
	code = strip(code);
	if (!is_name(event.name))
		return fail(lines, "no name for an event (letters, digits, '_', '.', '-')", word);
	errno = 0;
	event.config = strtoull(code, &end, 16);
	if (end == code || *end || errno || !strchr("0123456789abcdefABCDEF", *code))
		return fail(lines, "no hexadecimal code of an event", code);
	table = lines->models->n_here ? lines->models->here[0] : NULL;
	if (table && check_twice(lines, table->events, table->n_events, sizeof(*table->events), event.name))
		return -1;
	for (size_t i = 0; i < lines->models->n_here; i++)
		if (wt_pmu_table_event(lines->models->here[i], &event, lines->err))
			return usage(lines);
	return 0;
}

static int take_event_list(struct lines *lines, char *line)
{
	bool more = true;

	for (char *word = line, *end; more; word = end + 1) {
		end = word + strcspn(word, ",");
		more = *end;
		*end = 0;
		if (take_event(lines, word))
			return -1;
	}
	return 0;
}

static int each_line(struct lines *lines, char *text, take_line *take)
{
	size_t taken = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		lines->line++;
		line = strip(line);
		if (!*line || *line == '#')
			continue;
		if (take(lines, line))
			return -1;
		taken++;
	}
	if (!taken)
		return wt_fail(lines->err, WT_ERR_USAGE, "%s: no definition is in it", lines->where);
	return finish_all(lines->models, lines->err) ? usage(lines) : 0;
}

static int add(struct wt_pmu_models *models, const char *text, const char *where, take_line *take,
	       struct wt_err *err)
{
	struct lines lines = {.models = models, .where = where, .err = err};
	const struct wt_pmu_table *table = models->n_here ? models->here[0] : NULL;
	char *copy = strdup(text);
	int rc;

	if (!copy)
		return wt_fail_nomem(err);
	if (table)
		lines.first = take == take_metric ? table->n_metrics : table->n_events;
	rc = each_line(&lines, copy, take);
	free(copy);
	return rc;
}

int wt_pmu_add_metrics(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err)
{
	return add(models, text, where, take_metric, err);
}

int wt_pmu_add_events(struct wt_pmu_models *models, const char *text, const char *where, struct wt_err *err)
{
	return add(models, text, where, take_event_list, err);
}
