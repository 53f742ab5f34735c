/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Memory for strings that are given back all at once: pointers stay valid until clear.
 *
 * A zeroed struct is a valid empty arena. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_ARENA_H
#define CONSUMERS_SYMBOLS_ARENA_H

#include <stddef.h>

struct wt_arena_chunk;

struct wt_arena {
	struct wt_arena_chunk *chunks; /**< owned; the newest first */
};

/** A copy of n bytes with a zero behind them; NULL when memory is out. */
const char *wt_arena_copy(struct wt_arena *arena, const void *bytes, size_t n);
/** Invalidates all copies; keeps one chunk for what comes next. */
void wt_arena_clear(struct wt_arena *arena);
void wt_arena_deinit(struct wt_arena *arena);

#endif
