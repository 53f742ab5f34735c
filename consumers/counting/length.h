/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Lengths of time as wperf writes them: digits without sign or leading zero (a lone 0 may stand), at most two
 * decimals, then ms, s, m, h or d; without a unit seconds.
 */
#ifndef CONSUMERS_COUNTING_LENGTH_H
#define CONSUMERS_COUNTING_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

/** Converts text to ns. False: it is not such a length, or it is over 292 years. */
bool wt_length_parse(const char *text, uint64_t *ret);

#endif
