/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes text that others chose (names of programs, files, symbols, strings of events) safe for output. This
 * is the only place that does so. Any bytes become text on one line.
 *
 * These are never shown as they are: control characters (C0, DEL, C1 as UTF-8), bytes that are not UTF-8 (a
 * lone 0x9b controls some terminals), and invisible characters that change the reading of others: marks and
 * overrides of direction, line and paragraph separators, zero width, byte order mark, tags.
 *
 *   text   \n \t \r, \xHH for each byte of a control character or of invalid UTF-8, \u{HEX} for the unseen
 *   CSV    as text, and a backslash is \\, so that the bytes can be restored; quoted by RFC 4180
 *   JSON   \u00HH and the short forms, \uHHHH for the unseen; invalid UTF-8 becomes U+FFFD
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

/** Examines the character at p, of which left > 0 bytes are there. Returns its length; for invalid UTF-8,
 * the length of the part that one U+FFFD replaces. *code is its number; for invalid UTF-8, its first byte. */
unsigned wt_foreign_step(const uint8_t *p, size_t left, enum wt_foreign *what, uint32_t *code);

/** Appends text for a terminal. */
void wt_text_escape(struct wt_buf *out, const void *bytes, size_t len);
/** Writes text to a stream. */
void wt_text_write(FILE *out, const char *text);
/** As wt_text_escape where further text follows on the line: text that looks like the beginning of a list
 * of fields is quoted. Text gets quotes when it contains two spaces, or a space followed by '=' or '[', or
 * begins with a quote. Within the quotes, a backslash stands before each quote and backslash. */
void wt_text_value(struct wt_buf *out, const void *bytes, size_t len);
/** Appends a field of a CSV line: quoted when a character requires it, with quotes doubled. */
void wt_csv_field(struct wt_buf *out, const void *bytes, size_t len);
/** Appends a JSON string with its quotes. */
void wt_json_string(struct wt_buf *out, const void *bytes, size_t len);

/** For formats in which numbers follow names. Changes the text appended to out from `from` on: spaces at
 * its beginning, a '#' at its beginning, and a space before a word that is a number (12, 12/13, 1.5)
 * become '_'. */
void wt_foreign_no_numbers(struct wt_buf *out, size_t from);
/** For formats that join names: each `separator` in the text appended from `from` on becomes `instead`. */
void wt_foreign_no_separator(struct wt_buf *out, size_t from, char separator, char instead);

#endif
