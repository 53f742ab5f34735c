// SPDX-License-Identifier: MIT
#include "consumers/export/ctf_metadata.h"

#include <string.h>

#include "tracecore/schema/decode.h"

/* Writes a string in the metadata's language, with C's escapes for bytes that need them. */
static void put_quoted(struct wt_buf *out, const char *text)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + strlen(text);
	enum wt_foreign what;
	uint32_t code;
	unsigned n;

	wt_buf_puts(out, "\"");
	for (; p < end; p += n) {
		n = wt_foreign_step(p, (size_t)(end - p), &what, &code);
		if (what != WT_FOREIGN_SHOWN)
			for (unsigned i = 0; i < n; i++)
				wt_buf_printf(out, "\\%03o", p[i]);
		else if (*p == '"' || *p == '\\')
			wt_buf_printf(out, "\\%c", *p);
		else
			wt_buf_put(out, p, n);
	}
	wt_buf_puts(out, "\"");
}

static const char types[] =
	"typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	"typealias integer { size = 8; align = 8; signed = true; } := i8;\n"
	"typealias integer { size = 16; align = 8; signed = true; } := i16;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
	"typealias integer { size = 64; align = 8; signed = true; } := i64;\n"
	"typealias integer { size = 8; align = 8; signed = false; base = 16; } := x8;\n"
	"typealias integer { size = 16; align = 8; signed = false; base = 16; } := x16;\n"
	"typealias integer { size = 32; align = 8; signed = false; base = 16; } := x32;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;\n"
	"typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := f32;\n"
	"typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;\n\n";

static const char stream[] =
	"typealias integer { size = 64; align = 8; signed = false; map = clock.session.value; } := stamp;\n\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tpacket.context := struct {\n"
	"\t\tstamp timestamp_begin;\n"
	"\t\tstamp timestamp_end;\n"
	"\t\tu64 content_size;\n"
	"\t\tu64 packet_size;\n"
	"\t\tu32 cpu_id;\n"
	"\t};\n"
	"\tevent.header := struct {\n"
	"\t\tu32 id;\n"
	"\t\tstamp timestamp;\n"
	"\t};\n"
	"\tevent.context := struct {\n"
	"\t\ti32 _pid;\n"
	"\t\ti32 _tid;\n"
	"\t\tstring _process;\n"
	"\t\tstring _thread;\n"
	"\t\tu8 _self;\n"
	"\t\tu8 __activity_length;\n"
	"\t\tx8 _activity[__activity_length];\n"
	"\t\tu8 __related_length;\n"
	"\t\tx8 _related[__related_length];\n"
	"\t\tstring _stack_status;\n"
	"\t\tu16 __stack_length;\n"
	"\t\tstring _stack[__stack_length];\n"
	"\t};\n"
	"};\n\n";

void wt_ctf_put_head(struct wt_buf *out, const struct wt_log_info *info, const char *host)
{
	uint64_t offset = info->clock.realtime - info->clock.raw;
	struct wt_buf uuid = {0};

	wt_uuid_text(info->session_id, &uuid);
	wt_buf_puts(out, "/* CTF 1.8 */\n\n");
	wt_buf_puts(out, types);
	wt_buf_printf(
		out,
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = le;\n"
		"\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu8 uuid[16];\n\t\tu32 stream_id;\n\t};\n"
		"};\n\n",
		wt_buf_cstr(&uuid));
	wt_buf_puts(out, "env {\n\tdomain = \"ust\";\n\ttracer_name = \"wtrace\";\n\thostname = ");
	put_quoted(out, host);
	wt_buf_printf(out,
		      ";\n};\n\nclock {\n\tname = \"session\";\n\tdescription = \"CLOCK_MONOTONIC_RAW\";\n"
		      "\tfreq = 1000000000;\n\toffset_s = %llu;\n\toffset = %llu;\n};\n\n",
		      (unsigned long long)(offset / WT_NSEC), (unsigned long long)(offset % WT_NSEC));
	wt_buf_puts(out, stream);
	wt_buf_deinit(&uuid);
}

static bool is_enumeration(const struct wt_field *field)
{
	return field->map && !field->map->bitmap && field->map->n_entries;
}

static void put_enumeration(struct wt_buf *out, const struct wt_field *field)
{
	bool is_signed = wt_type_is_signed(field->type);

	wt_buf_printf(out, "enum : %c%u { ", is_signed ? 'i' : 'u', 8 * wt_type_width(field->type));
	for (uint32_t i = 0; i < field->map->n_entries; i++) {
		const struct wt_named *entry = &field->map->entries[i];

		wt_buf_puts(out, i ? ", " : "");
		put_quoted(out, entry->name);
		if (is_signed)
			wt_buf_printf(out, " = %lld", (long long)entry->value);
		else
			wt_buf_printf(out, " = %llu", (unsigned long long)entry->value);
	}
	wt_buf_puts(out, " }");
}

static void put_integer(struct wt_buf *out, const struct wt_field *field)
{
	bool hex = field->type == WT_TYPE_POINTER || field->radix == WT_RADIX_HEX || field->map;
	char letter = wt_type_is_signed(field->type) ? 'i' : hex ? 'x' : 'u';

	wt_buf_printf(out, "%c%u", letter, 8 * wt_type_width(field->type));
}

/* Writes the type of one element. Its name follows, and then the text of `put_extent`. */
static void put_type(struct wt_buf *out, const struct wt_field *field, bool in_array)
{
	if (is_enumeration(field))
		put_enumeration(out, field);
	else if (wt_type_is_integer(field->type))
		put_integer(out, field);
	else if (field->type == WT_TYPE_F32 || field->type == WT_TYPE_F64)
		wt_buf_puts(out, field->type == WT_TYPE_F32 ? "f32" : "f64");
	else if (field->type == WT_TYPE_STRING)
		wt_buf_puts(out, "string");
	else if (!in_array)
		wt_buf_puts(out, "x8");
	else if (wt_type_is_counted(field->type))
		wt_buf_puts(out, "struct { u16 _length; x8 _bytes[_length]; }");
	else
		wt_buf_printf(out, "struct { x8 _bytes[%u]; }", wt_type_width(field->type));
}

/* Whether bytes are one value that is neither a number nor a string. */
static bool is_bytes(const struct wt_field *field)
{
	return !wt_type_is_integer(field->type) && field->type != WT_TYPE_F32 && field->type != WT_TYPE_F64 &&
	       field->type != WT_TYPE_STRING;
}

static void put_field(struct wt_buf *out, const struct wt_field *field)
{
	bool array = field->variable || field->count != 1, bytes = is_bytes(field);
	bool counted = field->variable || (!array && bytes && wt_type_is_counted(field->type));

	if (counted)
		wt_buf_printf(out, "\t\tu16 __%s_length;\n", field->name);
	wt_buf_puts(out, "\t\t");
	put_type(out, field, array);
	wt_buf_printf(out, " _%s", field->name);
	if (counted)
		wt_buf_printf(out, "[__%s_length]", field->name);
	else if (array)
		wt_buf_printf(out, "[%u]", field->count);
	else if (bytes)
		wt_buf_printf(out, "[%u]", wt_type_width(field->type));
	wt_buf_puts(out, ";\n");
}

/* LTTng's numbers, which readers know by name: critical, error, warning, info, debug. */
static int loglevel(uint8_t level)
{
	static const int8_t numbers[] = {-1, 2, 3, 4, 6, 14};

	return level < sizeof(numbers) ? numbers[level] : -1;
}

void wt_ctf_put_event(struct wt_buf *out, uint32_t number, const struct wt_provider *provider,
		      const struct wt_event_desc *event)
{
	struct wt_buf name = {0};

	wt_buf_printf(&name, "%s:%s", provider->name, event->name);
	wt_buf_puts(out, "event {\n\tname = ");
	put_quoted(out, wt_buf_cstr(&name));
	wt_buf_printf(out, ";\n\tid = %u;\n\tstream_id = 0;\n", number);
	if (loglevel(event->level) >= 0)
		wt_buf_printf(out, "\tloglevel = %d;\n", loglevel(event->level));
	wt_buf_puts(out, "\tfields := struct {\n");
	for (uint32_t i = 0; i < event->n_fields; i++)
		put_field(out, &event->fields[i]);
	wt_buf_puts(out, "\t};\n};\n\n");
	if (name.failed)
		out->failed = true;
	wt_buf_deinit(&name);
}
