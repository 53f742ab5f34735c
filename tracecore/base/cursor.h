/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The checked reader through which all foreign bytes go: files, perf records, ELF, sockets, ring contents.
 *
 * A cursor never reads outside [base, end). The first read that does not fit sets `bad`, and every later
 * read yields zeros and NULLs. So a parser may read a whole structure and test `bad` once. `pos` stays
 * where the failed read began, and wt_cur_offset() returns that place. The bytes must not change while a
 * cursor reads them: copy shared memory to private memory first.
 */
#ifndef TRACECORE_BASE_CURSOR_H
#define TRACECORE_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/bytes.h"

struct wt_cursor {
	const uint8_t *base;
	const uint8_t *pos;
	const uint8_t *end;
	bool bad;
};

static inline struct wt_cursor wt_cursor(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	return (struct wt_cursor){.base = p, .pos = p, .end = len ? p + len : p};
}

/** Bytes not yet read; 0 once bad. */
static inline size_t wt_cur_left(const struct wt_cursor *cur)
{
	return cur->bad ? 0 : (size_t)(cur->end - cur->pos);
}

/** The offset of the next read, counted from base. */
static inline size_t wt_cur_offset(const struct wt_cursor *cur)
{
	return (size_t)(cur->pos - cur->base);
}

/** Takes n bytes. NULL (and bad) when fewer are left. n == 0 gives a valid pointer. */
static inline const uint8_t *wt_cur_bytes(struct wt_cursor *cur, size_t n)
{
	const uint8_t *p = cur->pos;

	if (cur->bad || (size_t)(cur->end - cur->pos) < n) {
		cur->bad = true;
		return NULL;
	}
	cur->pos += n;
	return p;
}

static inline uint8_t wt_cur_u8(struct wt_cursor *cur)
{
	const uint8_t *p = wt_cur_bytes(cur, 1);
	return p ? *p : 0;
}

static inline uint16_t wt_cur_u16(struct wt_cursor *cur)
{
	const uint8_t *p = wt_cur_bytes(cur, 2);
	return p ? wt_load_u16(p) : 0;
}

static inline uint32_t wt_cur_u32(struct wt_cursor *cur)
{
	const uint8_t *p = wt_cur_bytes(cur, 4);
	return p ? wt_load_u32(p) : 0;
}

static inline uint64_t wt_cur_u64(struct wt_cursor *cur)
{
	const uint8_t *p = wt_cur_bytes(cur, 8);
	return p ? wt_load_u64(p) : 0;
}

/** Reads a LEB128 integer of at most WT_VARINT_MAX bytes. An encoding that does not fit 64 bits is bad. */
static inline uint64_t wt_cur_varint(struct wt_cursor *cur)
{
	const uint8_t *start = cur->pos;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		const uint8_t *p = wt_cur_bytes(cur, 1);

		if (!p)
			break;
		if (shift == 63 && *p > 1)
			break;
		v |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return v;
	}
	cur->bad = true;
	cur->pos = start;
	return 0;
}

/** Takes the next n bytes from cur and returns a cursor over them; an empty bad cursor when fewer are left.
 */
static inline struct wt_cursor wt_cur_sub(struct wt_cursor *cur, size_t n)
{
	const uint8_t *p = wt_cur_bytes(cur, n);
	struct wt_cursor sub = wt_cursor(p, p ? n : 0);

	sub.bad = !p;
	return sub;
}

#endif
