/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the bytes of a log are spent on, and whether all of them are good.
 *
 * Every byte of the file is counted once: the bytes of all lines add up to the file's size.
 */
#ifndef TRACECORE_LOGFMT_READ_CENSUS_H
#define TRACECORE_LOGFMT_READ_CENSUS_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/format/logfmt.h"

/** Events of one name over all segments, or all blocks of one other type. */
struct wt_log_census_line {
	uint16_t type;  /**< enum wt_disk_block_type; WT_LOG_NO_BLOCK: bytes that are no block */
	uint32_t names; /**< EVENTS: id of "provider\0event" in the census; else WT_INTERN_NONE */
	uint64_t blocks;
	uint64_t count;                 /**< events, rows, entries */
	uint64_t lost;                  /**< EVENTS: dropped by the writer, as the blocks say */
	uint64_t raw_bytes;             /**< payloads before compression */
	uint64_t bytes;                 /**< in the file: headers, payloads, padding */
	uint64_t first_time, last_time; /**< EVENTS: session clock, ns */
};

/** Type of the line for the file header, the end mark and damaged stretches. */
#define WT_LOG_NO_BLOCK 0

struct wt_log_census {
	struct wt_log_census_line *lines; /**< owned; events first, in the order they appear */
	uint32_t n, cap;
	struct wt_strings names;
};

/** Counts from block headers alone, after loading (and unloading) every segment's tables for the names. */
int wt_log_census_take(struct wt_log_reader *log, struct wt_log_census *ret, struct wt_err *err);
void wt_log_census_deinit(struct wt_log_census *census);
/** Names of an EVENTS line; "" for others. Valid as long as the census. */
const char *wt_log_census_provider(const struct wt_log_census *census, const struct wt_log_census_line *line);
const char *wt_log_census_event(const struct wt_log_census *census, const struct wt_log_census_line *line);
/** "events", "stacks", "symbols" ...: what blocks of a type hold; "other" for a type of a newer version. */
const char *wt_log_block_name(uint16_t type);

/** Reads every byte: each header in the file against the index, each checksum, each table and event block
 * decoded, each id looked up, what segments say they hold against what is there. What is wrong is noted in
 * the log (wt_log_info: n_damages; wt_log_damages). Memory: the tables of one segment at a time. The
 * blocks of each segment are shared by so many threads at most, each of which takes a few MB more; what is
 * noted, and in which order, is the same with any number. The listener (NULL: nobody) hears of the bytes done
 * now and then, on one thread at a time. 0 read to the end, damaged or not; -1 the file cannot be read. */
int wt_log_verify(struct wt_log_reader *log, uint32_t threads, const struct wt_listener *listener,
		  struct wt_err *err);

#endif
