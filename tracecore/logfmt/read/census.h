/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counts the bytes of a log by purpose, and checks all of them.
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
	uint16_t type;  /**< enum wt_disk_block_type; WT_LOG_NO_BLOCK: bytes outside blocks */
	uint32_t names; /**< EVENTS: id of "provider\0event" in the census; else WT_INTERN_NONE */
	uint64_t blocks;
	uint64_t count;                 /**< events, rows, entries */
	uint64_t lost;                  /**< EVENTS: dropped by the writer, according to the blocks */
	uint64_t raw_bytes;             /**< payloads before compression */
	uint64_t bytes;                 /**< in the file: headers, payloads, padding */
	uint64_t first_time, last_time; /**< EVENTS: session clock, ns */
};

/** Type of the line for the file header, the end mark and damaged parts. */
#define WT_LOG_NO_BLOCK 0

struct wt_log_census {
	struct wt_log_census_line *lines; /**< owned; events first, in the order they appear */
	uint32_t n, cap;
	struct wt_strings names;
};

/** Counts from block headers alone, after loading (and unloading) the tables of every segment for the
 * names. */
int wt_log_census_take(struct wt_log_reader *log, struct wt_log_census *ret, struct wt_err *err);
void wt_log_census_deinit(struct wt_log_census *census);
/** Names of an EVENTS line; "" for others. Valid as long as the census. */
const char *wt_log_census_provider(const struct wt_log_census *census, const struct wt_log_census_line *line);
const char *wt_log_census_event(const struct wt_log_census *census, const struct wt_log_census_line *line);
/** The name for the content of a type's blocks: "events", "stacks", "symbols" ...; "other" for a type of a
 * newer version. */
const char *wt_log_block_name(uint16_t type);

/** Reads every byte: it compares each header in the file with the index, checks each checksum, decodes each
 * table and event block, looks up each id, and compares the counts that segments state with their content.
 * Errors are noted in the log (wt_log_info: n_damages; wt_log_damages). Memory: the tables of one segment at
 * a time. At most `threads` threads share the blocks of each segment; each takes a few MB more. The notes
 * and their order do not depend on the number of threads. The listener (NULL: none) gets the bytes done now
 * and then, on one thread at a time. 0: read to the end, damaged or not; -1: the file cannot be read. */
int wt_log_verify(struct wt_log_reader *log, uint32_t threads, const struct wt_listener *listener,
		  struct wt_err *err);

#endif
