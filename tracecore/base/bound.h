/* SPDX-License-Identifier: MIT */
/** @file Where something stands in what is sorted. */
#ifndef TRACECORE_BASE_BOUND_H
#define TRACECORE_BASE_BOUND_H

/** The first index of [from, to) for which `before`, an expression of the index i, does not hold; `to` when
 * it holds for all. It holds for none behind the first for which it does not. from and to are read once. */
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
