// SPDX-License-Identifier: MIT
/* The manifest language: the provider, its lists of names, its maps. */
#include "tracecore/schema/manifest_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MANIFEST_VERSION  1
#define RESERVED_KEYWORDS UINT64_C(0xffff000000000000)
#define COUNT(array)      (sizeof(array) / sizeof((array)[0]))

/* One of the provider's lists of {name, number, help}. */
struct named_list {
	enum wt_mf_list list;
	const char *key;  /* of the list */
	const char *what; /* one row, for errors */
	uint64_t min, max;
	size_t n_max;
	const char *const *standard; /* names that may not be used again */
	size_t n_standard;
};

static int check_standard(struct wt_mf *mf, const struct named_list *list, const char *name)
{
	for (size_t i = 0; i < list->n_standard; i++) {
		if (!strcasecmp(name, list->standard[i]))
			return wt_mf_fail(mf, "%s '%s' is a standard one and cannot be defined", list->what,
					  name);
	}
	return 0;
}

static int parse_named(struct wt_mf *mf, struct json_object *node, const struct named_list *list,
		       struct wt_intern *values, struct wt_named *row)
{
	static const char *const keys[] = {"name", "value", "help"};
	bool fresh;

	if (wt_mf_object(mf, node, list->what, keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_WORD, &row->name) || wt_mf_text(mf, node, "help", &row->help) ||
	    check_standard(mf, list, row->name) || wt_mf_unique(mf, list->list, list->what, row->name))
		return -1;
	if (!wt_mf_has(node, "value"))
		return wt_mf_fail(mf, "'value' is missing");
	if (wt_mf_number(mf, node, "value", list->min, list->max, &row->value))
		return -1;
	if (wt_intern(values, row->value, 0, &fresh) == WT_INTERN_NONE)
		return wt_fail_nomem(mf->err);
	return fresh ? 0
		     : wt_mf_fail(mf, "%s '%s' has the value %llu, which another one has", list->what,
				  row->name, (unsigned long long)row->value);
}

static int parse_named_list(struct wt_mf *mf, struct json_object *root, const struct named_list *list,
			    struct wt_named **rows, uint32_t *n_rows)
{
	struct wt_intern values = {0};
	struct json_object *array;
	int failed = 0;
	size_t n;

	if (wt_mf_array(mf, root, list->key, list->n_max, &array, &n))
		return -1;
	*rows = calloc(n ? n : 1, sizeof(**rows));
	if (!*rows)
		return wt_fail_nomem(mf->err);
	*n_rows = (uint32_t)n;
	wt_mf_enter(mf, list->key, 0);
	for (size_t i = 0; i < n && !failed; i++) {
		wt_mf_enter(mf, NULL, i);
		failed = parse_named(mf, wt_mf_element(array, i), list, &values, &(*rows)[i]) &&
			 wt_mf_stop(mf, 2);
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	wt_intern_deinit(&values);
	return failed;
}

static const char *keyword_holding(const struct wt_provider *provider, uint64_t mask)
{
	for (uint32_t i = 0; i < provider->n_keywords; i++) {
		if (provider->keywords[i].value & mask)
			return provider->keywords[i].name;
	}
	return NULL;
}

static int check_mask(struct wt_mf *mf, const char *name, uint64_t mask)
{
	const char *other = keyword_holding(mf->provider, mask);

	if (!mask)
		return wt_mf_fail(mf, "the mask of keyword '%s' is 0", name);
	if (mask & RESERVED_KEYWORDS)
		return wt_mf_fail(
			mf, "the mask of keyword '%s' (0x%llx) uses the top 16 bits, which are reserved",
			name, (unsigned long long)mask);
	if (other)
		return wt_mf_fail(mf, "the mask of keyword '%s' (0x%llx) overlaps keyword '%s'", name,
				  (unsigned long long)mask, other);
	return 0;
}

static int parse_keyword(struct wt_mf *mf, struct json_object *node, struct wt_named *row)
{
	static const char *const keys[] = {"name", "mask", "help"};
	uint64_t mask;

	if (wt_mf_object(mf, node, "a keyword", keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_WORD, &row->name) || wt_mf_text(mf, node, "help", &row->help) ||
	    wt_mf_unique(mf, WT_MF_KEYWORDS, "keyword", row->name) || wt_mf_bits(mf, node, "mask", &mask))
		return -1;
	wt_mf_enter(mf, "mask", 0);
	if (check_mask(mf, row->name, mask))
		return -1;
	wt_mf_leave(mf);
	row->value = mask;
	return 0;
}

static int parse_keywords(struct wt_mf *mf, struct json_object *root)
{
	struct wt_provider *provider = mf->provider;
	struct json_object *array;
	size_t n;

	if (wt_mf_array(mf, root, "keywords", 48, &array, &n))
		return -1;
	provider->keywords = calloc(n ? n : 1, sizeof(*provider->keywords));
	if (!provider->keywords)
		return wt_fail_nomem(mf->err);
	wt_mf_enter(mf, "keywords", 0);
	for (size_t i = 0; i < n; i++) {
		provider->n_keywords++;
		wt_mf_enter(mf, NULL, i);
		if (parse_keyword(mf, wt_mf_element(array, i), &provider->keywords[i]) && wt_mf_stop(mf, 2))
			return -1;
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	return 0;
}

static int parse_entry(struct wt_mf *mf, struct json_object *node, struct wt_named *row)
{
	static const char *const keys[] = {"name", "value", "help"};

	if (wt_mf_object(mf, node, "a map entry", keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_FREE, &row->name) || wt_mf_text(mf, node, "help", &row->help) ||
	    wt_mf_bits(mf, node, "value", &row->value))
		return -1;
	return wt_mf_unique(mf, WT_MF_ENTRIES, "map entry", row->name);
}

static int parse_map_kind(struct wt_mf *mf, struct json_object *node, struct wt_valmap *map)
{
	static const char *const kinds[] = {"value", "bitmap"};
	const char *kind = "value";

	if (wt_mf_word(mf, node, "kind", &kind))
		return -1;
	map->bitmap = !strcmp(kind, "bitmap");
	if (map->bitmap || !strcmp(kind, "value"))
		return 0;
	wt_mf_enter(mf, "kind", 0);
	return wt_mf_fail_unknown(mf, "kind of map", kind, kinds, COUNT(kinds));
}

static int parse_map(struct wt_mf *mf, struct json_object *node, struct wt_valmap *map)
{
	static const char *const keys[] = {"name", "kind", "entries"};
	struct json_object *array;
	size_t n;

	if (wt_mf_object(mf, node, "a map", keys, COUNT(keys)) ||
	    wt_mf_name(mf, node, WT_MF_NAME_WORD, &map->name) ||
	    wt_mf_unique(mf, WT_MF_MAPS, "map", map->name) || parse_map_kind(mf, node, map) ||
	    wt_mf_array(mf, node, "entries", WT_SCHEMA_MAX_MAP_ENTRIES, &array, &n))
		return -1;
	map->entries = calloc(n ? n : 1, sizeof(*map->entries));
	if (!map->entries)
		return wt_fail_nomem(mf->err);
	map->n_entries = (uint32_t)n;
	wt_strings_clear(&mf->names[WT_MF_ENTRIES]);
	wt_mf_enter(mf, "entries", 0);
	for (size_t i = 0; i < n; i++) {
		wt_mf_enter(mf, NULL, i);
		if (parse_entry(mf, wt_mf_element(array, i), &map->entries[i]) && wt_mf_stop(mf, 4))
			return -1;
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	return 0;
}

static int parse_maps(struct wt_mf *mf, struct json_object *root)
{
	struct wt_provider *provider = mf->provider;
	struct json_object *array;
	size_t n;

	if (wt_mf_array(mf, root, "maps", WT_SCHEMA_MAX_MAPS, &array, &n))
		return -1;
	provider->maps = calloc(n ? n : 1, sizeof(*provider->maps));
	if (!provider->maps)
		return wt_fail_nomem(mf->err);
	provider->n_maps = (uint32_t)n;
	wt_mf_enter(mf, "maps", 0);
	for (size_t i = 0; i < n; i++) {
		wt_mf_enter(mf, NULL, i);
		if (parse_map(mf, wt_mf_element(array, i), &provider->maps[i]) && wt_mf_stop(mf, 2))
			return -1;
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	return 0;
}

/* owners: by id, the number of the event with this id, from 1; 0: none. */
static int parse_event(struct wt_mf *mf, struct json_object *node, uint32_t i, uint16_t *owners)
{
	const struct wt_provider *provider = mf->provider;
	struct wt_event_desc *event = &provider->events[i];

	if (wt_mf_event(mf, node, event))
		return -1;
	if (owners[event->id])
		return wt_mf_fail(mf, "event '%s' has the id %u, which event '%s' has", event->name,
				  event->id, provider->events[owners[event->id] - 1].name);
	owners[event->id] = (uint16_t)(i + 1);
	return 0;
}

static int parse_events(struct wt_mf *mf, struct json_object *root)
{
	struct wt_provider *provider = mf->provider;
	struct json_object *array;
	uint16_t *owners;
	int failed = 0;
	size_t n;

	if (wt_mf_array(mf, root, "events", WT_SCHEMA_MAX_EVENTS, &array, &n))
		return -1;
	provider->events = calloc(n ? n : 1, sizeof(*provider->events));
	owners = calloc(UINT16_MAX + 1, sizeof(*owners));
	provider->n_events = provider->events ? (uint32_t)n : 0;
	if (!provider->events || !owners)
		failed = wt_fail_nomem(mf->err);
	wt_mf_enter(mf, "events", 0);
	for (uint32_t i = 0; i < provider->n_events && !failed; i++) {
		wt_mf_enter(mf, NULL, i);
		failed = parse_event(mf, wt_mf_element(array, i), i, owners) && wt_mf_stop(mf, 2);
		wt_mf_leave(mf);
	}
	wt_mf_leave(mf);
	free(owners);
	return failed;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool guid_of_text(const char *text, uint8_t ret[16])
{
	static const uint8_t dash_before[16] = {[4] = 1, [6] = 1, [8] = 1, [10] = 1};

	for (unsigned i = 0; i < 16; i++) {
		if (dash_before[i] && *text++ != '-')
			return false;
		if (hex_digit(text[0]) < 0 || hex_digit(text[1]) < 0)
			return false;
		ret[i] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
		text += 2;
	}
	return !*text;
}

static int parse_guid(struct wt_mf *mf, struct json_object *root)
{
	const char *text = NULL;

	if (mf->provider->name)
		wt_guid_of_name(mf->provider->name, mf->provider->guid);
	if (wt_mf_word(mf, root, "guid", &text))
		return -1;
	if (!text || guid_of_text(text, mf->provider->guid))
		return 0;
	wt_mf_enter(mf, "guid", 0);
	return wt_mf_fail(mf, "guid '%.48s' does not have the form 01234567-89ab-cdef-0123-456789abcdef",
			  text);
}

static int parse_version(struct wt_mf *mf, struct json_object *root)
{
	uint64_t version = 0;

	if (!wt_mf_has(root, "wtrace_manifest"))
		return wt_mf_fail(mf, "'wtrace_manifest' is missing: is this a wtrace manifest?");
	if (wt_mf_number(mf, root, "wtrace_manifest", 1, UINT32_MAX, &version))
		return -1;
	if (version <= MANIFEST_VERSION)
		return 0;
	wt_mf_enter(mf, "wtrace_manifest", 0);
	wt_mf_fail(mf, "manifest language %llu, this program knows up to %d: use a newer wtrace",
		   (unsigned long long)version, MANIFEST_VERSION);
	if (mf->err)
		mf->err->code = WT_ERR_VERSION;
	return -1;
}

static const struct named_list level_list = {
	WT_MF_LEVELS, "levels", "level", 16, 255, 240, wt_mf_standard_levels, COUNT(wt_mf_standard_levels)};
static const struct named_list task_list = {.list = WT_MF_TASKS,
					    .key = "tasks",
					    .what = "task",
					    .min = 1,
					    .max = UINT16_MAX,
					    .n_max = WT_SCHEMA_MAX_TASKS};
static const struct named_list opcode_list = {WT_MF_OPCODES,
					      "opcodes",
					      "opcode",
					      10,
					      239,
					      230,
					      wt_mf_standard_opcodes,
					      COUNT(wt_mf_standard_opcodes)};

static int parse_head(struct wt_mf *mf, struct json_object *root)
{
	const char *ignored;

	if (wt_mf_word(mf, root, "$schema", &ignored) || wt_mf_text(mf, root, "help", &mf->provider->help))
		return -1;
	return wt_mf_name(mf, root, WT_MF_NAME_PROVIDER, &mf->provider->name);
}

static int parse_levels(struct wt_mf *mf, struct json_object *root)
{
	return parse_named_list(mf, root, &level_list, &mf->provider->levels, &mf->provider->n_levels);
}

static int parse_tasks(struct wt_mf *mf, struct json_object *root)
{
	return parse_named_list(mf, root, &task_list, &mf->provider->tasks, &mf->provider->n_tasks);
}

static int parse_opcodes(struct wt_mf *mf, struct json_object *root)
{
	return parse_named_list(mf, root, &opcode_list, &mf->provider->opcodes, &mf->provider->n_opcodes);
}

int wt_mf_provider(struct wt_mf *mf, struct json_object *root)
{
	static const char *const keys[] = {"$schema",  "wtrace_manifest", "provider", "guid",    "help",
					   "keywords", "levels",          "tasks",    "opcodes", "maps",
					   "events"};
	int (*const parts[])(struct wt_mf *, struct json_object *) = {
		parse_head,  parse_guid,    parse_keywords, parse_levels,
		parse_tasks, parse_opcodes, parse_maps,     parse_events,
	};

	/* The version is checked first, because a newer manifest may have keys that only a newer program
	 * reads. */
	if (!wt_mf_is_object(root))
		return wt_mf_fail(mf, "the manifest must be an object {...}");
	if (parse_version(mf, root) || wt_mf_object(mf, root, "the manifest", keys, COUNT(keys)))
		return -1;
	for (size_t i = 0; i < COUNT(parts); i++) {
		if (parts[i](mf, root) && wt_mf_stop(mf, 0))
			return -1;
	}
	return 0;
}
