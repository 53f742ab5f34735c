/* SPDX-License-Identifier: MIT */
/** @file Counted text that points into bytes with another owner. */
#ifndef TRACECORE_BASE_STR_H
#define TRACECORE_BASE_STR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wt_str {
	const char *p; /**< not zero-ended */
	uint32_t len;  /**< bytes */
};

/** The text of a C string, without its zero; empty for NULL. */
static inline struct wt_str wt_str(const char *text)
{
	return text ? (struct wt_str){text, (uint32_t)strlen(text)} : (struct wt_str){"", 0};
}

/** A text of these bytes; empty for NULL, whatever len is. */
static inline struct wt_str wt_str_of(const void *bytes, size_t len)
{
	return bytes ? (struct wt_str){(const char *)bytes, (uint32_t)len} : (struct wt_str){"", 0};
}

#endif
