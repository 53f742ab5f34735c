/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Room in arrays that grow. They double, so that adding n items costs O(n); sizes are checked for overflow.
 *
 * All macros return 0, or -1 with WT_ERR_NOMEM in *err (which may be NULL) and the array unchanged. The
 * content of new room is undefined. A zeroed array (NULL, capacity 0) is a valid empty one; the owner frees
 * it with free().
 */
#ifndef TRACECORE_BASE_GROW_H
#define TRACECORE_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracecore/base/err.h"

/**
 * Makes room for `more` items after the first n.
 * @param array address of the pointer to the items
 * @param cap   address of the number of items there is room for: an unsigned number of any width, which also
 *              bounds the array
 *
 * Arrays that share a capacity grow one after the other, each from a copy of it. Equal numbers give equal
 * capacities, whatever the size of an item.
 */
#define wt_grow(array, cap, n, more, err)                                                              \
	(wt_grow_fits(*(cap), (n), (more)) ? 0 : __extension__({                                       \
		size_t wt_grow_cap_ = *(cap);                                                          \
		void *wt_grow_p_ = wt_grow_to(*(array), &wt_grow_cap_, (n), (more), sizeof(**(array)), \
					      (__typeof__(*(cap)))-1, (err));                          \
		if (wt_grow_p_) {                                                                      \
			*(array) = wt_grow_p_;                                                         \
			*(cap) = (__typeof__(*(cap)))wt_grow_cap_;                                     \
		}                                                                                      \
		wt_grow_p_ ? 0 : -1;                                                                   \
	}))

/** As wt_grow, with `byte` in every byte of the new room. */
#define wt_grow_filled(array, cap, n, more, byte, err)                                                      \
	__extension__({                                                                                     \
		size_t wt_grow_was_ = *(cap);                                                               \
		int wt_grow_rc_ = wt_grow(array, cap, n, more, err);                                        \
		if (*(cap) > wt_grow_was_)                                                                  \
			memset(*(array) + wt_grow_was_, (byte), (*(cap)-wt_grow_was_) * sizeof(**(array))); \
		wt_grow_rc_;                                                                                \
	})

/** Makes room for one item after the first n of an array whose capacity is not stored: the capacity is the
 * power of two that holds n. All its items must have been added by this macro. */
#define wt_grow_one(array, n, err)                                                                   \
	((n) & ((n)-1) ? 0 : __extension__({                                                         \
		size_t wt_grow_cap_ = 0;                                                             \
		void *wt_grow_p_ = wt_grow_to(*(array), &wt_grow_cap_, 0, (n) ? 2 * (size_t)(n) : 1, \
					      sizeof(**(array)), SIZE_MAX, (err));                   \
		if (wt_grow_p_)                                                                      \
			*(array) = wt_grow_p_;                                                       \
		wt_grow_p_ ? 0 : -1;                                                                 \
	}))

static inline bool wt_grow_fits(size_t cap, size_t n, size_t more)
{
	return n <= cap && more <= cap - n;
}

/** The function under the macros. Moves the array to a place with room for n + more items of `size` bytes.
 * NULL: there is no memory, or the capacity would be over `most`. */
void *wt_grow_to(void *array, size_t *cap, size_t n, size_t more, size_t size, size_t most,
		 struct wt_err *err);

#endif
