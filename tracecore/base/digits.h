/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Numbers as text where printf is too much: in signal handlers, and while a program starts, which would pay
 * for every page of libc it touches first.
 */
#ifndef TRACECORE_BASE_DIGITS_H
#define TRACECORE_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/** Most digits of a number in the bases used here. */
#define WT_DIGITS_MAX 20

/** The digits of v in base 10 or 16 (lower case) into ret, at least so many (at most WT_DIGITS_MAX, with
 * zeros in front), no terminating zero; how many they are. Async-signal-safe. */
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
