// SPDX-License-Identifier: MIT
/* A provider as canonical manifest JSON. */
#include "tracecore/schema/schema.h"

#include <string.h>

#include "tracecore/schema/decode.h"

/* Above this, JSON readers that hold numbers as doubles would change them. */
#define EXACT_IN_DOUBLE (UINT64_C(1) << 53)

static void comma(struct wt_buf *out, uint32_t i)
{
	if (i)
		wt_buf_puts(out, ",");
}

static void text(struct wt_buf *out, const char *key, const char *value)
{
	if (!value)
		return;
	wt_buf_printf(out, ",\"%s\":", key);
	wt_json_string(out, value, strlen(value));
}

/* The first member of an object. */
static void name(struct wt_buf *out, const char *value)
{
	wt_buf_puts(out, "{\"name\":");
	wt_json_string(out, value, strlen(value));
}

static void number(struct wt_buf *out, const char *key, uint64_t value)
{
	if (value > EXACT_IN_DOUBLE)
		wt_buf_printf(out, ",\"%s\":\"0x%llx\"", key, (unsigned long long)value);
	else
		wt_buf_printf(out, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void mask(struct wt_buf *out, const char *key, uint64_t value)
{
	wt_buf_printf(out, ",\"%s\":\"0x%llx\"", key, (unsigned long long)value);
}

static void named_list(struct wt_buf *out, const char *key, const struct wt_named *rows, uint32_t n,
		       void (*value)(struct wt_buf *out, const char *key, uint64_t value),
		       const char *value_key)
{
	if (!n)
		return;
	wt_buf_printf(out, ",\"%s\":[", key);
	for (uint32_t i = 0; i < n; i++) {
		comma(out, i);
		name(out, rows[i].name);
		value(out, value_key, rows[i].value);
		text(out, "help", rows[i].help);
		wt_buf_puts(out, "}");
	}
	wt_buf_puts(out, "]");
}

static void maps(struct wt_buf *out, const struct wt_provider *provider)
{
	if (!provider->n_maps)
		return;
	wt_buf_puts(out, ",\"maps\":[");
	for (uint32_t i = 0; i < provider->n_maps; i++) {
		const struct wt_valmap *map = &provider->maps[i];

		comma(out, i);
		name(out, map->name);
		text(out, "kind", map->bitmap ? "bitmap" : "value");
		named_list(out, "entries", map->entries, map->n_entries, number, "value");
		wt_buf_puts(out, "}");
	}
	wt_buf_puts(out, "]");
}

static void field(struct wt_buf *out, const struct wt_field *f)
{
	static const char *const formats[] = {
		[WT_RADIX_DEC] = NULL, [WT_RADIX_HEX] = "hex", [WT_RADIX_OCT] = "oct"};

	name(out, f->name);
	text(out, "type", wt_type_name(f->type));
	text(out, "map", f->map ? f->map->name : NULL);
	text(out, "format", formats[f->radix]);
	if (f->variable)
		text(out, "count", "variable");
	else if (f->count > 1)
		number(out, "count", f->count);
	text(out, "unit", f->unit);
	text(out, "help", f->help);
	wt_buf_puts(out, "}");
}

static void event(struct wt_buf *out, const struct wt_event_desc *e)
{
	name(out, e->name);
	number(out, "id", e->id);
	number(out, "version", e->version);
	number(out, "level", e->level);
	number(out, "task", e->task);
	number(out, "opcode", e->opcode);
	if (e->keywords)
		wt_buf_printf(out, ",\"keywords\":[\"0x%llx\"]", (unsigned long long)e->keywords);
	text(out, "help", e->help);
	text(out, "message", e->message);
	wt_buf_puts(out, ",\"fields\":[");
	for (uint32_t i = 0; i < e->n_fields; i++) {
		comma(out, i);
		field(out, &e->fields[i]);
	}
	wt_buf_puts(out, "]}");
}

static void guid(struct wt_buf *out, const uint8_t bytes[16])
{
	wt_buf_puts(out, ",\"guid\":\"");
	for (unsigned i = 0; i < 16; i++)
		wt_buf_printf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
	wt_buf_puts(out, "\"");
}

static void provider_text(struct wt_buf *out, const struct wt_provider *provider)
{
	wt_buf_puts(out, "{\"wtrace_manifest\":1");
	text(out, "provider", provider->name);
	guid(out, provider->guid);
	text(out, "help", provider->help);
	named_list(out, "keywords", provider->keywords, provider->n_keywords, mask, "mask");
	named_list(out, "levels", provider->levels, provider->n_levels, number, "value");
	named_list(out, "tasks", provider->tasks, provider->n_tasks, number, "value");
	named_list(out, "opcodes", provider->opcodes, provider->n_opcodes, number, "value");
	maps(out, provider);
	wt_buf_puts(out, ",\"events\":[");
	for (uint32_t i = 0; i < provider->n_events; i++) {
		comma(out, i);
		event(out, &provider->events[i]);
	}
	wt_buf_puts(out, "]}");
}

/* A provider built in code may break the language's rules; then no reader could parse what we write. */
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
