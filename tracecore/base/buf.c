// SPDX-License-Identifier: MIT
#include "tracecore/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/digits.h"

uint8_t *wt_buf_grow(struct wt_buf *buf, size_t n)
{
	size_t cap = buf->cap ? buf->cap : 64;
	uint8_t *data;

	if (n <= buf->cap - buf->len && buf->cap)
		return buf->data + buf->len;
	if (n > PTRDIFF_MAX - buf->len) {
		buf->failed = true;
		return NULL;
	}
	while (cap < buf->len + n)
		cap += cap / 2;
	data = realloc(buf->data, cap);
	if (!data) {
		buf->failed = true;
		return NULL;
	}
	buf->data = data;
	buf->cap = cap;
	return data + buf->len;
}

void wt_buf_puts(struct wt_buf *buf, const char *text)
{
	wt_buf_put(buf, text, strlen(text));
}

void wt_buf_put_dec(struct wt_buf *buf, uint64_t v)
{
	char digits[WT_DIGITS_MAX];

	wt_buf_put(buf, digits, wt_digits(digits, v, 10, 1));
}

void wt_buf_put_hex(struct wt_buf *buf, uint64_t v, size_t at_least)
{
	char digits[WT_DIGITS_MAX];

	wt_buf_put(buf, digits, wt_digits(digits, v, 16, at_least));
}

void wt_buf_vprintf(struct wt_buf *buf, const char *fmt, va_list ap)
{
	va_list again;
	uint8_t *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	p = wt_buf_reserve(buf, (size_t)n + 1);
	if (p) {
		vsnprintf((char *)p, (size_t)n + 1, fmt, ap);
		buf->len += (size_t)n;
	}
}

void wt_buf_printf(struct wt_buf *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wt_buf_vprintf(buf, fmt, ap);
	va_end(ap);
}

const char *wt_buf_cstr(struct wt_buf *buf)
{
	uint8_t *p = wt_buf_reserve(buf, 1);

	if (!p)
		return "";
	*p = 0;
	return (const char *)buf->data;
}

void wt_buf_deinit(struct wt_buf *buf)
{
	free(buf->data);
	*buf = (struct wt_buf){0};
}
