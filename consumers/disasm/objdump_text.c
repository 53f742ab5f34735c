/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "consumers/disasm/back.h"

/* The most characters of an address in hexadecimal, and of an instruction's text. */
enum { HEX_MOST = 16, TEXT_MOST = 512 };

static int digit(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "  401000:\tTEXT" */
static bool read_line(struct wt_cursor line, uint64_t *address, struct wt_cursor *text)
{
	int n = 0;

	while (wt_cur_left(&line) && *line.pos == ' ')
		wt_cur_u8(&line);
	for (*address = 0; wt_cur_left(&line) && digit(*line.pos) >= 0 && n < HEX_MOST; n++)
		*address = *address << 4 | (uint64_t)digit(wt_cur_u8(&line));
	if (!n || wt_cur_left(&line) < 2 || wt_cur_u8(&line) != ':' || wt_cur_u8(&line) != '\t')
		return false;
	*text = line;
	return true;
}

static struct wt_cursor next_line(struct wt_cursor *text)
{
	const uint8_t *end = memchr(text->pos, '\n', wt_cur_left(text));
	size_t len = end ? (size_t)(end - text->pos) : wt_cur_left(text);
	struct wt_cursor line = wt_cursor(text->pos, len);

	wt_cur_bytes(text, len + (end != NULL));
	return line;
}

int wt_objdump_text_read(struct wt_cursor text, uint64_t address, uint32_t n, struct wt_disasm_text *ret,
			 struct wt_err *err)
{
	uint64_t at;

	while (wt_cur_left(&text)) {
		struct wt_cursor words;
		size_t len;

		if (!read_line(next_line(&text), &at, &words) || at - address >= n)
			continue;
		if (ret->n ? at <= ret->lines[ret->n - 1].address : at != address)
			continue;
		if (ret->n)
			ret->lines[ret->n - 1].size = (uint32_t)(at - ret->lines[ret->n - 1].address);
		len = wt_cur_left(&words) < TEXT_MOST ? wt_cur_left(&words) : TEXT_MOST;
		if (wt_disasm_put(ret, at, 0, (const char *)words.pos, len, err))
			return -1;
	}
	if (!ret->n)
		return wt_fail(err, WT_ERR_FORMAT, "objdump printed no instruction at 0x%llx",
			       (unsigned long long)address);
	ret->lines[ret->n - 1].size = n - (uint32_t)(ret->lines[ret->n - 1].address - address);
	return 0;
}
