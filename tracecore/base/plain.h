/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One line of text in a fixed buffer that a terminal can be shown, whatever it quotes: names in foreign
 * files, paths, words of the command line.
 *
 * Pure functions, any thread; no memory is allocated.
 */
#ifndef TRACECORE_BASE_PLAIN_H
#define TRACECORE_BASE_PLAIN_H

#include <stddef.h>

/** Writes what foreign.h says may not be shown as it is as \n, \t, \r, \xHH and \u{HEX}, in
 * place. `text` ends with a zero, as it does afterwards; what does not fit into its `size` bytes (at least 1)
 * is cut off, never within an escape or a character. Doing it twice changes nothing more. */
void wt_plain(char *text, size_t size);

#endif
