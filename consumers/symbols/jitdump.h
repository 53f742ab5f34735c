/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads jit-PID.dump, in which a program describes the code it generates, record by record, with times.
 *
 * The file grows while it is read: records are taken as far as they are whole. Version 1 of the format, as
 * tools/perf/Documentation/jitdump-specification.txt has it: a header, then records
 * {u32 id, u32 bytes in total, u64 time}. Times are those of CLOCK_MONOTONIC; with those of a counter (bit 0
 * of the flags) nothing in it is sure. Files of the other byte order are not read. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_JITDUMP_H
#define CONSUMERS_SYMBOLS_JITDUMP_H

#include "consumers/symbols/code_map.h"
#include "tracecore/base/allowance.h"
#include "tracecore/base/cursor.h"

/** Larger records end the reading. */
#define WT_JITDUMP_RECORD (UINT32_C(64) << 20)
/** Bytes of the record headers. */
enum { WT_JITDUMP_HEADER = 40, WT_JITDUMP_PREFIX = 16 };

enum wt_jitdump_id {
	WT_JITDUMP_LOAD = 0,
	WT_JITDUMP_MOVE = 1,
	WT_JITDUMP_DEBUG_INFO = 2,
	WT_JITDUMP_CLOSE = 3,
	WT_JITDUMP_UNWINDING_INFO = 4,
};

/** A moment of CLOCK_MONOTONIC in the session's clock. */
typedef uint64_t wt_jitdump_clock(void *ctx, uint64_t mono);

/** Zeroed with a map and a clock it is ready. */
struct wt_jitdump {
	struct wt_code_map *map; /**< borrowed */
	wt_jitdump_clock *clock;
	void *clock_ctx;
	struct wt_allowance *time; /**< borrowed; under way: what it had left is not exceeded by much */
	uint64_t lines_of;         /**< the next code's, whose lines have been reported */
	uint32_t n_lines;
	struct wt_code_span rules; /**< the next code's, too */
	bool begun;                /**< its header has been read */
	bool ended;                /**< closed, or what follows makes no sense */
	bool broken;
};

/** Takes all whole records, or as many as there is time for; returns the bytes taken. */
size_t wt_jitdump_feed(struct wt_jitdump *dump, const void *bytes, size_t len);
/** Bytes of the record that begins there, if the prefix is there; 0: more is needed, or nothing follows. */
uint32_t wt_jitdump_record(const void *bytes, size_t len);

#endif
