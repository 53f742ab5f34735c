// SPDX-License-Identifier: MIT
#include "tracecore/base/json.h"

#include "tracecore/base/foreign.h"

void wt_json_key(struct wt_json *json, const char *key)
{
	if (json->more)
		wt_buf_put_u8(json->out, ',');
	if (key) {
		wt_json_string(json->out, key, strlen(key));
		wt_buf_put_u8(json->out, ':');
	}
	json->more = true;
}

static void begin(struct wt_json *json, const char *key, char bracket)
{
	wt_json_key(json, key);
	wt_buf_put_u8(json->out, (uint8_t)bracket);
	json->more = false;
}

static void end(struct wt_json *json, char bracket)
{
	wt_buf_put_u8(json->out, (uint8_t)bracket);
	json->more = true;
}

void wt_json_object(struct wt_json *json, const char *key)
{
	begin(json, key, '{');
}

void wt_json_end_object(struct wt_json *json)
{
	end(json, '}');
}

void wt_json_array(struct wt_json *json, const char *key)
{
	begin(json, key, '[');
}

void wt_json_end_array(struct wt_json *json)
{
	end(json, ']');
}

void wt_json_bytes(struct wt_json *json, const char *key, const void *bytes, size_t len)
{
	wt_json_key(json, key);
	wt_json_string(json->out, bytes, len);
}

void wt_json_text(struct wt_json *json, const char *key, const char *text)
{
	if (text)
		wt_json_bytes(json, key, text, strlen(text));
	else
		wt_json_null(json, key);
}

void wt_json_hex(struct wt_json *json, const char *key, const void *bytes, size_t len)
{
	wt_json_key(json, key);
	wt_buf_put_u8(json->out, '"');
	for (size_t i = 0; i < len; i++)
		wt_buf_put_hex(json->out, ((const uint8_t *)bytes)[i], 2);
	wt_buf_put_u8(json->out, '"');
}

void wt_json_uuid(struct wt_json *json, const char *key, const uint8_t bytes[16])
{
	wt_json_key(json, key);
	wt_buf_put_u8(json->out, '"');
	for (unsigned i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			wt_buf_put_u8(json->out, '-');
		wt_buf_put_hex(json->out, bytes[i], 2);
	}
	wt_buf_put_u8(json->out, '"');
}

void wt_json_mask(struct wt_json *json, const char *key, uint64_t mask)
{
	wt_json_key(json, key);
	wt_buf_puts(json->out, "\"0x");
	wt_buf_put_hex(json->out, mask, 1);
	wt_buf_put_u8(json->out, '"');
}

void wt_json_number(struct wt_json *json, const char *key, uint64_t number)
{
	wt_json_key(json, key);
	wt_buf_put_dec(json->out, number);
}

void wt_json_signed(struct wt_json *json, const char *key, int64_t number)
{
	wt_json_key(json, key);
	if (number < 0)
		wt_buf_put_u8(json->out, '-');
	wt_buf_put_dec(json->out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void wt_json_bool(struct wt_json *json, const char *key, bool value)
{
	wt_json_key(json, key);
	wt_buf_puts(json->out, value ? "true" : "false");
}

void wt_json_null(struct wt_json *json, const char *key)
{
	wt_json_key(json, key);
	wt_buf_puts(json->out, "null");
}

void wt_json_known(struct wt_json *json, const char *key, uint64_t number, uint64_t unknown)
{
	if (number == unknown)
		wt_json_null(json, key);
	else
		wt_json_number(json, key, number);
}

void wt_json_next_line(struct wt_json *json)
{
	wt_buf_puts(json->out, json->more ? ",\n " : "\n ");
	json->more = false;
}

void wt_json_end_lines(struct wt_json *json)
{
	wt_buf_put_u8(json->out, '\n');
	wt_json_end_array(json);
}

void wt_json_end_document(struct wt_json *json)
{
	wt_json_end_object(json);
	wt_buf_put_u8(json->out, '\n');
}
