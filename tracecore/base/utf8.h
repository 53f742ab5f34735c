/* SPDX-License-Identifier: MIT */
/**
 * @file
 * UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
 *
 * Pure functions, any thread.
 */
#ifndef TRACECORE_BASE_UTF8_H
#define TRACECORE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Examines the sequence at p, of which left > 0 bytes are there. Returns its length and sets *valid. For
 * an invalid sequence the length is that of the longest prefix that could have begun a valid one (at least
 * 1): the part that one U+FFFD replaces. */
unsigned wt_utf8_step(const uint8_t *p, size_t left, bool *valid);

#endif
