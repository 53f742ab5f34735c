/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One line of text in a fixed buffer, safe for a terminal whatever the text quotes: names in foreign files,
 * paths, words of the command line.
 *
 * Pure functions, any thread; no memory is allocated.
 */
#ifndef TRACECORE_BASE_PLAIN_H
#define TRACECORE_BASE_PLAIN_H

#include <stddef.h>

/** Replaces, in place, characters that may not be shown unchanged (foreign.h) by \n, \t, \r, \xHH and
 * \u{HEX}. `text` ends with a zero before and after. Text that does not fit into its `size` bytes (at
 * least 1) is cut off, never within an escape or a character. A second call changes nothing. */
void wt_plain(char *text, size_t size);

#endif
