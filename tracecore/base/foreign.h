/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Text that others chose (names of programs, files, symbols, strings of events) on its way out: the one place
 * that makes it safe. Whatever the bytes are, they stay one word of one line.
 *
 * What is never shown as it is: control characters (C0, DEL, C1 as UTF-8), bytes that are no UTF-8 (a lone
 * 0x9b drives some terminals), and characters that cannot be seen but change how others read: marks and
 * overrides of direction, line and paragraph separators, zero width, byte order mark, tags.
 *
 *   text   \n \t \r, \xHH for each byte of a control character or of what is no UTF-8, \u{HEX} for the unseen
 *   CSV    the same, and a backslash is \\, so that the bytes can be had back; quoted by RFC 4180
 *   JSON   \u00HH and the short forms, \uHHHH for the unseen; what is no UTF-8 becomes U+FFFD
 *
 * Pure functions, any thread.
 */
#ifndef TRACECORE_BASE_FOREIGN_H
#define TRACECORE_BASE_FOREIGN_H

#include <stdio.h>

#include "tracecore/base/buf.h"

enum wt_foreign {
	WT_FOREIGN_SHOWN,   /**< may be shown as it is */
	WT_FOREIGN_CONTROL, /**< a control character */
	WT_FOREIGN_UNSEEN,  /**< a character that is not seen */
	WT_FOREIGN_INVALID, /**< no UTF-8 */
};

/** Looks at the character at p, of which left > 0 bytes are there. Returns its length; of what is no UTF-8
 * that of what one U+FFFD stands for. *code is its number, of what is no UTF-8 its first byte. */
unsigned wt_foreign_step(const uint8_t *p, size_t left, enum wt_foreign *what, uint32_t *code);

/** Appends text for a terminal. */
void wt_text_escape(struct wt_buf *out, const void *bytes, size_t len);
/** Writes text to a stream. */
void wt_text_write(FILE *out, const char *text);
/** As wt_text_escape where further text follows on the line: what looks like the beginning of a list of
 * fields is quoted. Quotes stand around text that has two spaces, or a space and behind it one of '=' and
 * '[', or begins with a quote; within them quotes and backslashes have a backslash before them. */
void wt_text_value(struct wt_buf *out, const void *bytes, size_t len);
/** Appends a field of a CSV line: quoted when there is anything to quote, quotes doubled. */
void wt_csv_field(struct wt_buf *out, const void *bytes, size_t len);
/** Appends a JSON string with its quotes. */
void wt_json_string(struct wt_buf *out, const void *bytes, size_t len);

/** For formats whose lines have numbers behind names: spaces that begin the text, and one before a word that
 * is a number (12, 12/13, 1.5), become '_', in what was appended to out from `from` on. So does a '#' at the
 * beginning. */
void wt_foreign_no_numbers(struct wt_buf *out, size_t from);
/** For formats that join names: each `separator` in what was appended from `from` on becomes `instead`. */
void wt_foreign_no_separator(struct wt_buf *out, size_t from, char separator, char instead);

#endif
