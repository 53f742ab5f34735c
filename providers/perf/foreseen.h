/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The mappings of a process that lie ahead in a ring, looked at (written.h) in one question.
 *
 * A process that begins makes its mappings within milliseconds, and their records are read together. One
 * question for all of them costs little more than a question for the first. An answer belongs to one record
 * of the ring, by its position: a later record of the same memory may come from a change of its rights. Like
 * the ring's reader it belongs to one thread.
 */
#ifndef PROVIDERS_PERF_FORESEEN_H
#define PROVIDERS_PERF_FORESEEN_H

#include "providers/perf/ring.h"
#include "providers/perf/written.h"

/** Records of a question; a mapping can have two (twins.h). */
#define WT_FORESEEN_RECORDS (2 * WT_WRITTEN_MOST)

/** Zeroed is valid: nothing is foreseen. */
struct wt_foreseen {
	uint8_t *whole; /**< room for a record that wraps; owned */
	uint32_t n;
	struct wt_foreseen_record {
		uint64_t position;
		enum wt_written written;
	} records[WT_FORESEEN_RECORDS];
};

/** Returns what was found in the memory of the mapping whose record begins at the position. `reader` stands
 * behind this record; it is not moved. If the record was not foreseen, this function looks at the mapping
 * now, and at the process's other mappings ahead. */
enum wt_written wt_foreseen_written(struct wt_foreseen *foreseen, const struct wt_perf_reader *reader,
				    const struct wt_perf_record *record, uint64_t position);
void wt_foreseen_deinit(struct wt_foreseen *foreseen);

#endif
