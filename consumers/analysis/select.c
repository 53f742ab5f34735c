/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/select.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

/* Counts that the kernel made beside the samples are shown when they are asked for by name. */
static bool is_account(const struct wt_kind *kind)
{
	return !strcmp(kind->provider->name, "pmu-profile") &&
	       (kind->event->id == WT_PROFILE_CPU_TIME || kind->event->id == WT_PROFILE_IDLE);
}

static bool kind_is(const struct wt_kind *kind, const char *word)
{
	size_t len = strlen(kind->provider->name);

	if (!strcasecmp(kind->provider->name, word))
		return !is_account(kind);
	if (!strcasecmp(kind->event->name, word))
		return true;
	return !strncasecmp(kind->provider->name, word, len) && word[len] == '/' &&
	       !strcasecmp(kind->event->name, word + len + 1);
}

/* A mark is somebody's. */
static bool is_rundown(const struct wt_kind *kind)
{
	if (!strcmp(kind->provider->name, "wtrace"))
		return strcmp(kind->event->name, "mark") != 0;
	return kind->event->opcode == WT_OPCODE_DCSTART || kind->event->opcode == WT_OPCODE_DCSTOP;
}

bool wt_view_select_want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_view_select *select = ctx;
	const struct wt_kind *k = &segment->kinds.kinds[kind];
	bool sample = wt_view_is_sample(segment, kind);

	switch (select->mode) {
	case WT_SELECT_ALL:
		return true;
	case WT_SELECT_NEWS:
		return !is_rundown(k);
	case WT_SELECT_SAMPLES:
		return sample;
	case WT_SELECT_NAMED:
		for (size_t i = 0; i < select->n_words; i++)
			if (kind_is(k, select->words[i]))
				return true;
		return sample && select->n_sources;
	case WT_SELECT_FIELDS:
		break;
	}
	for (size_t i = 0; i < select->n_fields; i++)
		if (wt_view_field_of_kind(select->fields[i], segment, kind) < 0)
			return false;
	return true;
}

/* ---- words of --event ---- */

static int push(const char ***list, size_t *n, const char *word, struct wt_err *err)
{
	if (wt_grow_one(list, *n, err))
		return -1;
	(*list)[(*n)++] = word;
	return 0;
}

static const struct wt_valmap *sources_of(const struct wt_log_segment *tables)
{
	for (uint32_t kind = 0; kind < tables->kinds.n; kind++) {
		const struct wt_event_desc *event = tables->kinds.kinds[kind].event;
		int at = wt_view_is_sample(tables, kind) ? wt_event_field(event, "source") : -1;

		if (at >= 0)
			return event->fields[at].map;
	}
	return NULL;
}

const char *wt_view_find_source(const struct wt_view_file *file, const char *word)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct wt_valmap *map = sources_of(file->segments[i].tables);

		for (uint32_t e = 0; map && e < map->n_entries; e++)
			if (!strcasecmp(map->entries[e].name, word))
				return map->entries[e].name;
	}
	return NULL;
}

static bool find_kind(const struct wt_view_file *file, const char *word)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct wt_kinds *kinds = &file->segments[i].tables->kinds;

		for (uint32_t kind = 0; kind < kinds->n; kind++)
			if (kind_is(&kinds->kinds[kind], word))
				return true;
	}
	return false;
}

static int fail_unknown_event(const struct wt_view_file *file, const char *word, struct wt_err *err)
{
	const struct wt_log_segment *tables = file->n_segments ? file->segments[0].tables : NULL;
	const struct wt_valmap *map = tables ? sources_of(tables) : NULL;
	const char **names = NULL;
	size_t n = 0;
	int failed = 0;

	for (uint32_t i = 0; tables && i < tables->kinds.n && !failed; i++) {
		failed = push(&names, &n, tables->kinds.kinds[i].event->name, err);
		if (!failed && (!i || tables->kinds.kinds[i].provider != tables->kinds.kinds[i - 1].provider))
			failed = push(&names, &n, tables->kinds.kinds[i].provider->name, err);
	}
	for (uint32_t i = 0; map && i < map->n_entries && !failed; i++)
		failed = push(&names, &n, map->entries[i].name, err);
	if (!failed)
		wt_fail_unknown(err, "event", word, names, n);
	free(names);
	return -1;
}

int wt_view_select_add(struct wt_view_select *select, const char *word, struct wt_err *err)
{
	const char *source = wt_view_find_source(select->file, word);

	select->mode = WT_SELECT_NAMED;
	if (source)
		return push(&select->sources, &select->n_sources, source, err);
	if (!find_kind(select->file, word))
		return fail_unknown_event(select->file, word, err);
	return push(&select->words, &select->n_words, word, err);
}

int wt_view_select_field(struct wt_view_select *select, const struct wt_view_field *field, struct wt_err *err)
{
	if (wt_grow_one(&select->fields, select->n_fields, err))
		return -1;
	select->fields[select->n_fields++] = field;
	select->mode = WT_SELECT_FIELDS;
	return 0;
}

void wt_view_select_deinit(struct wt_view_select *select)
{
	free(select->fields);
	free(select->words);
	free(select->sources);
	*select = (struct wt_view_select){0};
}
