// SPDX-License-Identifier: MIT
#include "tracecore/schema/schema.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct type_info {
	const char *name;
	uint8_t width;
	bool integer, is_signed;
} types[] = {
	[WT_TYPE_U8] = {"u8", 1, true, false},
	[WT_TYPE_U16] = {"u16", 2, true, false},
	[WT_TYPE_U32] = {"u32", 4, true, false},
	[WT_TYPE_U64] = {"u64", 8, true, false},
	[WT_TYPE_I8] = {"i8", 1, true, true},
	[WT_TYPE_I16] = {"i16", 2, true, true},
	[WT_TYPE_I32] = {"i32", 4, true, true},
	[WT_TYPE_I64] = {"i64", 8, true, true},
	[WT_TYPE_F32] = {"f32", 4, false, true},
	[WT_TYPE_F64] = {"f64", 8, false, true},
	[WT_TYPE_BOOL] = {"bool", 1, true, false},
	[WT_TYPE_POINTER] = {"pointer", 8, true, false},
	[WT_TYPE_TIME] = {"time", 8, true, false},
	[WT_TYPE_STRING] = {"string", 0, false, false},
	[WT_TYPE_BINARY] = {"binary", 0, false, false},
	[WT_TYPE_UUID] = {"uuid", 16, false, false},
	[WT_TYPE_IPV4] = {"ipv4", 4, false, false},
	[WT_TYPE_IPV6] = {"ipv6", 16, false, false},
	[WT_TYPE_SOCKADDR] = {"sockaddr", 0, false, false},
};

#define N_TYPES (sizeof(types) / sizeof(types[0]))

/* Type 0 and numbers from a newer version give the empty row. */
static const struct type_info *info_of(enum wt_type type)
{
	static const struct type_info none;

	return (size_t)type < N_TYPES ? &types[type] : &none;
}

const char *wt_type_name(enum wt_type type)
{
	const char *name = info_of(type)->name;

	return name ? name : "?";
}

void wt_field_type_text(const struct wt_field *field, struct wt_buf *out)
{
	wt_buf_puts(out, wt_type_name(field->type));
	if (field->variable)
		wt_buf_puts(out, "[]");
	else if (field->count > 1)
		wt_buf_printf(out, "[%u]", field->count);
}

enum wt_type wt_type_of_name(const char *name, size_t len)
{
	for (size_t i = 1; i < N_TYPES; i++) {
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len))
			return (enum wt_type)i;
	}
	return (enum wt_type)0;
}

unsigned wt_type_width(enum wt_type type)
{
	return info_of(type)->width;
}

bool wt_type_is_counted(enum wt_type type)
{
	return info_of(type)->name && !info_of(type)->width;
}

bool wt_type_is_signed(enum wt_type type)
{
	return info_of(type)->is_signed;
}

bool wt_type_is_integer(enum wt_type type)
{
	return info_of(type)->integer;
}

/* Every byte value as text, so that a number without a name can be printed too. */
#define TEXT10(tens) \
	tens "0", tens "1", tens "2", tens "3", tens "4", tens "5", tens "6", tens "7", tens "8", tens "9"
#define TEXT100(hundreds)                                                                               \
	TEXT10(hundreds "0"), TEXT10(hundreds "1"), TEXT10(hundreds "2"), TEXT10(hundreds "3"),         \
		TEXT10(hundreds "4"), TEXT10(hundreds "5"), TEXT10(hundreds "6"), TEXT10(hundreds "7"), \
		TEXT10(hundreds "8"), TEXT10(hundreds "9")
static const char byte_text[][4] = {
	TEXT10(""),   TEXT10("1"),  TEXT10("2"),  TEXT10("3"),  TEXT10("4"),  TEXT10("5"),
	TEXT10("6"),  TEXT10("7"),  TEXT10("8"),  TEXT10("9"),  TEXT100("1"), TEXT10("20"),
	TEXT10("21"), TEXT10("22"), TEXT10("23"), TEXT10("24"), "250",        "251",
	"252",        "253",        "254",        "255",
};
_Static_assert(sizeof(byte_text) == 256 * 4, "one text per byte value");

static const char *name_of(const struct wt_named *rows, uint32_t n, uint8_t value)
{
	for (uint32_t i = 0; i < n; i++) {
		if (rows[i].value == value)
			return rows[i].name;
	}
	return byte_text[value];
}

const char *wt_level_name(const struct wt_provider *provider, uint8_t level)
{
	static const char *const standard[] = {"always", "critical", "error", "warning", "info", "verbose"};

	if (level <= WT_LEVEL_VERBOSE)
		return standard[level];
	return name_of(provider->levels, provider->n_levels, level);
}

const struct wt_event_desc *wt_provider_event(const struct wt_provider *provider, const char *name)
{
	for (uint32_t i = 0; i < provider->n_events; i++) {
		if (!strcasecmp(provider->events[i].name, name))
			return &provider->events[i];
	}
	return NULL;
}

int wt_event_field(const struct wt_event_desc *event, const char *name)
{
	for (uint32_t i = 0; i < event->n_fields; i++) {
		if (!strcmp(event->fields[i].name, name))
			return (int)i;
	}
	for (uint32_t i = 0; i < event->n_fields; i++) {
		if (!strcasecmp(event->fields[i].name, name))
			return (int)i;
	}
	return -1;
}

const struct wt_named *wt_valmap_of_value(const struct wt_valmap *map, uint64_t value)
{
	for (uint32_t i = 0; map && i < map->n_entries; i++)
		if (map->entries[i].value == value)
			return &map->entries[i];
	return NULL;
}

const struct wt_named *wt_valmap_of_name(const struct wt_valmap *map, const char *name)
{
	for (uint32_t i = 0; map && i < map->n_entries; i++)
		if (!strcmp(map->entries[i].name, name))
			return &map->entries[i];
	return NULL;
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

static void free_named(struct wt_named *rows, uint32_t n)
{
	for (uint32_t i = 0; rows && i < n; i++) {
		free(rows[i].name);
		free(rows[i].help);
	}
	free(rows);
}

/* *n_to counts rows that are at least zeroed, so that a partial copy can be freed. */
static bool copy_named(struct wt_named **to, uint32_t *n_to, const struct wt_named *from, uint32_t n)
{
	if (!n)
		return true;
	*to = calloc(n, sizeof(**to));
	if (!*to)
		return false;
	*n_to = n;
	for (uint32_t i = 0; i < n; i++) {
		(*to)[i].value = from[i].value;
		if (!copy_text(&(*to)[i].name, from[i].name) || !copy_text(&(*to)[i].help, from[i].help))
			return false;
	}
	return true;
}

static void free_field(struct wt_field *field)
{
	free(field->name);
	free(field->unit);
	free(field->help);
}

static bool copy_field(struct wt_field *to, const struct wt_field *from, const struct wt_provider *old,
		       const struct wt_provider *fresh)
{
	*to = *from;
	to->name = to->unit = to->help = NULL;
	to->map = from->map ? &fresh->maps[from->map - old->maps] : NULL;
	return copy_text(&to->name, from->name) && copy_text(&to->unit, from->unit) &&
	       copy_text(&to->help, from->help);
}

static void free_event(struct wt_event_desc *event)
{
	for (uint32_t i = 0; event->fields && i < event->n_fields; i++)
		free_field(&event->fields[i]);
	free(event->fields);
	free(event->name);
	free(event->help);
	free(event->message);
}

static bool copy_event(struct wt_event_desc *to, const struct wt_event_desc *from,
		       const struct wt_provider *old, const struct wt_provider *fresh)
{
	*to = *from;
	to->name = to->help = to->message = NULL;
	to->fields = NULL;
	if (!copy_text(&to->name, from->name) || !copy_text(&to->help, from->help) ||
	    !copy_text(&to->message, from->message))
		return false;
	if (!from->n_fields)
		return true;
	to->fields = calloc(from->n_fields, sizeof(*to->fields));
	if (!to->fields)
		return false;
	for (uint32_t i = 0; i < from->n_fields; i++) {
		if (!copy_field(&to->fields[i], &from->fields[i], old, fresh))
			return false;
	}
	return true;
}

static bool copy_maps(struct wt_provider *to, const struct wt_provider *from)
{
	if (!from->n_maps)
		return true;
	to->maps = calloc(from->n_maps, sizeof(*to->maps));
	if (!to->maps)
		return false;
	to->n_maps = from->n_maps;
	for (uint32_t i = 0; i < from->n_maps; i++) {
		const struct wt_valmap *map = &from->maps[i];

		to->maps[i].bitmap = map->bitmap;
		if (!copy_text(&to->maps[i].name, map->name) ||
		    !copy_named(&to->maps[i].entries, &to->maps[i].n_entries, map->entries, map->n_entries))
			return false;
	}
	return true;
}

static bool copy_events(struct wt_provider *to, const struct wt_provider *from)
{
	if (!from->n_events)
		return true;
	to->events = calloc(from->n_events, sizeof(*to->events));
	if (!to->events)
		return false;
	to->n_events = from->n_events;
	for (uint32_t i = 0; i < from->n_events; i++) {
		if (!copy_event(&to->events[i], &from->events[i], from, to))
			return false;
	}
	return true;
}

struct wt_provider *wt_provider_clone(const struct wt_provider *provider)
{
	struct wt_provider *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	memcpy(p->guid, provider->guid, sizeof(p->guid));
	if (copy_text(&p->name, provider->name) && copy_text(&p->help, provider->help) &&
	    copy_named(&p->keywords, &p->n_keywords, provider->keywords, provider->n_keywords) &&
	    copy_named(&p->levels, &p->n_levels, provider->levels, provider->n_levels) &&
	    copy_named(&p->tasks, &p->n_tasks, provider->tasks, provider->n_tasks) &&
	    copy_named(&p->opcodes, &p->n_opcodes, provider->opcodes, provider->n_opcodes) &&
	    copy_maps(p, provider) && copy_events(p, provider))
		return p;
	wt_provider_destroy(p);
	return NULL;
}

void wt_provider_destroy(struct wt_provider *provider)
{
	if (!provider)
		return;
	for (uint32_t i = 0; provider->events && i < provider->n_events; i++)
		free_event(&provider->events[i]);
	free(provider->events);
	for (uint32_t i = 0; provider->maps && i < provider->n_maps; i++) {
		free_named(provider->maps[i].entries, provider->maps[i].n_entries);
		free(provider->maps[i].name);
	}
	free(provider->maps);
	free_named(provider->keywords, provider->n_keywords);
	free_named(provider->levels, provider->n_levels);
	free_named(provider->tasks, provider->n_tasks);
	free_named(provider->opcodes, provider->n_opcodes);
	free(provider->name);
	free(provider->help);
	free(provider);
}

int wt_provider_set_map(struct wt_provider *provider, const char *name, const struct wt_named *entries,
			uint32_t n, struct wt_err *err)
{
	struct wt_valmap *map = NULL;
	struct wt_named *fresh = NULL;
	uint32_t n_fresh = 0;

	for (uint32_t i = 0; i < provider->n_maps && !map; i++) {
		if (!strcasecmp(provider->maps[i].name, name))
			map = &provider->maps[i];
	}
	if (!map)
		return wt_fail(err, WT_ERR_NOTFOUND, "provider '%s' has no map '%s'", provider->name, name);
	if (n > WT_SCHEMA_MAX_MAP_ENTRIES)
		return wt_fail(err, WT_ERR_LIMIT, "map '%s' of provider '%s': %u entries, at most %d", name,
			       provider->name, n, WT_SCHEMA_MAX_MAP_ENTRIES);
	if (!copy_named(&fresh, &n_fresh, entries, n)) {
		free_named(fresh, n_fresh);
		return wt_fail_nomem(err);
	}
	free_named(map->entries, map->n_entries);
	map->entries = fresh;
	map->n_entries = n_fresh;
	return 0;
}
