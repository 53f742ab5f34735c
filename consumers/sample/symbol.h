/* SPDX-License-Identifier: MIT */
/** @file The filter of --symbol, as wperf has it: it is compared with a whole name, case ignored; ^ allows
 * any end, $ any beginning. */
#ifndef CONSUMERS_SAMPLE_SYMBOL_H
#define CONSUMERS_SAMPLE_SYMBOL_H

#include <stdbool.h>

/** text is NAME:MODULE or NAME alone. The pattern fits when it fits all of text, or NAME. NULL fits
 * everything. */
bool wt_sample_symbol_fits(const char *pattern, const char *text);

#endif
