/* SPDX-License-Identifier: MIT */
/**
 * @file
 * When context switches or wakes may be missing in a log, by CPU: lost events, blind spans, damage, and what
 * was left out when the log was made from a part of another one.
 */
#ifndef CONSUMERS_ANALYSIS_WAIT_LOSSES_H
#define CONSUMERS_ANALYSIS_WAIT_LOSSES_H

#include "consumers/analysis/wait_machine.h"
#include "tracecore/logfmt/read/reader.h"

/** Zeroed: nothing is missing. */
struct wt_wait_losses {
	struct wt_wait_gaps {
		bool anywhere; /**< events may be missing at any time */
		struct wt_wait_gap {
			uint64_t from, to;
			uint32_t cpu; /**< WT_WAIT_NONE: all */
		} * gaps;             /**< in order of from; owned */
		uint64_t *reach;      /**< by gap: the largest `to` up to it; owned */
		uint32_t n;
	} of[WT_WAIT_WHATS]; /**< by enum wt_wait_what */
	bool only_told;      /**< the session recorded only processes that it was told to */
};

/** Reads the notices of the log. All its blocks must have been read before, so that damage is known. */
int wt_wait_losses_read(struct wt_wait_losses *losses, struct wt_log_reader *log, struct wt_err *err);
void wt_wait_losses_deinit(struct wt_wait_losses *losses);

/** Whether events may be missing in [from, to] on a CPU; WT_WAIT_NONE: on any. */
bool wt_wait_losses_touch(const struct wt_wait_losses *losses, enum wt_wait_what what, uint32_t cpu,
			  uint64_t from, uint64_t to);

#endif
