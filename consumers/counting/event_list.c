// SPDX-License-Identifier: MIT
#include "consumers/counting/event_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/counting/event_word.h"
#include "tracecore/base/grow.h"

struct parse {
	struct wt_count_list *list;
	const char *text, *at;
	const struct wt_cores *cores;
	const char *tracefs;
	struct wt_err *err;
};

void wt_count_list_cut(struct wt_count_list *list, size_t n)
{
	while (list->n > n)
		free(list->events[--list->n].ways);
}

void wt_count_list_deinit(struct wt_count_list *list)
{
	wt_count_list_cut(list, 0);
	free(list->events);
	*list = (struct wt_count_list){0};
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

/* Where a word ends: commas between slashes are a PMU's own. */
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
			       *parse->at == '{' ? "'%.80s': braces do not stand in braces or behind a name"
						 : "'%.80s': an event is missing",
			       parse->text);
	if (len >= sizeof(word))
		return wt_fail(parse->err, WT_ERR_USAGE, "event '%.40s...' is too long", parse->at);
	memcpy(word, parse->at, len);
	word[len] = '\0';
	parse->at = end;
	return add_word(parse->list, word, parse->cores, parse->tracefs, parse->err);
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

		event->exclude = event->modes ? event->exclude : exclude;
		event->modes = true;
	}
	parse->at += len;
	return 0;
}

/* A group of one is an event. */
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
			       *parse->at == '{' ? "'%.80s': braces do not stand in braces"
						 : "'%.80s': a brace is open: '}' is missing",
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
				       "'%.80s': '%.40s' is not expected there; commas "
				       "stand between events",
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
	wt_count_list_cut(list, n);
	list->n_groups = n_groups;
	return -1;
}
