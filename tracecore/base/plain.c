// SPDX-License-Identifier: MIT
#include "tracecore/base/plain.h"

#include <string.h>

#include "tracecore/base/foreign.h"

#define MAX_ESCAPE 12

static const char digits[] = "0123456789abcdef";

static size_t escape_byte(uint8_t c, char *ret)
{
	static const char letters[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};

	ret[0] = '\\';
	if (c < sizeof(letters) && letters[c]) {
		ret[1] = letters[c];
		return 2;
	}
	ret[1] = 'x';
	ret[2] = digits[c >> 4];
	ret[3] = digits[c & 15];
	return 4;
}

static size_t escape_code(uint32_t code, char *ret)
{
	size_t len = 3;
	int shift = 28;

	memcpy(ret, "\\u{", 3);
	while (!(code >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		ret[len++] = digits[code >> shift & 15];
	ret[len++] = '}';
	return len;
}

/* Makes the escape for the first *taken bytes at p. 0: they stay unchanged. */
static size_t escape(const uint8_t *p, size_t left, size_t *taken, char ret[MAX_ESCAPE])
{
	enum wt_foreign what;
	uint32_t code;

	*taken = wt_foreign_step(p, left, &what, &code);
	if (what == WT_FOREIGN_SHOWN)
		return 0;
	if (what == WT_FOREIGN_UNSEEN)
		return escape_code(code, ret);
	*taken = 1;
	return escape_byte(p[0], ret);
}

void wt_plain(char *text, size_t size)
{
	size_t len = strlen(text), at = 0, taken, width, rest, room;
	char instead[MAX_ESCAPE];

	while (at < len) {
		bool whole = !(width = escape((const uint8_t *)text + at, len - at, &taken, instead));

		width = whole ? taken : width;
		if (at + width >= size)
			break;
		if (!whole) {
			/* Moves the rest to its new place, as far as there is room. */
			rest = len - at - taken;
			room = size - 1 - at - width;
			rest = rest < room ? rest : room;
			memmove(text + at + width, text + at + taken, rest);
			memcpy(text + at, instead, width);
			len = at + width + rest;
		}
		at += width;
	}
	text[at] = 0;
}
