// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "providers/manifest/diff_state.h"

typedef unsigned long long ull;

/* Two events of one name and id. */
struct pair {
	const struct wt_diff *diff;
	const struct wt_event_desc *old, *fresh;
	uint32_t old_at, fresh_at;
};

bool wt_diff_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") != 0;
}

static size_t line_of(const struct pair *pair, const char *key)
{
	return wt_manifest_file_line_at(pair->diff->fresh, "events", pair->fresh_at, key);
}

static size_t field_line(const struct pair *pair, uint32_t i)
{
	return wt_manifest_file_line_in(pair->diff->fresh, "events", pair->fresh_at, "fields", i);
}

/* ---- which sessions get the event ---- */

static void compare_level(const struct pair *pair)
{
	uint8_t old = pair->old->level, fresh = pair->fresh->level;
	const char *name = pair->fresh->name;

	if (fresh > old)
		wt_diff_bad(
			pair->diff, line_of(pair, "level"),
			"event '%s' had the level %u and has %u: sessions that got it may no longer get it",
			name, old, fresh);
	else if (fresh < old)
		wt_diff_good(pair->diff, line_of(pair, "level"), "event '%s' had the level %u and has %u",
			     name, old, fresh);
}

static void compare_keywords(const struct pair *pair)
{
	uint64_t old = pair->old->keywords, fresh = pair->fresh->keywords;

	if (old == fresh)
		return;
	/* An event without keywords passes any mask. */
	if (fresh && (!old || (old & ~fresh)))
		wt_diff_bad(pair->diff, line_of(pair, "keywords"),
			    "event '%s' had the keywords 0x%llx and has 0x%llx: sessions that got it may no "
			    "longer get it",
			    pair->fresh->name, (ull)old, (ull)fresh);
	else
		wt_diff_good(pair->diff, line_of(pair, "keywords"),
			     "event '%s' had the keywords 0x%llx and has 0x%llx", pair->fresh->name, (ull)old,
			     (ull)fresh);
}

/* Starts and stops pair by these; only an event without one may get one. */
static void compare_meaning(const struct pair *pair, const char *key, unsigned old, unsigned fresh)
{
	if (old == fresh)
		return;
	if (old)
		wt_diff_bad(pair->diff, line_of(pair, key), "event '%s' had the %s %u and has %u",
			    pair->fresh->name, key, old, fresh);
	else
		wt_diff_good(pair->diff, line_of(pair, key), "event '%s' has the %s %u now",
			     pair->fresh->name, key, fresh);
}

/* ---- its fields ---- */

static void count_text(const struct wt_field *field, char text[16])
{
	if (field->variable)
		snprintf(text, 16, "[]");
	else if (field->count > 1)
		snprintf(text, 16, "[%u]", field->count);
	else
		text[0] = 0;
}

static void compare_layout(const struct pair *pair, const struct wt_field *old, const struct wt_field *fresh,
			   size_t line)
{
	char before[16], now[16];

	if (old->type == fresh->type && old->variable == fresh->variable &&
	    (old->variable || old->count == fresh->count))
		return;
	count_text(old, before);
	count_text(fresh, now);
	wt_diff_bad(pair->diff, line, "field '%s' of event '%s' was %s%s and is %s%s", fresh->name,
		    pair->fresh->name, wt_type_name(old->type), before, wt_type_name(fresh->type), now);
}

static void compare_map(const struct pair *pair, const struct wt_field *old, const struct wt_field *fresh,
			size_t line)
{
	const char *before = old->map ? old->map->name : NULL, *now = fresh->map ? fresh->map->name : NULL;

	if (before && !now)
		wt_diff_bad(pair->diff, line, "field '%s' of event '%s' had the map '%s' and has none",
			    fresh->name, pair->fresh->name, before);
	else if (before && strcasecmp(before, now) != 0)
		wt_diff_bad(pair->diff, line, "field '%s' of event '%s' had the map '%s' and has '%s'",
			    fresh->name, pair->fresh->name, before, now);
	else if (now && !before)
		wt_diff_good(pair->diff, line, "field '%s' of event '%s' has the map '%s' now", fresh->name,
			     pair->fresh->name, now);
}

static void compare_field(const struct pair *pair, const struct wt_field *old, const struct wt_field *fresh,
			  size_t line)
{
	compare_layout(pair, old, fresh, line);
	compare_map(pair, old, fresh, line);
	if (wt_diff_text(old->unit, fresh->unit))
		wt_diff_bad(pair->diff, line, "field '%s' of event '%s' had the unit '%s' and has '%s'",
			    fresh->name, pair->fresh->name, old->unit ? old->unit : "",
			    fresh->unit ? fresh->unit : "");
	if (old->radix != fresh->radix)
		wt_diff_good(pair->diff, line, "field '%s' of event '%s' has another format", fresh->name,
			     pair->fresh->name);
	if (wt_diff_text(old->help, fresh->help))
		wt_diff_good(pair->diff, line, "field '%s' of event '%s' has another help", fresh->name,
			     pair->fresh->name);
}

static uint32_t place_of(const struct wt_event_desc *event, const char *name)
{
	for (uint32_t i = 0; i < event->n_fields; i++) {
		if (!strcmp(event->fields[i].name, name))
			return i;
	}
	return WT_INTERN_NONE;
}

static void compare_old_field(const struct pair *pair, uint32_t i)
{
	const struct wt_field *old = &pair->old->fields[i];
	uint32_t at = place_of(pair->fresh, old->name);

	if (at == WT_INTERN_NONE) {
		wt_diff_gone(pair->diff, WT_REMARK_INCOMPATIBLE,
			     wt_manifest_file_line_in(pair->diff->old, "events", pair->old_at, "fields", i),
			     "field '%s' of event '%s' is gone", old->name, pair->old->name);
		return;
	}
	if (at != i)
		wt_diff_bad(pair->diff, field_line(pair, at),
			    "field '%s' of event '%s' was number %u and is %u", old->name, pair->fresh->name,
			    i + 1, at + 1);
	compare_field(pair, old, &pair->fresh->fields[at], field_line(pair, at));
}

/* Returns how many fields are new. */
static uint32_t new_fields(const struct pair *pair)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < pair->fresh->n_fields; i++) {
		const char *name = pair->fresh->fields[i].name;

		if (place_of(pair->old, name) != WT_INTERN_NONE)
			continue;
		n++;
		if (i < pair->old->n_fields)
			wt_diff_bad(pair->diff, field_line(pair, i),
				    "field '%s' of event '%s' is new and does not follow the last old one",
				    name, pair->fresh->name);
		else
			wt_diff_good(pair->diff, field_line(pair, i), "field '%s' of event '%s' is new", name,
				     pair->fresh->name);
	}
	return n;
}

static void compare_version(const struct pair *pair, bool grown)
{
	uint8_t old = pair->old->version, fresh = pair->fresh->version;
	const char *name = pair->fresh->name;

	if (fresh < old)
		wt_diff_bad(pair->diff, line_of(pair, "version"), "event '%s' had the version %u and has %u",
			    name, old, fresh);
	else if (grown && fresh == old)
		wt_diff_bad(pair->diff, line_of(pair, "version"),
			    "event '%s' has new fields and still the version %u: it must go up", name, old);
	else if (fresh > old)
		wt_diff_good(pair->diff, line_of(pair, "version"), "event '%s' had the version %u and has %u",
			     name, old, fresh);
}

static void compare_texts(const struct pair *pair)
{
	if (wt_diff_text(pair->old->help, pair->fresh->help))
		wt_diff_good(pair->diff, line_of(pair, "help"), "event '%s' has another help",
			     pair->fresh->name);
	if (wt_diff_text(pair->old->message, pair->fresh->message))
		wt_diff_good(pair->diff, line_of(pair, "message"), "event '%s' has another message",
			     pair->fresh->name);
}

void wt_diff_event(const struct wt_diff *diff, uint32_t old_at, uint32_t fresh_at)
{
	struct pair pair = {.diff = diff,
			    .old = &diff->old->provider->events[old_at],
			    .fresh = &diff->fresh->provider->events[fresh_at],
			    .old_at = old_at,
			    .fresh_at = fresh_at};

	compare_level(&pair);
	compare_keywords(&pair);
	compare_meaning(&pair, "task", pair.old->task, pair.fresh->task);
	compare_meaning(&pair, "opcode", pair.old->opcode, pair.fresh->opcode);
	for (uint32_t i = 0; i < pair.old->n_fields; i++)
		compare_old_field(&pair, i);
	compare_version(&pair, new_fields(&pair) > 0);
	compare_texts(&pair);
}
