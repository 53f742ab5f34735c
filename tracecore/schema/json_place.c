// SPDX-License-Identifier: MIT
#include "tracecore/schema/json_place.h"

#include <string.h>

#include "tracecore/base/cursor.h"

#define KEYS_MAX 32

struct span {
	const char *p;
	size_t len;
};

/* The byte at the cursor, 0 at the end. */
static uint8_t look(const struct wt_cursor *cur)
{
	return wt_cur_left(cur) ? *cur->pos : 0;
}

static void skip_space(struct wt_cursor *cur)
{
	while (look(cur) == ' ' || look(cur) == '\t' || look(cur) == '\n' || look(cur) == '\r')
		wt_cur_u8(cur);
}

/* Takes a string with its quotes. ret is the text between them, with its escapes. */
static struct span take_string(struct wt_cursor *cur)
{
	struct span ret = {.p = (const char *)cur->pos + 1};
	const uint8_t *start = cur->pos;

	wt_cur_u8(cur);
	while (wt_cur_left(cur) && look(cur) != '"') {
		if (wt_cur_u8(cur) == '\\')
			wt_cur_u8(cur);
	}
	if (cur->bad || !wt_cur_left(cur))
		return (struct span){(const char *)start, 0};
	ret.len = (size_t)(cur->pos - start) - 1;
	wt_cur_u8(cur);
	return ret;
}

/* Takes one byte, or a whole string. Returns the byte (the opening quote). */
static uint8_t take_token(struct wt_cursor *cur)
{
	uint8_t c = look(cur);

	if (c == '"')
		take_string(cur);
	else
		wt_cur_u8(cur);
	return c;
}

static void skip_value(struct wt_cursor *cur)
{
	size_t depth = 0;

	while (wt_cur_left(cur)) {
		uint8_t c = look(cur);

		if (!depth && (c == ',' || c == ']' || c == '}'))
			return;
		take_token(cur);
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
	}
}

/* Called after '{' or ',': takes a key and its colon, and stops at the value. False at the object's end. */
static bool next_member(struct wt_cursor *cur, struct span *key, size_t *offset)
{
	skip_space(cur);
	*offset = wt_cur_offset(cur);
	if (look(cur) != '"')
		return false;
	*key = take_string(cur);
	skip_space(cur);
	if (look(cur) != ':')
		return false;
	wt_cur_u8(cur);
	skip_space(cur);
	return true;
}

size_t wt_json_line(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

size_t wt_json_members(const char *text, size_t len)
{
	struct wt_cursor cur = wt_cursor(text, len);
	size_t n = 0;

	while (wt_cur_left(&cur))
		n += take_token(&cur) == ':';
	return n;
}

/* cur stands at '{'. */
static bool object_twice(struct wt_cursor cur, size_t *offset)
{
	struct span keys[KEYS_MAX];
	size_t n = 0;

	wt_cur_u8(&cur);
	while (n < KEYS_MAX && next_member(&cur, &keys[n], offset)) {
		for (size_t i = 0; i < n; i++) {
			if (keys[i].len == keys[n].len && !memcmp(keys[i].p, keys[n].p, keys[n].len))
				return true;
		}
		n++;
		skip_value(&cur);
		if (wt_cur_u8(&cur) != ',')
			return false;
	}
	return false;
}

bool wt_json_twice(const char *text, size_t len, size_t *offset)
{
	struct wt_cursor cur = wt_cursor(text, len);

	while (wt_cur_left(&cur)) {
		if (look(&cur) == '{' && object_twice(cur, offset))
			return true;
		take_token(&cur);
	}
	return false;
}
