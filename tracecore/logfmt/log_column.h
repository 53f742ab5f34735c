/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Columns: n integers, or n byte items, as LOGFORMAT.md section 5 lays them out.
 *
 * Integers are 64-bit words; arithmetic is modulo 2^64, so signed values are stored sign-extended. The
 * writing side picks the cheapest encoding. The reading side takes foreign bytes: it checks every length and
 * index and never writes more than n elements.
 */
#ifndef TRACECORE_LOGFMT_LOG_COLUMN_H
#define TRACECORE_LOGFMT_LOG_COLUMN_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/logfmt.h"

enum {
	WT_LOG_DICT_MAX = 4096, /**< entries of an integer dictionary the writer makes */
	WT_LOG_CUTS = 1024,     /**< places kept where the bytes of a payload change their nature */
};

/** Memory for one writing thread. Zeroed is valid. */
struct wt_log_column_scratch {
	uint16_t slots[4 * WT_LOG_DICT_MAX]; /**< entry + 1 */
	uint64_t entries[WT_LOG_DICT_MAX];
	uint16_t codes[WT_DISK_MAX_ROWS];
	uint64_t words[WT_DISK_MAX_ROWS]; /**< lengths or indices of items */
	struct wt_strings strings;
	/** Offsets in the payload at which a column or a plane begins, rising: what lies between two of them
	 * is best compressed on its own. Whoever begins a payload sets n_cuts to 0. */
	uint32_t cuts[WT_LOG_CUTS];
	uint32_t n_cuts;
};
void wt_log_column_scratch_deinit(struct wt_log_column_scratch *scratch);

/** All n values are the same. */
bool wt_log_column_constant(const uint64_t *values, uint32_t n);

/** Appends a column of n integers, 1 <= n <= WT_DISK_MAX_ROWS. A failed allocation shows in out->failed. */
void wt_log_put_ints(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		     struct wt_log_column_scratch *scratch);

/** Appends a column of n items. Item i is the bytes from ends[i - 1] (start for the first) to ends[i]. */
void wt_log_put_items(struct wt_buf *out, uint16_t id, const uint8_t *bytes, uint64_t start,
		      const uint64_t *ends, uint32_t n, struct wt_log_column_scratch *scratch);

/** One column as found in a payload; data points into it. */
struct wt_log_column_view {
	uint16_t id;
	uint8_t encoding;
	uint8_t width;
	struct wt_cursor data;
};

/** Takes the next column of a payload. 0; 1 at the end; -1 when it does not fit. */
int wt_log_column_next(struct wt_cursor *payload, struct wt_log_column_view *ret);

/** Decodes n integers. -1: not an integer column, or malformed; out then holds nonsense. */
int wt_log_get_ints(const struct wt_log_column_view *view, uint32_t n, uint64_t *out);

/** Memory for one reading thread. Zeroed is valid. */
struct wt_log_column_room {
	uint64_t *words;
	struct wt_str *entries;
	uint32_t cap; /**< rows that fit */
};
/** Makes room for columns of n rows; false when memory is out. */
bool wt_log_column_room(struct wt_log_column_room *room, uint32_t n);
void wt_log_column_room_deinit(struct wt_log_column_room *room);

/** Decodes n items into n strings that point into the payload (dictionary items are shared). */
int wt_log_get_strs(const struct wt_log_column_view *view, uint32_t n, struct wt_str *out,
		    struct wt_log_column_room *room);

/** Decodes n items to n + 1 offsets into *bytes, which is in the payload or, for dictionaries, in store (its
 * old content is dropped). *left: bytes the items may still take, reduced. -1: malformed or more than *left;
 * memory out shows in store->failed. */
int wt_log_get_items(const struct wt_log_column_view *view, uint32_t n, uint32_t *offsets,
		     const uint8_t **bytes, struct wt_buf *store, size_t *left,
		     struct wt_log_column_room *room);

#endif
