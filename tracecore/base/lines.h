/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Memory that begins at a cache line of 64 bytes, made with calloc and free alone. In other people's
 * programs no other function of the C library's allocator may be called, because a program may have its own
 * calloc and free.
 */
#ifndef TRACECORE_BASE_LINES_H
#define TRACECORE_BASE_LINES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define WT_LINE 64u

/** Zeros; NULL: no memory. Freed by wt_lines_free. */
static inline void *wt_lines_calloc(size_t size)
{
	char *base = (char *)calloc(1, sizeof(void *) + WT_LINE + size), *at;

	if (!base)
		return NULL;
	at = base + sizeof(void *);
	at += -(uintptr_t)at % WT_LINE;
	((void **)(void *)at)[-1] = base;
	return at;
}

/** NULL is allowed. */
static inline void wt_lines_free(void *at)
{
	if (at)
		free(((void **)at)[-1]);
}

#endif
