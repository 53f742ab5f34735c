/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Translates a parsed perf record to an event of the session: kind, packed payload, stack.
 *
 * Records about the ring itself (losses, throttling) are handled by the source.
 */
#ifndef PROVIDERS_PERF_TRANSLATE_H
#define PROVIDERS_PERF_TRANSLATE_H

#include "providers/perf/foreseen.h"
#include "providers/perf/internal.h"
#include "providers/perf/user_regs.h"

struct wt_perf_translator {
	const struct wt_perf *perf; /**< slots, kinds, what is quiet */
	struct wt_buf payload;      /**< of the last event */
	uint64_t *pcs;              /**< stack of the last event; owned */
	size_t pcs_cap;
	struct wt_stack_dump dump;           /**< of the last event */
	struct wt_perf_chain *chain;         /**< of the ring's counters; borrowed; NULL: none */
	struct wt_scheduler_turn turn;       /**< of the ring's CPU */
	bool chained;                        /**< the last event advanced the chain */
	struct wt_foreseen foreseen;         /**< owned */
	const struct wt_perf_reader *reader; /**< stands behind the record; borrowed */
	uint64_t position;                   /**< of the record in the ring */
};

enum wt_perf_translated {
	WT_PERF_EVENT = 0,
	WT_PERF_NOTHING = 1, /**< the record gives no event */
	WT_PERF_BAD = -1,    /**< the record contradicts what its event can hold, or memory is out */
};

/** The event points into the translator and the record's bytes until the next call. */
enum wt_perf_translated wt_perf_translate(struct wt_perf_translator *tr, const struct wt_perf_record *record,
					  struct wt_event *ret);
/** Writes the payload of a sample, and of a span without one. */
void wt_perf_put_profile(struct wt_buf *out, uint8_t source, uint64_t period);
void wt_perf_translator_deinit(struct wt_perf_translator *tr);

#endif
