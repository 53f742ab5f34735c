/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether a function is the one that somebody named: C++ functions are shown with their parameters, and named
 * without.
 *
 * A pure function, any thread.
 */
#ifndef CONSUMERS_ANALYSIS_FUNCTION_NAME_H
#define CONSUMERS_ANALYSIS_FUNCTION_NAME_H

#include <stdbool.h>
#include <stddef.h>

/** text is name, or name with parameters behind it, or with the mark of an inlined function (unfold.h):
 * "compute(int) const" and "compute(int) (inlined)" are "compute". */
bool wt_function_is(const char *text, size_t len, const char *name, size_t name_len);

#endif
