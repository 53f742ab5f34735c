/* SPDX-License-Identifier: MIT */
/**
 * @file
 * One ring or lane of user-space providers as a source of events.
 *
 * A record becomes an event: its tick becomes session time, its provider number and event index become a
 * kind, and its optional parts become the event's ids and stack. A senseless record (an unknown provider or
 * event, parts longer than the record) is skipped and counted. The log writer checks that the payload fits
 * its schema, and refuses it otherwise.
 *
 * Order: a CPU's ring is in the order of its ticks, since the clock is read inside the section that commits.
 * A lane is in the order of its thread. An event that was preempted between reading the clock and committing
 * (lanes only) may come after the horizon: the recorder counts it as late; it is not lost, and readers sort
 * it by its time.
 *
 * refresh notes the end of the committed records; peek goes on block by block up to that end, so that a
 * writer that never stops cannot keep a round from ending. One thread.
 */
#ifndef CONSUMERS_RINGS_RING_SOURCE_H
#define CONSUMERS_RINGS_RING_SOURCE_H

#include "consumers/rings/ring_kinds.h"
#include "consumers/rings/tick_line.h"
#include "tracecore/ring/ring_reader.h"
#include "tracecore/source.h"

struct wt_ring_source {
	struct wt_source base;
	struct wt_ring_reader *ring; /**< borrowed: the directory's */
	struct wt_tick_line *line;   /**< borrowed */
	struct wt_ring_kinds *kinds; /**< borrowed */
	struct wt_ring_facts facts;  /**< as of the last refresh */
	uint64_t grown;              /**< bytes written between the last two refreshes */
	uint64_t limit;              /**< position up to which this round reads */
	uint32_t blocks_left;        /**< refreshes within this round */
	uint64_t released;           /**< position below which writers may reuse the ring */
	uint64_t last_time;
	uint32_t claimer; /**< of its events: see struct wt_event */
	uint32_t last_pid;
	uint64_t unknown; /**< records skipped because their provider or event is unknown */
	uint64_t broken;  /**< records whose parts do not fit */
	bool has_event;   /**< event is the result of peek */
	struct wt_event event;
	struct wt_ring_provider *provider;                           /**< of event */
	uint64_t pc[WT_ABI_STACK_MAX], exact[WT_ABI_STACK_MAX / 64]; /**< of event's stack */
	struct wt_ring_record records[WT_RUN_MAX];                   /**< records of the last run... */
	struct wt_ring_provider *providers[WT_RUN_MAX];
	struct wt_run_event run[WT_RUN_MAX];
	struct wt_ring_record strip; /**< first record of the last strip */
	uint64_t times[WT_STRIP_MAX];
	uint32_t strip_most; /**< records to look at for the next strip */
};

/** id as in struct wt_source. The ring, the line and the kinds must outlive the source. */
int wt_ring_source_create(struct wt_ring_reader *ring, struct wt_tick_line *line, struct wt_ring_kinds *kinds,
			  uint32_t id, struct wt_ring_source **ret, struct wt_err *err);

#endif
