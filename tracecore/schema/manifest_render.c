// SPDX-License-Identifier: MIT
/* A provider as canonical manifest JSON. */
#include "tracecore/schema/schema.h"

#include "tracecore/base/json.h"
#include "tracecore/schema/decode.h"

/* JSON readers that use doubles for numbers would change larger ones. */
#define EXACT_IN_DOUBLE (UINT64_C(1) << 53)

static void text(struct wt_json *json, const char *key, const char *value)
{
	if (value)
		wt_json_text(json, key, value);
}

static void number(struct wt_json *json, const char *key, uint64_t value)
{
	(value > EXACT_IN_DOUBLE ? wt_json_mask : wt_json_number)(json, key, value);
}

static void named_list(struct wt_json *json, const char *key, const struct wt_named *rows, uint32_t n,
		       void (*value)(struct wt_json *json, const char *key, uint64_t value),
		       const char *value_key)
{
	if (!n)
		return;
	wt_json_array(json, key);
	for (uint32_t i = 0; i < n; i++) {
		wt_json_object(json, NULL);
		wt_json_text(json, "name", rows[i].name);
		value(json, value_key, rows[i].value);
		text(json, "help", rows[i].help);
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void maps(struct wt_json *json, const struct wt_provider *provider)
{
	if (!provider->n_maps)
		return;
	wt_json_array(json, "maps");
	for (uint32_t i = 0; i < provider->n_maps; i++) {
		const struct wt_valmap *map = &provider->maps[i];

		wt_json_object(json, NULL);
		wt_json_text(json, "name", map->name);
		wt_json_text(json, "kind", map->bitmap ? "bitmap" : "value");
		named_list(json, "entries", map->entries, map->n_entries, number, "value");
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void field(struct wt_json *json, const struct wt_field *f)
{
	static const char *const formats[] = {
		[WT_RADIX_DEC] = NULL, [WT_RADIX_HEX] = "hex", [WT_RADIX_OCT] = "oct"};

	wt_json_object(json, NULL);
	wt_json_text(json, "name", f->name);
	wt_json_text(json, "type", wt_type_name(f->type));
	text(json, "map", f->map ? f->map->name : NULL);
	text(json, "format", formats[f->radix]);
	if (f->variable)
		wt_json_text(json, "count", "variable");
	else if (f->count > 1)
		wt_json_number(json, "count", f->count);
	text(json, "unit", f->unit);
	text(json, "help", f->help);
	wt_json_end_object(json);
}

static void event(struct wt_json *json, const struct wt_event_desc *e)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "name", e->name);
	wt_json_number(json, "id", e->id);
	wt_json_number(json, "version", e->version);
	wt_json_number(json, "level", e->level);
	wt_json_number(json, "task", e->task);
	wt_json_number(json, "opcode", e->opcode);
	if (e->keywords) {
		wt_json_array(json, "keywords");
		wt_json_mask(json, NULL, e->keywords);
		wt_json_end_array(json);
	}
	text(json, "help", e->help);
	text(json, "message", e->message);
	wt_json_array(json, "fields");
	for (uint32_t i = 0; i < e->n_fields; i++)
		field(json, &e->fields[i]);
	wt_json_end_array(json);
	wt_json_end_object(json);
}

static void provider_text(struct wt_buf *out, const struct wt_provider *provider)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_number(&json, "wtrace_manifest", 1);
	wt_json_text(&json, "provider", provider->name);
	wt_json_uuid(&json, "guid", provider->guid);
	text(&json, "help", provider->help);
	named_list(&json, "keywords", provider->keywords, provider->n_keywords, wt_json_mask, "mask");
	named_list(&json, "levels", provider->levels, provider->n_levels, number, "value");
	named_list(&json, "tasks", provider->tasks, provider->n_tasks, number, "value");
	named_list(&json, "opcodes", provider->opcodes, provider->n_opcodes, number, "value");
	maps(&json, provider);
	wt_json_array(&json, "events");
	for (uint32_t i = 0; i < provider->n_events; i++)
		event(&json, &provider->events[i]);
	wt_json_end_array(&json);
	wt_json_end_object(&json);
}

/* A provider built in code may break the language's rules; then no reader could parse the text. */
static int check_readable(const uint8_t *json, size_t len, struct wt_err *err)
{
	struct wt_provider *again;

	if (wt_manifest_parse((const char *)json, len, "schema", &again, err))
		return -1;
	wt_provider_destroy(again);
	return 0;
}

int wt_manifest_render(const struct wt_provider *provider, struct wt_buf *out, struct wt_err *err)
{
	size_t start = out->len;

	provider_text(out, provider);
	if (out->failed)
		wt_fail_nomem(err);
	else if (!check_readable(out->data + start, out->len - start, err))
		return 0;
	out->len = start;
	return wt_fail_prefix(err, "provider '%s' cannot be written as a manifest", provider->name);
}
