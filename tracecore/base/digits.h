/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers as text where printf costs too much: in signal handlers, and during the start of a program, which
 * pays for every page of libc that it touches for the first time.
 */
#ifndef TRACECORE_BASE_DIGITS_H
#define TRACECORE_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/** Most digits of a number in the bases used here. */
#define WT_DIGITS_MAX 20

/** Writes the digits of v in base 10 or 16 (lower case) into ret, with zeros in front if v has fewer than
 * `at_least` digits (at most WT_DIGITS_MAX), without a terminating zero. Returns the number of digits.
 * Async-signal-safe. */
static inline size_t wt_digits(char *ret, uint64_t v, unsigned base, size_t at_least)
{
	char digits[WT_DIGITS_MAX];
	size_t n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v || n < at_least);
	for (size_t i = 0; i < n; i++)
		ret[i] = digits[n - 1 - i];
	return n;
}

#endif
