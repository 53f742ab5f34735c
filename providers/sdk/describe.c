// SPDX-License-Identifier: MIT
#include "providers/sdk/describe.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/json.h"
#include "tracecore/schema/schema.h"

/* Names here, as a provider's, may contain only bytes that JSON need not escape. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

enum name_kind { NAME_PROVIDER, NAME_EVENT, NAME_KEYWORD, NAME_FIELD };

static bool is_name(const char *name, enum name_kind kind)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len > WT_SCHEMA_MAX_NAME)
		return false;
	if (!is_letter(name[0]) && !(is_digit(name[0]) && kind <= NAME_EVENT))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_letter(name[i]) && !is_digit(name[i]) &&
		    (kind == NAME_FIELD || (name[i] != '.' && name[i] != '-')))
			return false;
	return true;
}

static int check_name(const char *name, enum name_kind kind, struct wt_err *err)
{
	static const char *const words[] = {
		[NAME_PROVIDER] = "a provider",
		[NAME_EVENT] = "an event",
		[NAME_KEYWORD] = "a keyword",
		[NAME_FIELD] = "a field",
	};

	if (is_name(name, kind))
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%.64s' cannot be the name of %s: letters, digits%s, 1 to 255 bytes",
		       name ? name : "", words[kind], kind == NAME_FIELD ? " and _" : ", _ . and -");
}

static const struct wtrace_field *fields_of(const struct wtrace_site *site)
{
	return (const struct wtrace_field *)(site + 1);
}

static bool same_event(const struct wtrace_site *a, const struct wtrace_site *b)
{
	if (strcmp(a->name, b->name) || a->keywords != b->keywords || a->level != b->level ||
	    a->opcode != b->opcode || a->n_fields != b->n_fields)
		return false;
	for (uint32_t i = 0; i < a->n_fields; i++) {
		const struct wtrace_field *f = &fields_of(a)[i], *g = &fields_of(b)[i];

		if (strcmp(f->name, g->name) || f->type != g->type || f->radix != g->radix ||
		    f->count != g->count)
			return false;
	}
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcasecmp((*(struct wtrace_site *const *)a)->name, (*(struct wtrace_site *const *)b)->name);
}

/* The provider's own sites, each once (code that was inlined lists them again), sorted. */
static int take_sites(const struct wtrace_provider *provider, struct wtrace_site *const *sites,
		      struct wtrace_site *const *end, struct wt_sdk_description *desc, struct wt_err *err)
{
	size_t n = 0;

	for (struct wtrace_site *const *p = sites; p < end; p++)
		n += *p && (*p)->provider == provider;
	desc->sites = (struct wtrace_site **)calloc(n + 1, sizeof(*desc->sites));
	desc->events = (struct wt_enable_event *)calloc(n + 1, sizeof(*desc->events));
	if (!desc->sites || !desc->events)
		return wt_fail_nomem(err);
	for (struct wtrace_site *const *p = sites; p < end; p++) {
		if (!*p || (*p)->provider != provider)
			continue;
		if (check_name((*p)->name, NAME_EVENT, err))
			return -1;
		desc->sites[desc->n_sites++] = *p;
	}
	qsort(desc->sites, desc->n_sites, sizeof(*desc->sites), by_name);
	return 0;
}

static uint16_t id_of_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)(*name | (is_letter(*name) ? 0x20 : 0))) * 16777619u;
	return (uint16_t)(hash ^ hash >> 16);
}

static bool has_id(const struct wt_enable_event *events, uint32_t n, uint16_t id)
{
	for (uint32_t i = 0; i < n; i++)
		if (events[i].id == id)
			return true;
	return false;
}

/* Names with equal numbers move on to the next free one, in their order. A few events are compared with each
 * other, because a map of all numbers takes pages. */
static int give_ids(struct wt_enable_event *events, uint32_t n, struct wt_err *err)
{
	uint8_t *taken = n > 64 ? (uint8_t *)calloc(65536 / 8, 1) : NULL;

	if (n > 64 && !taken)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++) {
		uint16_t id = id_of_name(events[i].name);

		while (taken ? taken[id / 8] & 1u << id % 8 : has_id(events, i, id))
			id++;
		if (taken)
			taken[id / 8] |= (uint8_t)(1u << id % 8);
		events[i].id = id;
	}
	free(taken);
	return 0;
}

/* Finds the events among the sorted sites. */
static int take_events(struct wt_sdk_description *desc, struct wt_err *err)
{
	for (uint32_t i = 0; i < desc->n_sites; i++) {
		struct wtrace_site *site = desc->sites[i];

		if (i && !strcasecmp(site->name, desc->sites[i - 1]->name)) {
			if (!same_event(site, desc->sites[i - 1]))
				return wt_fail(err, WT_ERR_USAGE,
					       "event '%s' is described in two different ways", site->name);
		} else {
			desc->events[desc->n_events++] = (struct wt_enable_event){
				.name = site->name, .keywords = site->keywords, .level = site->level};
		}
		site->event = desc->n_events - 1;
	}
	if (desc->n_events > WT_SCHEMA_MAX_EVENTS)
		return wt_fail(err, WT_ERR_LIMIT, "%u events, at most %u", desc->n_events,
			       WT_SCHEMA_MAX_EVENTS);
	return give_ids(desc->events, desc->n_events, err);
}

static const char *type_name(uint8_t type)
{
	static const char *const names[] = {
		[WTRACE_TYPE_U8] = "u8",
		[WTRACE_TYPE_U16] = "u16",
		[WTRACE_TYPE_U32] = "u32",
		[WTRACE_TYPE_U64] = "u64",
		[WTRACE_TYPE_I8] = "i8",
		[WTRACE_TYPE_I16] = "i16",
		[WTRACE_TYPE_I32] = "i32",
		[WTRACE_TYPE_I64] = "i64",
		[WTRACE_TYPE_F32] = "f32",
		[WTRACE_TYPE_F64] = "f64",
		[WTRACE_TYPE_BOOL] = "bool",
		[WTRACE_TYPE_POINTER] = "pointer",
		[WTRACE_TYPE_TIME] = "time",
		[WTRACE_TYPE_STRING] = "string",
		[WTRACE_TYPE_BINARY] = "binary",
		[WTRACE_TYPE_UUID] = "uuid",
		[WTRACE_TYPE_IPV4] = "ipv4",
		[WTRACE_TYPE_IPV6] = "ipv6",
		[WTRACE_TYPE_SOCKADDR] = "sockaddr",
	};

	return type < sizeof(names) / sizeof(*names) && names[type] ? names[type] : "binary";
}

static int check_field(const struct wtrace_site *site, uint32_t i, struct wt_err *err)
{
	const struct wtrace_field *fields = fields_of(site);

	if (check_name(fields[i].name, NAME_FIELD, err))
		return -1;
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(fields[i].name, fields[j].name))
			return wt_fail(err, WT_ERR_USAGE, "event '%s' has two fields '%s'", site->name,
				       fields[i].name);
	return 0;
}

static int write_fields(struct wt_json *json, const struct wtrace_site *site, struct wt_err *err)
{
	const struct wtrace_field *fields = fields_of(site);

	wt_json_array(json, "fields");
	for (uint32_t i = 0; i < site->n_fields; i++) {
		if (check_field(site, i, err))
			return -1;
		wt_json_object(json, NULL);
		wt_json_text(json, "name", fields[i].name);
		wt_json_text(json, "type", type_name(fields[i].type));
		if (fields[i].radix)
			wt_json_text(json, "format", "hex");
		if (!fields[i].count)
			wt_json_text(json, "count", "variable");
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	return 0;
}

static int write_event(struct wt_json *json, const struct wtrace_site *site, uint16_t id, struct wt_err *err)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "name", site->name);
	wt_json_number(json, "id", id);
	wt_json_number(json, "version", 0);
	wt_json_number(json, "level", site->level);
	wt_json_number(json, "task", 0);
	wt_json_number(json, "opcode", site->opcode);
	if (site->keywords) {
		wt_json_array(json, "keywords");
		wt_json_mask(json, NULL, site->keywords);
		wt_json_end_array(json);
	}
	if (write_fields(json, site, err))
		return -1;
	wt_json_end_object(json);
	return 0;
}

static int write_events(struct wt_json *json, const struct wt_sdk_description *desc, struct wt_err *err)
{
	uint32_t next = 0;

	wt_json_array(json, "events");
	for (uint32_t i = 0; i < desc->n_sites; i++) {
		if (desc->sites[i]->event != next)
			continue;
		if (write_event(json, desc->sites[i], desc->events[next].id, err))
			return -1;
		next++;
	}
	wt_json_end_array(json);
	return 0;
}

static int write_keywords(struct wt_json *json, const struct wtrace_provider *provider, struct wt_err *err)
{
	if (!provider->n_keywords)
		return 0;
	wt_json_array(json, "keywords");
	for (uint32_t i = 0; i < provider->n_keywords; i++) {
		const struct wtrace_keyword *keyword = &provider->keywords[i];

		if (check_name(keyword->name, NAME_KEYWORD, err))
			return -1;
		wt_json_object(json, NULL);
		wt_json_text(json, "name", keyword->name);
		wt_json_mask(json, "mask", keyword->mask);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
	return 0;
}

static void write_guid(struct wt_json *json, const char *name)
{
	uint8_t guid[16];

	wt_guid_of_name(name, guid);
	wt_json_uuid(json, "guid", guid);
}

static int write_manifest(struct wt_buf *out, const struct wtrace_provider *provider,
			  const struct wt_sdk_description *desc, struct wt_err *err)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_number(&json, "wtrace_manifest", 1);
	wt_json_text(&json, "provider", provider->name);
	write_guid(&json, provider->name);
	if (write_keywords(&json, provider, err) || write_events(&json, desc, err))
		return -1;
	wt_json_end_object(&json);
	return out->failed ? wt_fail_nomem(err) : 0;
}

static int take_table(const struct wtrace_provider *provider, struct wt_sdk_description *desc,
		      struct wt_err *err)
{
	desc->events = (struct wt_enable_event *)calloc(provider->n_events + 1, sizeof(*desc->events));
	if (!desc->events)
		return wt_fail_nomem(err);
	desc->n_events = provider->n_events;
	for (uint32_t i = 0; i < provider->n_events; i++) {
		const struct wtrace_event_desc *event = &provider->events[i];

		desc->events[i] = (struct wt_enable_event){.name = event->name,
							   .keywords = event->keywords,
							   .id = event->id,
							   .level = event->level};
	}
	return 0;
}

int wt_sdk_describe(const struct wtrace_provider *provider, struct wtrace_site *const *sites,
		    struct wtrace_site *const *end, struct wt_sdk_description *ret, struct wt_err *err)
{
	struct wt_sdk_description desc = {0};
	int rc;

	if (check_name(provider->name, NAME_PROVIDER, err))
		return -1;
	if (provider->manifest)
		rc = take_table(provider, &desc, err);
	else
		rc = take_sites(provider, sites, end, &desc, err) || take_events(&desc, err) ||
		     write_manifest(&desc.manifest, provider, &desc, err);
	if (rc) {
		wt_sdk_description_deinit(&desc);
		return -1;
	}
	*ret = desc;
	return 0;
}

void wt_sdk_description_deinit(struct wt_sdk_description *description)
{
	free(description->sites);
	free(description->events);
	wt_buf_deinit(&description->manifest);
	*description = (struct wt_sdk_description){0};
}
