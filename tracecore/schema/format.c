// SPDX-License-Identifier: MIT
/* Values of fields as text and as JSON. */
#include "tracecore/schema/decode.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tracecore/base/clock.h"

enum { DEVICE_MINOR_BITS = 20 /* of the kernel's own dev_t */ };

enum form { FORM_TEXT, FORM_JSON };

static void put_hex(struct wt_buf *out, uint64_t v)
{
	wt_buf_puts(out, "0x");
	wt_buf_put_hex(out, v, 1);
}

/* The value without the sign extension beyond its type's width. */
static uint64_t own_bits(const struct wt_value *value)
{
	unsigned width = wt_type_width(value->field->type);

	return width < 8 ? value->u & ((UINT64_C(1) << 8 * width) - 1) : value->u;
}

static void put_signed(struct wt_buf *out, const struct wt_value *value)
{
	bool negative = wt_type_is_signed(value->field->type) && (int64_t)value->u < 0;

	if (negative)
		wt_buf_put_u8(out, '-');
	wt_buf_put_dec(out, negative ? -value->u : value->u);
}

/* Map values may be written sign-extended (-1) or as the type's own bits (0xff). */
static const struct wt_named *map_entry(const struct wt_value *value)
{
	const struct wt_valmap *map = value->field->map;
	uint64_t bits = own_bits(value);

	for (uint32_t i = 0; i < map->n_entries; i++) {
		if (map->entries[i].value == value->u || map->entries[i].value == bits)
			return &map->entries[i];
	}
	return NULL;
}

static void put_words(struct wt_buf *out, const char *text, size_t len, enum form form)
{
	if (form == FORM_JSON)
		wt_json_string(out, text, len);
	else
		wt_text_escape(out, text, len);
}

/* Appends the names of the entries whose bits are all set and not yet named, then the unexplained bits as
 * hex. */
static void put_bitmap(struct wt_buf *out, const struct wt_value *value, enum form form)
{
	const struct wt_valmap *map = value->field->map;
	uint64_t bits = own_bits(value), left = bits;
	const char *between = "";

	for (uint32_t i = 0; i < map->n_entries; i++) {
		uint64_t mask = map->entries[i].value;

		if (mask ? (left & mask) != mask : bits != 0)
			continue;
		wt_buf_puts(out, between);
		put_words(out, map->entries[i].name, strlen(map->entries[i].name), form);
		between = form == FORM_JSON ? "," : "|";
		left &= ~mask;
	}
	if (!left && (*between || form == FORM_JSON))
		return;
	wt_buf_puts(out, between);
	wt_buf_puts(out, form == FORM_JSON ? "\"" : "");
	if (bits)
		put_hex(out, left);
	else
		wt_buf_put_dec(out, 0);
	wt_buf_puts(out, form == FORM_JSON ? "\"" : "");
}

/* True when the field has a map with an entry for the value. */
static bool put_mapped(struct wt_buf *out, const struct wt_value *value, enum form form)
{
	const struct wt_named *entry;

	if (!value->field->map)
		return false;
	if (value->field->map->bitmap) {
		wt_buf_puts(out, form == FORM_JSON ? "[" : "");
		put_bitmap(out, value, form);
		wt_buf_puts(out, form == FORM_JSON ? "]" : "");
		return true;
	}
	entry = map_entry(value);
	if (entry)
		put_words(out, entry->name, strlen(entry->name), form);
	return entry;
}

/* True for integers that look alike in both forms: decimal numbers and booleans. */
static void put_plain_integer(struct wt_buf *out, const struct wt_value *value)
{
	if (value->field->type == WT_TYPE_BOOL)
		wt_buf_puts(out, value->u ? "true" : "false");
	else
		put_signed(out, value);
}

/* Seconds with all nine decimals. */
static void put_time(struct wt_buf *out, uint64_t ns)
{
	char decimals[10] = ".000000000";

	wt_buf_put_dec(out, ns / WT_NSEC);
	ns %= WT_NSEC;
	for (size_t i = sizeof(decimals); ns; ns /= 10)
		decimals[--i] = (char)('0' + ns % 10);
	wt_buf_put(out, decimals, sizeof(decimals));
}

static bool is_device(const struct wt_field *field)
{
	return field->unit && field->type == WT_TYPE_U32 && !strcmp(field->unit, WT_UNIT_DEVICE);
}

static void text_integer(struct wt_buf *out, const struct wt_value *value)
{
	if (put_mapped(out, value, FORM_TEXT))
		return;
	if (value->field->type == WT_TYPE_TIME)
		put_time(out, value->u);
	else if (is_device(value->field))
		wt_buf_printf(out, "%llu:%llu", (unsigned long long)(value->u >> DEVICE_MINOR_BITS),
			      (unsigned long long)(value->u & ((1u << DEVICE_MINOR_BITS) - 1)));
	else if (value->field->type == WT_TYPE_POINTER || value->field->radix == WT_RADIX_HEX)
		put_hex(out, own_bits(value));
	else if (value->field->radix == WT_RADIX_OCT)
		wt_buf_printf(out, "0%llo", (unsigned long long)own_bits(value));
	else
		put_plain_integer(out, value);
}

/* The shortest decimal that reads back as the same number. */
static void put_float(struct wt_buf *out, const struct wt_value *value)
{
	bool single = value->field->type == WT_TYPE_F32;
	char text[40];

	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value->f);
		if (single ? strtof(text, NULL) == (float)value->f : strtod(text, NULL) == value->f)
			break;
	}
	wt_buf_puts(out, text);
}

static void put_float_as(struct wt_buf *out, const struct wt_value *value, enum form form)
{
	if (isfinite(value->f))
		put_float(out, value);
	else if (form == FORM_JSON)
		wt_buf_puts(out, "null");
	else
		wt_buf_puts(out, isnan(value->f) ? "nan" : value->f < 0 ? "-inf" : "inf");
}

static void put_hex_bytes(struct wt_buf *out, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char two[2] = {"0123456789abcdef"[p[i] >> 4], "0123456789abcdef"[p[i] & 15]};

		wt_buf_put(out, two, sizeof(two));
	}
}

void wt_uuid_text(const uint8_t bytes[16], struct wt_buf *out)
{
	static const uint8_t groups[] = {4, 2, 2, 2, 6};
	const uint8_t *p = bytes;

	for (size_t i = 0; i < sizeof(groups); p += groups[i++]) {
		wt_buf_puts(out, i ? "-" : "");
		put_hex_bytes(out, p, groups[i]);
	}
}

static void put_ip(struct wt_buf *out, int family, const uint8_t *p)
{
	char text[INET6_ADDRSTRLEN];

	wt_buf_puts(out, inet_ntop(family, p, text, sizeof(text)));
}

static uint16_t take_port(struct wt_cursor *cur)
{
	uint16_t high = wt_cur_u8(cur);

	return (uint16_t)(high << 8 | wt_cur_u8(cur));
}

static void put_inet(struct wt_buf *out, struct wt_cursor *cur)
{
	uint16_t port = take_port(cur);
	const uint8_t *address = wt_cur_bytes(cur, 4);

	if (!address)
		return;
	put_ip(out, AF_INET, address);
	wt_buf_printf(out, ":%u", port);
}

static void put_inet6(struct wt_buf *out, struct wt_cursor *cur)
{
	uint16_t port = take_port(cur);
	uint32_t flow = wt_cur_u32(cur);
	const uint8_t *address = wt_cur_bytes(cur, 16);
	uint32_t scope = wt_cur_left(cur) >= 4 ? wt_cur_u32(cur) : 0;

	(void)flow;
	if (!address)
		return;
	wt_buf_puts(out, "[");
	put_ip(out, AF_INET6, address);
	if (scope)
		wt_buf_printf(out, "%%%u", scope);
	wt_buf_printf(out, "]:%u", port);
}

/* An abstract name begins with a zero byte; a path ends at one. */
static void put_unix(struct wt_buf *out, struct wt_cursor *cur)
{
	size_t len = wt_cur_left(cur);
	const uint8_t *path = wt_cur_bytes(cur, len);

	wt_buf_puts(out, "unix:");
	if (len && !path[0]) {
		wt_buf_puts(out, "@");
		wt_buf_put(out, path + 1, len - 1);
	} else {
		wt_buf_put(out, path, strnlen((const char *)path, len));
	}
}

/* Appends raw bytes that the caller must escape: a socket's path may contain any byte. */
static void put_sockaddr(struct wt_buf *out, const struct wt_value *value)
{
	struct wt_cursor cur = wt_cursor(value->bytes, value->len);
	uint16_t family = wt_cur_u16(&cur);
	size_t start = out->len;

	if (!cur.bad && family == AF_INET)
		put_inet(out, &cur);
	else if (!cur.bad && family == AF_INET6)
		put_inet6(out, &cur);
	else if (!cur.bad && family == AF_UNIX)
		put_unix(out, &cur);
	if (out->len == start)
		put_hex_bytes(out, value->bytes, value->len);
}

static void put_sockaddr_as(struct wt_buf *out, const struct wt_value *value, enum form form)
{
	struct wt_buf raw = {0};

	put_sockaddr(&raw, value);
	put_words(out, (const char *)raw.data, raw.len, form);
	out->failed |= raw.failed;
	wt_buf_deinit(&raw);
}

/* True for types whose JSON is their text in quotes, without escapes. */
static void put_address(struct wt_buf *out, const struct wt_value *value)
{
	switch (value->field->type) {
	case WT_TYPE_UUID:
		wt_uuid_text(value->bytes, out);
		break;
	case WT_TYPE_IPV4:
		put_ip(out, AF_INET, value->bytes);
		break;
	case WT_TYPE_IPV6:
		put_ip(out, AF_INET6, value->bytes);
		break;
	default:
		put_hex_bytes(out, value->bytes, value->len);
		break;
	}
}

static void text_scalar(struct wt_buf *out, const struct wt_value *value)
{
	enum wt_type type = value->field->type;

	if (wt_type_is_integer(type))
		text_integer(out, value);
	else if (type == WT_TYPE_F32 || type == WT_TYPE_F64)
		put_float_as(out, value, FORM_TEXT);
	else if (type == WT_TYPE_STRING)
		(value->element ? wt_text_value : wt_text_escape)(out, value->bytes, value->len);
	else if (type == WT_TYPE_SOCKADDR)
		put_sockaddr_as(out, value, FORM_TEXT);
	else
		put_address(out, value);
}

static void json_scalar(struct wt_buf *out, const struct wt_value *value)
{
	enum wt_type type = value->field->type;

	if (wt_type_is_integer(type)) {
		if (!put_mapped(out, value, FORM_JSON))
			put_plain_integer(out, value);
	} else if (type == WT_TYPE_F32 || type == WT_TYPE_F64) {
		put_float_as(out, value, FORM_JSON);
	} else if (type == WT_TYPE_STRING) {
		wt_json_string(out, value->bytes, value->len);
	} else if (type == WT_TYPE_SOCKADDR) {
		put_sockaddr_as(out, value, FORM_JSON);
	} else {
		wt_buf_put_u8(out, '"');
		put_address(out, value);
		wt_buf_put_u8(out, '"');
	}
}

static void put_value(struct wt_buf *out, const struct wt_value *value, const char *between,
		      void (*scalar)(struct wt_buf *out, const struct wt_value *value))
{
	struct wt_value element;

	if (value->element || (!value->field->variable && value->field->count <= 1)) {
		scalar(out, value);
		return;
	}
	wt_buf_put_u8(out, '[');
	for (uint32_t i = 0; !wt_value_element(value, i, &element); i++) {
		wt_buf_puts(out, i ? between : "");
		scalar(out, &element);
	}
	wt_buf_put_u8(out, ']');
}

void wt_value_text(const struct wt_value *value, struct wt_buf *out)
{
	put_value(out, value, ", ", text_scalar);
}

void wt_value_json(const struct wt_value *value, struct wt_buf *out)
{
	put_value(out, value, ",", json_scalar);
}

bool wt_field_has_words(const struct wt_field *field)
{
	return wt_type_is_integer(field->type) && !field->variable && field->count <= 1 &&
	       (is_device(field) || field->map);
}
