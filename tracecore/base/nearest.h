/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The nearest valid word, for errors about words that a person typed.
 *
 * Pure functions of their arguments; no allocation, any thread.
 */
#ifndef TRACECORE_BASE_NEAREST_H
#define TRACECORE_BASE_NEAREST_H

#include <stddef.h>

#include "tracecore/base/err.h"

/** The candidate nearest to word (case ignored; Damerau-Levenshtein at most a third of its length, at least
 * 1), or NULL. For "unknown X 'y'; did you mean 'z'?". The first of equally near ones wins. A word longer
 * than 63 bytes is near only to itself. */
const char *wt_nearest(const char *word, const char *const *candidates, size_t n);

/** Fails with WT_ERR_USAGE and "unknown WHAT 'WORD'; did you mean 'Z'?" or, when no word is near, "; known:
 * a, b, c" (as many as fit, then the number of the others). */
int wt_fail_unknown(struct wt_err *err, const char *what, const char *word, const char *const *candidates,
		    size_t n);

/** Returns the index of the word that is exactly equal; or -1, after wt_fail_unknown. */
int wt_one_of(struct wt_err *err, const char *what, const char *word, const char *const *words, size_t n);

#endif
