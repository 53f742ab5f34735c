/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Columns of n byte items. The writing side picks one of three layouts: one item after the other (plain), a
 * dictionary, and forms with numbers in them (numbered). Items are checked when they are read, like columns
 * of integers.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_ITEMS_H
#define TRACECORE_LOGFMT_FORMAT_ITEMS_H

#include "tracecore/logfmt/format/column.h"

/** Appends a column of n items. Item i is the bytes from ends[i - 1] (start for the first) to ends[i]. */
void wt_log_put_items(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
		      const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch);

/** Appends them one after the other: FIXED when all are equally long and short enough, else BYTES. Uses
 * scratch->words. */
void wt_log_put_plain(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
		      const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch);

/** Appends an item column (id 0) of scratch->strings, in the order of their ids. Uses scratch->words. */
void wt_log_put_strings(struct wt_buf *out, struct wt_log_column_scratch *scratch);

/** Appends n items, given as for wt_log_put_items, as forms and numbers. False: they do not have such
 * forms, and nothing was appended. */
bool wt_log_put_numbered(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
			 const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch);

/** Decodes n items into n strings. They point into the payload (dictionary items are shared) or, for a
 * NUMBERED column, into the room, and are valid until the next call. */
int wt_log_get_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
		    struct wt_log_column_room *room);

/** Decodes n items to n + 1 offsets into *bytes. *bytes is in the payload or, for dictionaries, in store
 * (its old content is dropped). *left: bytes that the items may still take; it is reduced. -1: malformed
 * or more than *left. A lack of memory sets store->failed. */
int wt_log_get_items(const struct wt_log_column_view *view, uint32_t n, uint32_t *offsets,
		     const uint8_t **bytes, struct wt_buf *store, size_t *left,
		     struct wt_log_column_room *room);

/** Decodes the lengths of n plain items to words; *bytes: the items, one after the other. -1: malformed. */
int wt_log_get_lengths(const struct wt_log_column_view *view, uint32_t n, uint64_t *words,
		       const uint8_t **bytes);

/** Decodes n plain items to n strings that point into the payload; words: room for n, overwritten. */
int wt_log_get_plain_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
			  uint64_t *words);

/** As wt_log_get_items, for NUMBERED columns alone. */
int wt_log_get_numbered(const struct wt_log_column_view *view, uint32_t n, uint32_t *offsets,
			const uint8_t **bytes, struct wt_buf *store, size_t *left,
			struct wt_log_column_room *room);

#endif
