/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The stretches of a log to ask about, and the turns that tell why (pause_path.h). Each is one pass over the
 * log's turns (wait_rows.h), whose window must be open. Memory: the threads that are asked for, and the turns
 * that overlap the stretch.
 */
#ifndef CONSUMERS_ANALYSIS_PAUSE_ROWS_H
#define CONSUMERS_ANALYSIS_PAUSE_ROWS_H

#include "consumers/analysis/pause_path.h"
#include "consumers/analysis/wait_rows.h"

struct wt_pause_stretch {
	uint32_t tid;
	bool open; /**< a wait that reaches over an end of the record or of the search's time */
	uint64_t from, to;
};

/** A search for the longest waits of threads: times from leaving a CPU to getting one. */
struct wt_pause_search {
	const char *thread; /**< number or name; NULL: all threads */
	uint64_t from, to;  /**< only what lies in it counts; to 0: no end */
	uint32_t most;      /**< waits to find */

	struct wt_pause_stretch *found; /**< the longest first; of equal ones the first in time; owned */
	uint32_t n_found;
	struct wt_intern tids; /**< threads that match */
};

/** Zeroed but for the first part. Waits of length 0 are not found. */
int wt_pause_find(struct wt_pause_search *search, struct wt_wait_rows *waits, struct wt_err *err);
/** As wt_pause_find, for the longest regions of that name that began in the time and ended. A stretch is of
 * the thread that ended its region. tids has the threads in which they began. */
int wt_pause_find_regions(struct wt_pause_search *search, struct wt_log_reader *log, const char *region,
			  struct wt_err *err);
void wt_pause_search_deinit(struct wt_pause_search *search);

/** Adds all turns that overlap [from, to) to the path, and settles it. */
int wt_pause_gather(struct wt_pause_path *path, struct wt_wait_rows *waits, uint64_t from, uint64_t to,
		    struct wt_err *err);

/** The row of a thread by number, at that time, in the segments of the log; NULL: none. */
const struct wt_log_thread *wt_pause_thread(const struct wt_wait_rows *waits, uint32_t tid, uint64_t time,
					    const struct wt_log_process **process);
/** Writes "name (tid)". */
void wt_pause_thread_text(const struct wt_wait_rows *waits, uint32_t tid, uint64_t time, struct wt_buf *out);

#endif
