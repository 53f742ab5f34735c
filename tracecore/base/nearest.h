/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The nearest valid word, for errors about words a person typed.
 *
 * Pure functions of their arguments; no allocation, any thread.
 */
#ifndef TRACECORE_BASE_NEAREST_H
#define TRACECORE_BASE_NEAREST_H

#include <stddef.h>

#include "tracecore/base/err.h"

/** The candidate nearest to word (case ignored; Damerau-Levenshtein at most a third of its length, at least
 * 1), or NULL. For "unknown X 'y'; did you mean 'z'?". The first of equally near ones wins. Words longer than
 * 63 bytes are near nothing but themselves. */
const char *wt_nearest(const char *word, const char *const *candidates, size_t n);

/** Fails with WT_ERR_USAGE and "unknown WHAT 'WORD'; did you mean 'Z'?" or, when nothing is near, "; known:
 * a, b, c" (as many as fit, then how many more there are). */
int wt_fail_unknown(struct wt_err *err, const char *what, const char *word, const char *const *candidates,
		    size_t n);

/** Which of the words it is, to the letter; or -1, after wt_fail_unknown. */
int wt_one_of(struct wt_err *err, const char *what, const char *word, const char *const *words, size_t n);

#endif
