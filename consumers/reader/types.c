// SPDX-License-Identifier: MIT
/* Types of events, one for equal descriptions in all logs. */
#include <stdlib.h>
#include <string.h>

#include "consumers/reader/impl.h"
#include "tracecore/base/grow.h"

/* ---- schemas of all logs; equal ones are stored once ---- */

static struct wtr_schema *make_schema(const struct wt_provider *provider)
{
	struct wtr_schema *schema = calloc(1, sizeof(*schema));

	if (!schema)
		return NULL;
	schema->provider = wt_provider_clone(provider);
	schema->types = calloc(provider->n_events + (size_t)1, sizeof(*schema->types));
	if (!schema->provider || !schema->types) {
		wt_provider_destroy(schema->provider);
		free(schema->types);
		free(schema);
		return NULL;
	}
	for (uint32_t i = 0; i < provider->n_events; i++)
		schema->types[i] = (struct wtr_type){.provider = schema->provider,
						     .event = &schema->provider->events[i]};
	return schema;
}

static int place_schema(struct wtr_trace *trace, uint32_t id, const struct wt_provider *provider)
{
	if (wt_grow_filled(&trace->schemas, &trace->schemas_cap, id, 1, 0, NULL))
		return -1;
	if (!trace->schemas[id])
		trace->schemas[id] = make_schema(provider);
	return trace->schemas[id] ? 0 : -1;
}

static int note_known(struct wtr_file *file, const struct wt_provider *provider, uint32_t schema)
{
	if (wt_grow_one(&file->known, file->n_known, NULL))
		return -1;
	file->known[file->n_known++] = (struct wtr_known){provider, schema};
	return 0;
}

const struct wtr_schema *wtr_schema_of(struct wtr_file *file, const struct wt_provider *provider)
{
	struct wtr_trace *trace = file->trace;
	struct wt_buf text = {0};
	uint32_t id = WT_INTERN_NONE;
	bool fresh;

	for (uint32_t i = 0; i < file->n_known; i++) {
		if (file->known[i].provider == provider)
			return trace->schemas[file->known[i].schema];
	}
	if (wt_manifest_render(provider, &text, wtr_err()) == 0)
		id = wt_strings_add(&trace->texts, text.data, text.len, &fresh);
	wt_buf_deinit(&text);
	if (id == WT_INTERN_NONE || place_schema(trace, id, provider) || note_known(file, provider, id)) {
		wt_fail_nomem(wtr_err());
		return NULL;
	}
	return trace->schemas[id];
}

void wtr_schemas_deinit(struct wtr_trace *trace)
{
	for (uint32_t i = 0; i < trace->schemas_cap; i++) {
		if (!trace->schemas[i])
			continue;
		wt_provider_destroy(trace->schemas[i]->provider);
		free(trace->schemas[i]->types);
		free(trace->schemas[i]);
	}
	free(trace->schemas);
	wt_strings_deinit(&trace->texts);
}

/* ---- what callers see ---- */

static const char *text_of(const char *text)
{
	return text ? text : "";
}

const char *wtr_type_provider(const struct wtr_type *type)
{
	return text_of(type->provider->name);
}

const char *wtr_type_name(const struct wtr_type *type)
{
	return text_of(type->event->name);
}

const char *wtr_type_help(const struct wtr_type *type)
{
	return text_of(type->event->help);
}

uint32_t wtr_type_id(const struct wtr_type *type)
{
	return type->event->id;
}

uint32_t wtr_type_version(const struct wtr_type *type)
{
	return type->event->version;
}

uint32_t wtr_type_level(const struct wtr_type *type)
{
	return type->event->level;
}

const char *wtr_type_level_name(const struct wtr_type *type)
{
	return wt_level_name(type->provider, type->event->level);
}

uint32_t wtr_type_opcode(const struct wtr_type *type)
{
	return type->event->opcode;
}

uint64_t wtr_type_keywords(const struct wtr_type *type)
{
	return type->event->keywords;
}

const uint8_t *wtr_type_guid(const struct wtr_type *type)
{
	return type->provider->guid;
}

uint32_t wtr_type_n_fields(const struct wtr_type *type)
{
	return type->event->n_fields;
}

int wtr_type_field(const struct wtr_type *type, const char *name)
{
	return wt_event_field(type->event, name);
}

static const struct wt_field *field_of(const struct wtr_type *type, uint32_t field)
{
	static const struct wt_field none;

	return field < type->event->n_fields ? &type->event->fields[field] : &none;
}

const char *wtr_field_name(const struct wtr_type *type, uint32_t field)
{
	return text_of(field_of(type, field)->name);
}

enum wtr_field_type wtr_field_type(const struct wtr_type *type, uint32_t field)
{
	return (enum wtr_field_type)field_of(type, field)->type;
}

_Static_assert((int)WTR_TYPE_U8 == (int)WT_TYPE_U8 && (int)WTR_TYPE_BOOL == (int)WT_TYPE_BOOL &&
		       (int)WTR_TYPE_SOCKADDR == (int)WT_TYPE_SOCKADDR,
	       "types have the numbers of the format");

const char *wtr_field_type_name(const struct wtr_type *type, uint32_t field)
{
	return field < type->event->n_fields ? wt_type_name(field_of(type, field)->type) : "";
}

int wtr_field_is_array(const struct wtr_type *type, uint32_t field)
{
	return field_of(type, field)->variable || field_of(type, field)->count > 1;
}

const char *wtr_field_unit(const struct wtr_type *type, uint32_t field)
{
	return text_of(field_of(type, field)->unit);
}

const char *wtr_field_help(const struct wtr_type *type, uint32_t field)
{
	return text_of(field_of(type, field)->help);
}

int wtr_field_radix(const struct wtr_type *type, uint32_t field)
{
	static const int radix[] = {[WT_RADIX_DEC] = 10, [WT_RADIX_HEX] = 16, [WT_RADIX_OCT] = 8};

	if (field >= type->event->n_fields)
		return 0;
	return field_of(type, field)->type == WT_TYPE_POINTER ? 16 : radix[field_of(type, field)->radix];
}

const char *wtr_field_map(const struct wtr_type *type, uint32_t field)
{
	const struct wt_valmap *map = field_of(type, field)->map;

	return map ? text_of(map->name) : "";
}

int wtr_field_is_bitmap(const struct wtr_type *type, uint32_t field)
{
	const struct wt_valmap *map = field_of(type, field)->map;

	return map && map->bitmap;
}

const char *wtr_field_value_name(const struct wtr_type *type, uint32_t field, uint64_t value)
{
	const struct wt_named *entry = wt_valmap_of_value(field_of(type, field)->map, value);

	return entry ? entry->name : NULL;
}
