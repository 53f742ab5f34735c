// SPDX-License-Identifier: MIT
#include "tracecore/base/plain.h"

#include <string.h>

#include "tracecore/base/utf8.h"

/* Bytes of the character at p when it is one that may be shown, else 0. */
static unsigned shown(const uint8_t *p, size_t left)
{
	bool valid;
	unsigned n;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	n = wt_utf8_step(p, left, &valid);
	return valid && !(p[0] == 0xc2 && p[1] < 0xa0) ? n : 0;
}

static unsigned escape(uint8_t c, char ret[4])
{
	static const char digits[] = "0123456789abcdef";
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

void wt_plain(char *text, size_t size)
{
	size_t len = strlen(text), at = 0, n, width;
	char four[4];

	while (at < len) {
		n = shown((const uint8_t *)text + at, len - at);
		width = n ? n : escape((uint8_t)text[at], four);
		if (at + width >= size)
			break;
		if (!n) {
			/* The rest moves to where it goes on, as far as there is room for it. */
			size_t rest = len - at - 1, room = size - 1 - at - width;

			rest = rest < room ? rest : room;
			memmove(text + at + width, text + at + 1, rest);
			memcpy(text + at, four, width);
			len = at + width + rest;
		}
		at += width;
	}
	text[at] = 0;
}
