// SPDX-License-Identifier: MIT
// Covers: tracecore/kernel_events.c
// Covers: tracecore/schema/decode.c
// Covers: tracecore/schema/format.c
// Covers: tracecore/base/foreign.c
/*
 * Any payload under any schema. The first bytes choose the fields (count, then type, radix and array form of
 * each), the rest is the payload. What decodes must take all bytes, lie inside them, and show as text without
 * control characters and as valid UTF-8. The kernel event readers get the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/kernel_events.h"
#include "tests/unit/tracecore/schema/payload.h"
#include "tests/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIELDS_MAX 8

static char entry_names[4][4] = {"a", "b\n", "\xff", "d"};
static struct wt_named entries[] = {{entry_names[0], 0, NULL},
				    {entry_names[1], 1, NULL},
				    {entry_names[2], 6, NULL},
				    {entry_names[3], UINT64_MAX, NULL}};
static const struct wt_valmap maps[] = {{.entries = entries, .n_entries = 4},
					{.entries = entries, .n_entries = 4, .bitmap = true}};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void choose_field(struct wt_field *field, uint8_t type, uint8_t shape)
{
	static const uint16_t counts[] = {1, 0, 2, 300};

	field->type = (enum wt_type)(type % (WT_TYPE_SOCKADDR + 2));
	field->radix = (enum wt_radix)(shape % 3);
	field->count = counts[shape >> 2 & 3];
	field->variable = shape >> 4 & 1;
	if ((shape & 0x20) && wt_type_is_integer(field->type))
		field->map = &maps[shape >> 6 & 1];
}

static void check_texts(const struct wt_value *value)
{
	struct wt_buf text = {0}, json = {0};

	wt_value_text(value, &text);
	wt_value_json(value, &json);
	require(!text.failed && !json.failed && json.len > 0);
	require(utf8_valid_len(text.data, text.len) == text.len);
	require(utf8_valid_len(json.data, json.len) == json.len);
	for (size_t i = 0; i < text.len; i++)
		require(text.data[i] >= 0x20 && text.data[i] != 0x7f);
	for (size_t i = 0; i < json.len; i++)
		require(json.data[i] >= 0x20);
	wt_buf_deinit(&text);
	wt_buf_deinit(&json);
}

static void check_schema(const struct wt_event_desc *event, const uint8_t *payload, size_t len)
{
	struct wt_value values[FIELDS_MAX];
	size_t used = 0;

	if (payload_decode(event, payload, len, values))
		return;
	for (uint32_t i = 0; i < event->n_fields; i++) {
		bool prefix = event->fields[i].variable || wt_type_is_counted(event->fields[i].type);

		require(values[i].bytes == payload + used + (prefix ? 2 : 0));
		used = (size_t)(values[i].bytes - payload) + values[i].len;
		check_texts(&values[i]);
	}
	require(used == len);
}

/* A record of an earlier version lacks the last fields: put writes them, and then get and put agree. */
static void check_earlier(const struct wt_buf *whole)
{
	struct wt_proc_payload proc;
	struct wt_buf again = {0};

	require(!wt_proc_get(whole->data, whole->len, &proc));
	wt_proc_put(&again, &proc);
	require(again.len == whole->len && !memcmp(again.data, whole->data, again.len));
	wt_buf_deinit(&again);
}

/* What get takes, put writes again: the same bytes, up to what a later version appended. */
static void check_kernel_events(const uint8_t *payload, size_t len)
{
	struct wt_proc_payload proc;
	struct wt_image_payload image;
	struct wt_lost_payload lost;
	struct wt_buf out = {0};

	if (!wt_proc_get(payload, len, &proc) && proc.command_line.len <= 4096) {
		wt_proc_put(&out, &proc);
		if (out.len > len)
			check_earlier(&out);
		else
			require(!memcmp(out.data, payload, out.len));
	}
	wt_buf_clear(&out);
	if (!wt_image_get(payload, len, &image)) {
		wt_image_put(&out, &image);
		require(out.len <= len && !memcmp(out.data, payload, out.len));
	}
	wt_buf_clear(&out);
	if (!wt_lost_get(payload, len, &lost)) {
		wt_lost_put(&out, &lost);
		require(out.len <= len && !memcmp(out.data, payload, out.len));
	}
	wt_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_field fields[FIELDS_MAX] = {0};
	struct wt_event_desc event = {.fields = fields};

	check_kernel_events(data, size);
	if (!size)
		return 0;
	event.n_fields = data[0] % (FIELDS_MAX + 1);
	if (size < 1 + 2 * (size_t)event.n_fields)
		return 0;
	for (uint32_t i = 0; i < event.n_fields; i++)
		choose_field(&fields[i], data[1 + 2 * i], data[2 + 2 * i]);
	check_schema(&event, data + 1 + 2 * event.n_fields, size - 1 - 2 * event.n_fields);
	return 0;
}
