// SPDX-License-Identifier: MIT
#include "consumers/counting/event_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/counting/event_word.h"
#include "providers/perf/counter.h"
#include "tracecore/base/grow.h"

struct parse {
	struct wt_count_list *list;
	const char *text, *at;
	const struct wt_cores *cores;
	const char *tracefs;
	struct wt_err *err;
};

static void cut(struct wt_count_list *list, size_t n)
{
	while (list->n > n)
		free(list->events[--list->n].ways);
}

void wt_count_list_deinit(struct wt_count_list *list)
{
	cut(list, 0);
	free(list->events);
	*list = (struct wt_count_list){0};
}

/* The kernel counts the whole time of a clock, whatever modes it is told to leave out. */
static int check_modes(const struct wt_count_event *events, size_t n, struct wt_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (wt_count_event_is_clock(&events[i]) &&
		    events[i].exclude & (WT_NOT_IN_USER | WT_NOT_IN_KERNEL))
			return wt_fail(
				err, WT_ERR_USAGE,
				"event '%s': the kernel does not split a clock's time by modes; write it "
				"without ':'",
				events[i].name);
	return 0;
}

/* Appends the events of one word: several for a tracepoint with '*'. */
static int add_word(struct wt_count_list *list, const char *word, const struct wt_cores *cores,
		    const char *tracefs, struct wt_err *err)
{
	struct wt_count_event *found = NULL;
	size_t n = 0;
	int rc = wt_event_word_read(word, cores, tracefs, &found, &n, err);

	if (!rc && n > WT_COUNT_MOST_EVENTS - list->n)
		rc = wt_fail(err, WT_ERR_USAGE, "'%.80s': over %d events", word, WT_COUNT_MOST_EVENTS);
	rc = rc ? rc : check_modes(found, n, err);
	if (!rc)
		rc = wt_grow(&list->events, &list->cap, list->n, n, err);
	if (rc) {
		wt_event_word_free(found, n);
		return -1;
	}
	memcpy(list->events + list->n, found, n * sizeof(*found));
	list->n += n;
	free(found);
	return 0;
}

int wt_count_list_word(struct wt_count_list *list, const char *word, const struct wt_cores *cores,
		       const char *tracefs, struct wt_count_event **ret, struct wt_err *err)
{
	if (add_word(list, word, cores, tracefs, err))
		return -1;
	*ret = &list->events[list->n - 1];
	return 0;
}

/* Finds the end of a word: commas between slashes belong to a PMU. */
static const char *word_end(const char *at)
{
	bool inside = false;

	for (; *at; at++) {
		if (*at == '/')
			inside = !inside;
		else if (!inside && strchr(",{}", *at))
			break;
	}
	return at;
}

static int read_word(struct parse *parse)
{
	const char *end = word_end(parse->at);
	size_t len = (size_t)(end - parse->at);
	char word[256];

	if (!len)
		return wt_fail(parse->err, WT_ERR_USAGE,
			       *parse->at == '{' ? "'%.80s': a brace cannot stand in braces or after a name"
						 : "'%.80s': an event is missing",
			       parse->text);
	if (len >= sizeof(word))
		return wt_fail(parse->err, WT_ERR_USAGE, "event '%.40s...' is too long", parse->at);
	memcpy(word, parse->at, len);
	word[len] = '\0';
	parse->at = end;
	return add_word(parse->list, word, parse->cores, parse->tracefs, parse->err);
}

static void add_modes(char *name, size_t size, const char *modes)
{
	size_t len = strlen(name);

	snprintf(name + len, size - len, ":%s", modes);
}

/* {a,b}:u is {a:u,b:u}. */
static int apply_modes(struct parse *parse, size_t first)
{
	size_t len;
	unsigned exclude;
	char modes[32];

	if (*parse->at != ':')
		return 0;
	len = strcspn(++parse->at, ",{}");
	snprintf(modes, sizeof(modes), "%.*s", (int)(len < 31 ? len : 31), parse->at);
	if (wt_event_modes(modes, &exclude, parse->err))
		return wt_fail_prefix(parse->err, "'%.80s'", parse->text);
	for (size_t i = first; i < parse->list->n; i++) {
		struct wt_count_event *event = &parse->list->events[i];

		if (event->modes)
			continue;
		event->exclude = exclude;
		event->modes = true;
		add_modes(event->name, sizeof(event->name), modes);
		for (size_t k = 0; k < event->n_ways; k++)
			add_modes(event->ways[k].spec.name, sizeof(event->ways[k].spec.name), modes);
	}
	parse->at += len;
	return check_modes(parse->list->events + first, parse->list->n - first, parse->err);
}

/* A group of one event is a single event. */
static void close_group(struct wt_count_list *list, size_t first)
{
	if (list->n - first < 2)
		return;
	for (size_t i = first; i < list->n; i++)
		list->events[i].group = list->n_groups;
	list->n_groups++;
}

static int read_group(struct parse *parse)
{
	size_t first = parse->list->n;

	do {
		parse->at++;
		if (read_word(parse))
			return -1;
	} while (*parse->at == ',');
	if (*parse->at != '}')
		return wt_fail(parse->err, WT_ERR_USAGE,
			       *parse->at == '{' ? "'%.80s': a brace cannot stand in braces"
						 : "'%.80s': '}' is missing",
			       parse->text);
	parse->at++;
	close_group(parse->list, first);
	return apply_modes(parse, first);
}

static int read_list(struct parse *parse)
{
	for (;;) {
		if (*parse->at == '{' ? read_group(parse) : read_word(parse))
			return -1;
		if (!*parse->at)
			return 0;
		if (*parse->at != ',')
			return wt_fail(parse->err, WT_ERR_USAGE,
				       "'%.80s': '%.40s' is not expected there; separate events by commas",
				       parse->text, parse->at);
		parse->at++;
	}
}

int wt_count_list_add(struct wt_count_list *list, const char *text, const struct wt_cores *cores,
		      const char *tracefs, struct wt_err *err)
{
	struct parse parse = {list, text, text, cores, tracefs, err};
	size_t n = list->n;
	int n_groups = list->n_groups;

	if (!read_list(&parse))
		return 0;
	cut(list, n);
	list->n_groups = n_groups;
	return -1;
}
