/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Compares a function with a name that a user gave: C++ functions are shown with their parameters, and users
 * name them without.
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
