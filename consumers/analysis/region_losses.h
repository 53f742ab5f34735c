/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Says whether events may be missing between two moments of a log. Events may have been lost, or
 * there was blind time, by the notices of the recorder; the session's rules for programs' providers may
 * have kept events out (region_rules.h); or events were left out when the log was made from a part of
 * another one (LOGFORMAT.md). A log that is damaged or not complete may lack anything at any time.
 */
#ifndef CONSUMERS_ANALYSIS_REGION_LOSSES_H
#define CONSUMERS_ANALYSIS_REGION_LOSSES_H

#include "consumers/analysis/region_rules.h"
#include "consumers/model/file.h"

/** Zeroed: nothing is missing. */
struct wt_region_losses {
	bool anywhere;    /**< the log is damaged or not complete, or events of any kind were left out */
	bool whole_tasks; /**< processes or kinds of events were left out: a region with both its ends, by
			   one thread or activity, is unchanged */
	struct wt_strings providers;
	struct wt_region_spans {
		struct wt_region_gap {
			uint64_t from, to;
		} * gaps; /**< after read: in order, apart from each other */
		uint32_t n, cap;
	} * by_provider; /**< by text of providers */
	struct wt_region_rules rules;
	char machine[32]; /**< as uname(2) has it; empty: not known */
};

/** Reads the notices of the log. Undo with wt_region_losses_deinit, also after a failure. */
int wt_region_losses_read(struct wt_region_losses *losses, struct wt_log_reader *log, struct wt_err *err);
void wt_region_losses_deinit(struct wt_region_losses *losses);

/** Whether events of this provider may be missing from `from` to `to`. */
bool wt_region_losses_touch(const struct wt_region_losses *losses, const char *provider, uint64_t from,
			    uint64_t to);
/** Whether the other end of a region of this provider may be missing though nothing was lost. */
bool wt_region_losses_is_part(const struct wt_region_losses *losses, const char *provider);
/** Adds a gap; the last step is wt_region_losses_settle. A part of read. */
int wt_region_losses_add(struct wt_region_losses *losses, const char *provider, size_t len, uint64_t from,
			 uint64_t to, struct wt_err *err);
void wt_region_losses_settle(struct wt_region_losses *losses);

#endif
