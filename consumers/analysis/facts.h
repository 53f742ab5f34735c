/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Facts that a reader needs before trusting a table: losses, unseen events, missing names, the reach of
 * stacks, the cost of recording, and the machine.
 *
 * Two parts: the file's own notices (events of provider `wtrace`, read over the whole file whatever the time
 * range), and a tally of the events a table counts.
 */
#ifndef CONSUMERS_ANALYSIS_FACTS_H
#define CONSUMERS_ANALYSIS_FACTS_H

#include "consumers/analysis/filter.h"

/** Losses of one provider, event and cause. */
struct wt_view_loss {
	uint32_t provider, event, cause; /**< texts; event may be empty */
	uint64_t count;                  /**< events known to be lost */
	uint64_t spans;                  /**< notices */
	uint64_t blind_ns;               /**< of spans without an exact count, added over CPUs */
};

struct wt_view_facts {
	struct wt_view_file *file; /**< borrowed */
	bool growing;              /**< the log need not be complete */
	struct wt_view_loss *losses;
	uint32_t n_losses;
	uint64_t lost, blind_ns, blind_spans;
	uint64_t counted,
		miscounted; /**< period-1 events per CPU with a checked sum; those of them with a wrong sum */
	uint64_t missing;   /**< events that were counted and are neither in the log nor counted as lost */
	uint64_t missing_of_kernel; /**< of them, events of the kernel */
	uint64_t surplus;           /**< events of the log that were not counted */
	uint64_t cost_ns;           /**< CPU time of the recorder */
	uint64_t idle_cpus;         /**< CPUs whose idle time is known */
	uint64_t idle_ns;           /**< how long, added over them */
	uint64_t idle_of;           /**< of how long */
	struct wt_view_info {
		uint32_t key, value; /**< texts */
	} * infos;
	uint32_t n_infos;

	/* the tally */
	uint64_t events;    /**< counted */
	uint64_t samples;   /**< of them */
	uint64_t unsampled; /**< samples that were not taken: spans of CPU time without a sample */
	uint64_t self;      /**< samples of the recorder itself */
	uint64_t unproved;  /**< events left out for their stack (--proved) */
	uint64_t stacks;    /**< events with a stack or a code address */
	uint64_t local;     /**< of them, named by this machine's files */
	uint64_t reasons[WT_N_FRAME_REASONS];   /**< of the stacks, by wt_view_frame.reason */
	uint64_t statuses[WT_N_STACK_STATUSES]; /**< by enum wt_stack_status */
	uint64_t first, last;                   /**< session time; last 0: none */
	/** The modules in which stacks without unwind data end: those of their outermost frames. Row i is
	 * that of id i of end_modules; wt_view_facts_sort_ends puts the largest first. */
	struct wt_view_end {
		uint32_t module; /**< text */
		uint64_t count;
	} * ends;
	uint32_t ends_cap;
	struct wt_intern end_modules;  /**< by text */
	uint32_t class_slot, end_slot; /**< of wt_view_memo */
};

void wt_view_facts_init(struct wt_view_facts *facts, struct wt_view_file *file);
void wt_view_facts_deinit(struct wt_view_facts *facts);

/** Reads the notices of the whole log. */
int wt_view_facts_read(struct wt_view_facts *facts, struct wt_err *err);
/** The text of a field of notice i, by its name: "?" when it has no such field. WT_VIEW_NONE when memory is
 * out.
 */
uint32_t wt_view_notice_text(struct wt_view_file *file, const struct wt_log_batch *batch, uint32_t i,
			     const char *field);
/** Counts the events of a batch whose rows[i] is not WT_VIEW_NONE. */
int wt_view_facts_tally(struct wt_view_facts *facts, const struct wt_log_batch *batch, const uint32_t *rows,
			struct wt_err *err);

/** Adds the tally of another facts, except its ends; those are added to the row of their module. */
void wt_view_facts_add(struct wt_view_facts *facts, const struct wt_view_facts *from);
int wt_view_facts_add_end(struct wt_view_facts *facts, uint32_t module, uint64_t count);
/** Empties the tally. */
void wt_view_facts_clear(struct wt_view_facts *facts);

/** Puts the largest of facts->ends first. Once, after the last tally. */
void wt_view_facts_sort_ends(struct wt_view_facts *facts);

/** Something is missing: events, time, blocks of the file or its end. */
bool wt_view_facts_lossy(const struct wt_view_facts *facts);
/** The text of a key of info notices, the first one; NULL when there is none. */
const char *wt_view_facts_info(const struct wt_view_facts *facts, const char *key);
/** One line that says what is missing, for --strict. */
void wt_view_facts_missing(const struct wt_view_facts *facts, struct wt_buf *out);

/** Statuses in the order in which people want them: whole stacks, then those that lack something. */
extern const uint8_t wt_view_status_order[WT_N_STACK_STATUSES];

#endif
