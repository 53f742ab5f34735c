/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Columns of n integers, in the layout of LOGFORMAT.md section 5.
 *
 * Integers are 64-bit words; arithmetic is modulo 2^64, so signed values are stored sign-extended. The
 * writing side picks the cheapest encoding. The reading side takes foreign bytes: it checks every length and
 * index and never writes more than n elements.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_COLUMN_H
#define TRACECORE_LOGFMT_FORMAT_COLUMN_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/format/logfmt.h"

enum {
	WT_LOG_DICT_MIN = 8,    /**< columns with fewer values or items do not get a dictionary */
	WT_LOG_DICT_MAX = 4096, /**< the most entries of an integer dictionary that the writer makes */
	WT_LOG_CUTS = 1024,     /**< the most places kept at which the nature of a payload's bytes changes */
};

/** Memory for one writing thread. Zeroed is valid. */
struct wt_log_column_scratch {
	uint16_t slots[4 * WT_LOG_DICT_MAX]; /**< entry + 1 */
	uint64_t entries[WT_LOG_DICT_MAX];
	uint16_t codes[WT_DISK_MAX_ROWS];
	uint64_t words[WT_DISK_MAX_ROWS]; /**< lengths or indices of items */
	struct wt_strings strings;
	/** Columns that other columns of the block may follow; NULL: encodings of version 1.0 only. Owned. */
	struct wt_log_keys *keys;
	/** The offsets in the payload at which a column or a plane begins, rising. The bytes between two of
	 * them compress best on their own. The function that begins a payload sets n_cuts to 0. */
	uint32_t cuts[WT_LOG_CUTS];
	uint32_t n_cuts;
};
void wt_log_column_scratch_deinit(struct wt_log_column_scratch *scratch);

/** All n values are the same. */
bool wt_log_column_constant(const uint64_t *values, uint32_t n);

/** Appends a column of n integers, 1 <= n <= WT_DISK_MAX_ROWS. A failed allocation sets out->failed. */
void wt_log_put_ints(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		     struct wt_log_column_scratch *scratch);

/** Appends them as a dictionary. There must be 1 to WT_LOG_DICT_MAX different values. */
void wt_log_put_dict(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		     struct wt_log_column_scratch *scratch);

/** Gives every value a code, in order of first appearance, in scratch->codes. Returns the number of
 * different values, 0 when there are more than `limit` (at most WT_LOG_DICT_MAX). */
uint32_t wt_log_make_dict(const uint64_t *values, uint32_t n, uint32_t limit,
			  struct wt_log_column_scratch *scratch);

/** Makes room for the next column header and returns its place. Its length is only known when the data is
 * there. */
size_t wt_log_begin_column(struct wt_buf *out, struct wt_log_column_scratch *scratch);
void wt_log_end_column(struct wt_buf *out, size_t at, uint16_t id, uint8_t encoding, uint8_t width);
/** Notes that bytes of another nature begin at this offset of the payload. */
void wt_log_cut(struct wt_log_column_scratch *scratch, size_t at);

/** One column found in a payload; data points into the payload. */
struct wt_log_column_view {
	uint16_t id;
	uint8_t encoding;
	uint8_t width;
	struct wt_cursor data;
	struct wt_cursor before; /**< the columns before it */
};

/** Takes the next column of a payload. 0; 1 at the end; -1 when it does not fit. */
int wt_log_column_next(struct wt_cursor *payload, struct wt_log_column_view *ret);

/** Decodes n integers in an encoding of version 1.0. -1: the encoding is not one of integers, or is
 * malformed; out then has no valid content. */
int wt_log_get_ints(const struct wt_log_column_view *view, uint32_t n, uint64_t *out);

/** Decodes the indices of a dictionary of integers, all below *entries. -1: another encoding, or malformed.
 */
int wt_log_get_codes(const struct wt_log_column_view *view, uint32_t n, uint64_t *out, uint32_t *entries);

enum { WT_LOG_SPARES = 4 };

/** Memory for one reading thread. Zeroed is valid. */
struct wt_log_column_room {
	uint64_t *words;
	struct wt_str *entries;
	uint64_t *spare;   /**< WT_LOG_SPARES words per row */
	uint32_t *offsets; /**< one more than rows */
	struct wt_buf texts;
	uint32_t cap; /**< rows that fit */
};
/** Makes room for columns of n rows; false: no memory. */
bool wt_log_column_room(struct wt_log_column_room *room, uint32_t n);
void wt_log_column_room_deinit(struct wt_log_column_room *room);

/** The numbers by which the ticks of a TICKS column are converted to its values. */
struct wt_log_ticks {
	uint64_t origin;
	uint64_t unit; /**< with WT_DISK_TICK_BITS fraction bits */
};
/** offset: signed, with WT_DISK_TICK_OFFSET_BITS fraction bits. */
static inline uint64_t wt_log_time_of(const struct wt_log_ticks *how, uint64_t ticks, uint64_t offset)
{
	unsigned __int128 shift = (unsigned __int128)(__int128)(int64_t)offset
				  << (WT_DISK_TICK_BITS - WT_DISK_TICK_OFFSET_BITS);

	return how->origin + (uint64_t)(((unsigned __int128)ticks * how->unit + shift) >> WT_DISK_TICK_BITS);
}

/** Decodes n integers in any encoding. -1 as wt_log_get_ints. out may be room->words. */
int wt_log_get_words(const struct wt_log_column_view *view, uint32_t n, uint64_t *out,
		     struct wt_log_column_room *room);

#endif
