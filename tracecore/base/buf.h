/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A growing byte buffer, the writing counterpart of the cursor.
 *
 * A failed allocation sets `failed`, drops the bytes being added and keeps the earlier content. Test
 * `failed` once at the end. A zeroed struct is a valid empty buffer. Not thread safe, not signal safe.
 */
#ifndef TRACECORE_BASE_BUF_H
#define TRACECORE_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracecore/base/bytes.h"

struct wt_buf {
	uint8_t *data; /**< owned; NULL while cap is 0 */
	size_t len;    /**< bytes in use */
	size_t cap;    /**< bytes allocated */
	bool failed;   /**< an allocation failed since the last wt_buf_clear */
};

/** Makes room for n more bytes, not yet counted in len. NULL: no memory. */
uint8_t *wt_buf_grow(struct wt_buf *buf, size_t n);
/** As wt_buf_grow, without a call when there is room already. */
static inline uint8_t *wt_buf_reserve(struct wt_buf *buf, size_t n)
{
	return buf->cap && n <= buf->cap - buf->len ? buf->data + buf->len : wt_buf_grow(buf, n);
}

static inline void wt_buf_put(struct wt_buf *buf, const void *bytes, size_t n)
{
	uint8_t *p = n ? wt_buf_reserve(buf, n) : NULL;

	if (p) {
		memcpy(p, bytes, n);
		buf->len += n;
	}
}

/** Appends formatted text without a terminating zero. */
void wt_buf_printf(struct wt_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wt_buf_vprintf(struct wt_buf *buf, const char *fmt, va_list ap);
/** Appends a C string without its zero. */
void wt_buf_puts(struct wt_buf *buf, const char *text);
/** Appends a number in decimal, or in lower-case hexadecimal with at least `at_least` digits (at most 20). */
void wt_buf_put_dec(struct wt_buf *buf, uint64_t v);
void wt_buf_put_hex(struct wt_buf *buf, uint64_t v, size_t at_least);
/** The content as a C string: appends a zero that is not counted in len. Never NULL. */
const char *wt_buf_cstr(struct wt_buf *buf);
void wt_buf_deinit(struct wt_buf *buf);

/** Empties the buffer, keeps its memory. */
static inline void wt_buf_clear(struct wt_buf *buf)
{
	buf->len = 0;
	buf->failed = false;
}

static inline void wt_buf_put_u8(struct wt_buf *buf, uint8_t v)
{
	uint8_t *p = wt_buf_reserve(buf, 1);
	if (p) {
		*p = v;
		buf->len += 1;
	}
}

static inline void wt_buf_put_u16(struct wt_buf *buf, uint16_t v)
{
	uint8_t *p = wt_buf_reserve(buf, 2);
	if (p) {
		wt_store_u16(p, v);
		buf->len += 2;
	}
}

static inline void wt_buf_put_u32(struct wt_buf *buf, uint32_t v)
{
	uint8_t *p = wt_buf_reserve(buf, 4);
	if (p) {
		wt_store_u32(p, v);
		buf->len += 4;
	}
}

static inline void wt_buf_put_u64(struct wt_buf *buf, uint64_t v)
{
	uint8_t *p = wt_buf_reserve(buf, 8);
	if (p) {
		wt_store_u64(p, v);
		buf->len += 8;
	}
}

/** Appends a counted string or blob in the form used in records: u16 length, then the bytes; cut at 65,535
 * bytes. */
static inline void wt_buf_put_counted(struct wt_buf *buf, const void *bytes, size_t n)
{
	uint16_t len = n > UINT16_MAX ? UINT16_MAX : (uint16_t)n;

	wt_buf_put_u16(buf, len);
	wt_buf_put(buf, bytes, len);
}

#endif
