/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The writing side of the encodings SAME and LAST of LOGFORMAT.md: columns of a block that other columns
 * follow.
 *
 * Some columns change from event to event and have few different values, for example the next thread of a
 * switch. Other columns follow from these: they have the key's value one event later, or the value that
 * last stood beside this value of the key. A recorder has no time to find such keys; a program that
 * rewrites a complete log has it.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_KEYS_H
#define TRACECORE_LOGFMT_FORMAT_KEYS_H

#include "tracecore/logfmt/format/cols.h"

enum {
	WT_LOG_KEYS = 4, /**< of a block */
	WT_LOG_KEY_CANDIDATES = 8,
	WT_LOG_KEY_ROWS = 64, /**< blocks with fewer rows are not searched */
};

struct wt_log_key {
	uint16_t id;
	const uint64_t *values; /**< borrowed */
	uint32_t entries;       /**< different ones */
	uint16_t codes[WT_DISK_MAX_ROWS];
};

/** Memory for one writing thread. Zeroed is valid. */
struct wt_log_keys {
	bool wanted;   /**< set by the caller: whether columns of the next block may follow others */
	uint32_t rows; /**< of the block; 0: no column may follow */
	uint32_t n;
	struct wt_log_key *list[WT_LOG_KEYS]; /**< of candidates */
	struct wt_log_key candidates[WT_LOG_KEY_CANDIDATES];
	uint64_t last[WT_LOG_DICT_MAX]; /**< value by code */
	uint64_t miss_rows[WT_DISK_MAX_ROWS], miss_values[WT_DISK_MAX_ROWS];
	uint64_t ticks[WT_DISK_MAX_ROWS];
	double tick;         /**< of the log's clock, ns; 0: not known */
	uint32_t tick_tries; /**< searches for it */
};

/** Chooses the keys of rows [from, to) of the set and puts their columns, which must be the first. */
void wt_log_put_keys(const struct wt_log_cols *set, uint32_t from, uint32_t to, struct wt_buf *out,
		     struct wt_log_column_scratch *scratch);

/** Appends a column of n integers. It follows one of scratch->keys where that is shorter. */
void wt_log_put_words(struct wt_buf *out, uint16_t id, const uint64_t *values, uint32_t n,
		      struct wt_log_column_scratch *scratch);

bool wt_log_is_key(const struct wt_log_keys *keys, uint16_t id);

#endif
