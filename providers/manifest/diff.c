// SPDX-License-Identifier: MIT
#include "providers/manifest/diff.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "providers/manifest/diff_state.h"

typedef unsigned long long ull;

/* ---- names ---- */

/* Names are unique in their list, so an id of the table is the index of the row. */
static int add_name(struct wt_strings *names, const char *name, bool exact)
{
	char key[WT_SCHEMA_MAX_NAME + 1];
	size_t n = 0;
	bool fresh;

	for (; name[n] && n < WT_SCHEMA_MAX_NAME; n++)
		key[n] = exact ? name[n] : (char)tolower((unsigned char)name[n]);
	return wt_strings_add(names, key, n, &fresh) == WT_INTERN_NONE ? -1 : 0;
}

/* Index of the name, or WT_INTERN_NONE. */
static uint32_t find_name(const struct wt_strings *names, const char *name, bool exact)
{
	char key[WT_SCHEMA_MAX_NAME + 1];
	size_t n = 0;

	for (; name[n] && n < WT_SCHEMA_MAX_NAME; n++)
		key[n] = exact ? name[n] : (char)tolower((unsigned char)name[n]);
	return wt_strings_find(names, key, n);
}

static int add_rows(struct wt_strings *names, const struct wt_named *rows, uint32_t n, bool exact)
{
	wt_strings_clear(names);
	for (uint32_t i = 0; i < n; i++) {
		if (add_name(names, rows[i].name, exact))
			return -1;
	}
	return 0;
}

/* ---- rows of a name and a number ---- */

struct rows {
	const struct wt_named *rows;
	uint32_t n;
};

struct row_list {
	const char *what;   /* "keyword" */
	const char *number; /* "mask" */
	const char *outer;  /* the list, or the one around it */
	const char *inner;  /* "entries", or NULL */
	uint32_t old_at, fresh_at;
	bool exact;         /* names compare with case */
	const char *before; /* "of map 'x' ", or "" */
};

static size_t row_line(const struct wt_manifest_file *file, const struct row_list *list, uint32_t outer,
		       uint32_t i)
{
	return list->inner ? wt_manifest_file_line_in(file, list->outer, outer, list->inner, i)
			   : wt_manifest_file_line(file, list->outer, i);
}

static void compare_row(const struct wt_diff *diff, const struct row_list *list, const struct wt_named *old,
			const struct wt_named *fresh, size_t line)
{
	if (old->value != fresh->value)
		wt_diff_bad(diff, line, "%s '%s'%s had the %s 0x%llx and has 0x%llx", list->what, fresh->name,
			    list->before, list->number, (ull)old->value, (ull)fresh->value);
	if (wt_diff_text(old->help, fresh->help))
		wt_diff_good(diff, line, "%s '%s'%s has another help", list->what, fresh->name, list->before);
}

static int compare_rows(struct wt_diff *diff, const struct row_list *list, struct rows old, struct rows fresh)
{
	if (add_rows(&diff->rows, fresh.rows, fresh.n, list->exact))
		return -1;
	for (uint32_t i = 0; i < old.n; i++) {
		uint32_t at = find_name(&diff->rows, old.rows[i].name, list->exact);

		if (at == WT_INTERN_NONE)
			wt_diff_gone(diff, WT_REMARK_INCOMPATIBLE, row_line(diff->old, list, list->old_at, i),
				     "%s '%s'%s is gone", list->what, old.rows[i].name, list->before);
		else
			compare_row(diff, list, &old.rows[i], &fresh.rows[at],
				    row_line(diff->fresh, list, list->fresh_at, at));
	}
	if (add_rows(&diff->rows, old.rows, old.n, list->exact))
		return -1;
	for (uint32_t i = 0; i < fresh.n; i++) {
		if (find_name(&diff->rows, fresh.rows[i].name, list->exact) == WT_INTERN_NONE)
			wt_diff_good(diff, row_line(diff->fresh, list, list->fresh_at, i), "%s '%s'%s is new",
				     list->what, fresh.rows[i].name, list->before);
	}
	return 0;
}

static int compare_lists(struct wt_diff *diff)
{
	static const struct row_list keywords = {"keyword", "mask", "keywords", NULL, 0, 0, false, ""};
	static const struct row_list levels = {"level", "value", "levels", NULL, 0, 0, false, ""};
	static const struct row_list tasks = {"task", "value", "tasks", NULL, 0, 0, false, ""};
	static const struct row_list opcodes = {"opcode", "value", "opcodes", NULL, 0, 0, false, ""};
	const struct wt_provider *a = diff->old->provider, *b = diff->fresh->provider;

	if (compare_rows(diff, &keywords, (struct rows){a->keywords, a->n_keywords},
			 (struct rows){b->keywords, b->n_keywords}) ||
	    compare_rows(diff, &levels, (struct rows){a->levels, a->n_levels},
			 (struct rows){b->levels, b->n_levels}) ||
	    compare_rows(diff, &tasks, (struct rows){a->tasks, a->n_tasks},
			 (struct rows){b->tasks, b->n_tasks}))
		return -1;
	return compare_rows(diff, &opcodes, (struct rows){a->opcodes, a->n_opcodes},
			    (struct rows){b->opcodes, b->n_opcodes});
}

/* ---- maps ---- */

static int compare_map(struct wt_diff *diff, uint32_t old_at, uint32_t fresh_at)
{
	const struct wt_valmap *old = &diff->old->provider->maps[old_at];
	const struct wt_valmap *fresh = &diff->fresh->provider->maps[fresh_at];
	char before[WT_SCHEMA_MAX_NAME + 16];
	struct row_list entries = {"entry", "value", "maps", "entries", old_at, fresh_at, true, before};

	snprintf(before, sizeof(before), " of map '%s'", fresh->name);
	if (old->bitmap != fresh->bitmap)
		wt_diff_bad(diff, wt_manifest_file_line_at(diff->fresh, "maps", fresh_at, "kind"),
			    "map '%s' was a %s map and is a %s map", fresh->name,
			    old->bitmap ? "bitmap" : "value", fresh->bitmap ? "bitmap" : "value");
	return compare_rows(diff, &entries, (struct rows){old->entries, old->n_entries},
			    (struct rows){fresh->entries, fresh->n_entries});
}

static int name_maps(struct wt_strings *names, const struct wt_provider *provider)
{
	wt_strings_clear(names);
	for (uint32_t i = 0; i < provider->n_maps; i++) {
		if (add_name(names, provider->maps[i].name, false))
			return -1;
	}
	return 0;
}

static int compare_maps(struct wt_diff *diff)
{
	const struct wt_provider *a = diff->old->provider, *b = diff->fresh->provider;

	if (name_maps(&diff->names, b))
		return -1;
	for (uint32_t i = 0; i < a->n_maps; i++) {
		uint32_t at = find_name(&diff->names, a->maps[i].name, false);

		if (at == WT_INTERN_NONE)
			wt_diff_gone(diff, WT_REMARK_INCOMPATIBLE,
				     wt_manifest_file_line(diff->old, "maps", i), "map '%s' is gone",
				     a->maps[i].name);
		else if (compare_map(diff, i, at))
			return -1;
	}
	if (name_maps(&diff->names, a))
		return -1;
	for (uint32_t i = 0; i < b->n_maps; i++) {
		if (find_name(&diff->names, b->maps[i].name, false) == WT_INTERN_NONE)
			wt_diff_good(diff, wt_manifest_file_line(diff->fresh, "maps", i), "map '%s' is new",
				     b->maps[i].name);
	}
	return 0;
}

/* ---- the provider and its list of events ---- */

static void compare_provider(const struct wt_diff *diff)
{
	const struct wt_provider *a = diff->old->provider, *b = diff->fresh->provider;
	size_t name_line = wt_manifest_file_line_of(diff->fresh, "provider");

	if (strcasecmp(a->name, b->name) != 0)
		wt_diff_bad(diff, name_line, "the provider was '%s' and is '%s': another one", a->name,
			    b->name);
	else if (strcmp(a->name, b->name) != 0)
		wt_diff_good(diff, name_line, "the provider's name '%s' is written '%s'", a->name, b->name);
	if (memcmp(a->guid, b->guid, sizeof(a->guid)) != 0 && !strcasecmp(a->name, b->name))
		wt_diff_bad(diff, wt_manifest_file_line_of(diff->fresh, "guid"),
			    "the provider has another guid: another provider");
	if (wt_diff_text(a->help, b->help))
		wt_diff_good(diff, wt_manifest_file_line_of(diff->fresh, "help"),
			     "the provider has another help");
}

static int name_events(struct wt_strings *names, const struct wt_provider *provider)
{
	wt_strings_clear(names);
	for (uint32_t i = 0; i < provider->n_events; i++) {
		if (add_name(names, provider->events[i].name, false))
			return -1;
	}
	return 0;
}

static int index_ids(uint32_t **ret, const struct wt_provider *provider)
{
	*ret = calloc(UINT16_MAX + 1, sizeof(**ret));
	if (!*ret)
		return -1;
	for (uint32_t i = 0; i < provider->n_events; i++)
		(*ret)[provider->events[i].id] = i + 1;
	return 0;
}

/* by_id: in the new manifest, the number of the event that has an id, from 1. */
static void compare_old_event(const struct wt_diff *diff, uint32_t i, const uint32_t *by_id)
{
	const struct wt_event_desc *old = &diff->old->provider->events[i], *fresh;
	uint32_t at = find_name(&diff->names, old->name, false);

	if (at == WT_INTERN_NONE && by_id[old->id]) {
		at = by_id[old->id] - 1;
		fresh = &diff->fresh->provider->events[at];
		wt_diff_bad(diff, wt_manifest_file_line(diff->fresh, "events", at),
			    "id %u was that of event '%s' and is that of event '%s'", old->id, old->name,
			    fresh->name);
	} else if (at == WT_INTERN_NONE) {
		wt_diff_gone(diff, WT_REMARK_COMPATIBLE, wt_manifest_file_line(diff->old, "events", i),
			     "event '%s' is gone: neither its name nor its id %u may be used again",
			     old->name, old->id);
	} else if (diff->fresh->provider->events[at].id != old->id) {
		wt_diff_bad(diff, wt_manifest_file_line_at(diff->fresh, "events", at, "id"),
			    "event '%s' had the id %u and has %u", old->name, old->id,
			    diff->fresh->provider->events[at].id);
	} else {
		wt_diff_event(diff, i, at);
	}
}

static int compare_events(struct wt_diff *diff)
{
	const struct wt_provider *a = diff->old->provider, *b = diff->fresh->provider;
	uint32_t *by_id = NULL, *old_by_id = NULL;
	int rc = name_events(&diff->names, b) || index_ids(&by_id, b) || index_ids(&old_by_id, a);

	for (uint32_t i = 0; i < a->n_events && !rc; i++)
		compare_old_event(diff, i, by_id);
	rc = rc || name_events(&diff->names, a);
	for (uint32_t i = 0; i < b->n_events && !rc; i++) {
		const struct wt_event_desc *event = &b->events[i];

		if (!old_by_id[event->id] && find_name(&diff->names, event->name, false) == WT_INTERN_NONE)
			wt_diff_good(diff, wt_manifest_file_line(diff->fresh, "events", i),
				     "event '%s' (id %u) is new", event->name, event->id);
	}
	free(by_id);
	free(old_by_id);
	return rc ? -1 : 0;
}

int wt_manifest_diff(const struct wt_manifest_file *old, const struct wt_manifest_file *fresh,
		     struct wt_remarks *remarks, struct wt_err *err)
{
	struct wt_diff diff = {.old = old, .fresh = fresh, .remarks = remarks};
	int rc;

	compare_provider(&diff);
	rc = compare_lists(&diff) || compare_maps(&diff) || compare_events(&diff);
	wt_strings_deinit(&diff.names);
	wt_strings_deinit(&diff.rows);
	return rc || remarks->failed ? wt_fail_nomem(err) : 0;
}
