/* SPDX-License-Identifier: MIT */
/** @file Finds the place of a value in a sorted array. */
#ifndef TRACECORE_BASE_BOUND_H
#define TRACECORE_BASE_BOUND_H

/** The first index of [from, to) for which `before`, an expression of the index i, is false; `to` when it
 * is true for all. The expression must be false for every index after the first false one. from and to are
 * read once. */
#define WT_BOUND(i, from, to, before)                                                           \
	__extension__({                                                                         \
		__typeof__((to) + 0) bound_low_ = (from), bound_high_ = (to);                   \
                                                                                                \
		while (bound_low_ < bound_high_) {                                              \
			__typeof__(bound_low_) i = bound_low_ + (bound_high_ - bound_low_) / 2; \
                                                                                                \
			if (before)                                                             \
				bound_low_ = i + 1;                                             \
			else                                                                    \
				bound_high_ = i;                                                \
		}                                                                               \
		bound_low_;                                                                     \
	})

#endif
