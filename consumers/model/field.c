/* SPDX-License-Identifier: MIT */
#include "consumers/model/field.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/nearest.h"

enum wt_view_field_forms wt_view_field_form(const struct wt_field *field)
{
	if (field->variable || field->count > 1)
		return WT_FIELD_TEXT;
	if (field->type == WT_TYPE_F32 || field->type == WT_TYPE_F64)
		return WT_FIELD_REAL;
	if (!wt_type_is_integer(field->type))
		return WT_FIELD_TEXT;
	return field->map ? WT_FIELD_NAMED : WT_FIELD_INTEGER;
}

static unsigned forms_of(const struct wt_field *field)
{
	unsigned forms = wt_view_field_form(field);

	if (forms == WT_FIELD_INTEGER && field->type == WT_TYPE_TIME)
		forms |= WT_FIELD_TIME;
	if ((forms & (WT_FIELD_INTEGER | WT_FIELD_NAMED)) && wt_type_is_signed(field->type))
		forms |= WT_FIELD_SIGNED;
	return forms;
}

/* Splits PROVIDER/EVENT.FIELD from the right: provider names may contain dots, field names may not. */
static int split(const char *word, struct wt_view_field *ret)
{
	const char *dot = strrchr(word, '.'), *slash = strchr(word, '/');
	const char *event = slash && dot && slash < dot ? slash + 1 : word;

	ret->name = strdup(dot ? dot + 1 : word);
	if (dot)
		ret->event = strndup(event, (size_t)(dot - event));
	if (event != word)
		ret->provider = strndup(word, (size_t)(event - 1 - word));
	return !ret->name || (dot && !ret->event) || (event != word && !ret->provider) ? -1 : 0;
}

int wt_view_field_of_kind(const struct wt_view_field *field, const struct wt_log_segment *segment,
			  uint32_t kind)
{
	const struct wt_kind *k;

	if (kind >= segment->kinds.n)
		return -1;
	k = &segment->kinds.kinds[kind];
	if ((field->provider && strcasecmp(field->provider, k->provider->name) != 0) ||
	    (field->event && strcasecmp(field->event, k->event->name) != 0))
		return -1;
	return wt_event_field(k->event, field->name);
}

int wt_view_field_column(struct wt_view_field *field, const struct wt_log_batch *batch)
{
	if (field->segment != batch->segment || field->kind != batch->kind) {
		field->segment = batch->segment;
		field->kind = batch->kind;
		field->column = wt_view_field_of_kind(field, batch->segment, batch->kind);
	}
	return field->column;
}

bool wt_view_field_has_none(const struct wt_log_segment *segment, uint32_t kind, const struct wt_field *field)
{
	const char *provider = segment->kinds.kinds[kind].provider->name;

	if (!strcmp(field->name, "pid") || !strcmp(field->name, "tid"))
		return !strcmp(provider, "loader");
	if (!strcmp(provider, "cswitch"))
		return !strcmp(field->name, "waker_tid") || !strcmp(field->name, "old_tid") ||
		       !strcmp(field->name, "priority");
	return (!strcmp(field->name, "uid") && !strcmp(provider, "proc_thread")) ||
	       (!strcmp(field->name, "on_cpu") && !strcmp(provider, "wtrace"));
}

bool wt_view_is_none(const struct wt_log_segment *segment, uint32_t kind, const struct wt_value *value)
{
	return value->u == WT_VIEW_NO_NUMBER && value->field->type == WT_TYPE_U32 &&
	       wt_view_field_has_none(segment, kind, value->field);
}

static bool same_map(const struct wt_valmap *a, const struct wt_valmap *b)
{
	if (!a || !b || a->bitmap != b->bitmap || a->n_entries != b->n_entries)
		return a == b;
	for (uint32_t i = 0; a != b && i < a->n_entries; i++)
		if (a->entries[i].value != b->entries[i].value ||
		    strcmp(a->entries[i].name, b->entries[i].name) != 0)
			return false;
	return true;
}

/* True also for two types: a value may be written sign-extended. */
static bool same_words(const struct wt_field *a, const struct wt_field *b)
{
	return a->type == b->type && same_map(a->map, b->map);
}

static void look_around(const struct wt_view_file *file, struct wt_view_field *field)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct wt_log_segment *tables = file->segments[i].tables;
		const struct wt_field *one;

		for (uint32_t kind = 0; kind < tables->kinds.n; kind++) {
			int at = wt_view_field_of_kind(field, tables, kind);

			if (at < 0)
				continue;
			one = &tables->kinds.kinds[kind].event->fields[at];
			field->maps_differ |= field->sample && !same_words(field->sample, one);
			field->sample = one;
			field->may_be_none |= wt_view_field_has_none(tables, kind, field->sample);
			field->forms |= forms_of(field->sample);
		}
	}
}

/* The error compares an unknown name with the caller's words and the field names of the first segment. */
static int fail_unknown(const struct wt_view_file *file, const char *what, const char *word,
			const char *const *known, size_t n_known, struct wt_err *err)
{
	const struct wt_kinds *kinds = file->n_segments ? &file->segments[0].tables->kinds : NULL;
	size_t n = n_known, room = n_known;
	const char **words;

	for (uint32_t i = 0; kinds && i < kinds->n; i++)
		room += kinds->kinds[i].event->n_fields;
	words = malloc((room + 1) * sizeof(*words));
	if (!words)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < n_known; i++)
		words[i] = known[i];
	for (uint32_t i = 0; kinds && i < kinds->n; i++)
		for (uint32_t f = 0; f < kinds->kinds[i].event->n_fields; f++)
			words[n++] = kinds->kinds[i].event->fields[f].name;
	wt_fail_unknown(err, what, word, words, n);
	free(words);
	return -1;
}

int wt_view_field_find(const struct wt_view_file *file, const char *word, const char *what,
		       const char *const *known, size_t n_known, struct wt_view_field *ret,
		       struct wt_err *err)
{
	*ret = (struct wt_view_field){0};
	if (split(word, ret)) {
		wt_view_field_deinit(ret);
		return wt_fail_nomem(err);
	}
	look_around(file, ret);
	if (ret->forms)
		return 0;
	fail_unknown(file, what, word, known, n_known, err);
	wt_view_field_deinit(ret);
	return -1;
}

void wt_view_field_of_any_event(struct wt_view_field *field)
{
	free(field->event);
	field->event = NULL;
}

void wt_view_field_deinit(struct wt_view_field *field)
{
	free(field->provider);
	free(field->event);
	free(field->name);
	*field = (struct wt_view_field){0};
}
