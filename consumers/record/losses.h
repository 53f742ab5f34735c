/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The losses that must reach the log even when their batch is dropped.
 *
 * A loss is added by the recorder itself, or repeated from a WT_CORE_LOST event that is on its way to the
 * log. While its batch is pending it is "in flight"; if the batch is dropped (disk full), the loss waits
 * again; if the batch is written, the loss is forgotten. Waiting losses of one event, CPU and cause are
 * added up, so their number is bounded by events x CPUs x causes. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_LOSSES_H
#define CONSUMERS_RECORD_LOSSES_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"

/** A zeroed struct is a valid empty list. */
struct wt_losses {
	struct wt_loss {
		uint32_t provider, event; /**< ids in names */
		uint32_t on_cpu, ring;
		uint8_t cause, exact;
		bool in_flight;
		uint64_t count;
		uint64_t from, to;
	} * list; /**< owned */
	size_t n, cap;
	struct wt_strings names;
};

/** Adds a loss that is not in the log yet. */
int wt_losses_add(struct wt_losses *losses, const struct wt_lost_payload *lost, struct wt_err *err);
/** Adds a loss whose event has just been put into the pending batch. */
int wt_losses_repeat(struct wt_losses *losses, const struct wt_lost_payload *lost, struct wt_err *err);
/** Returns a waiting loss; its strings live until the next add. NULL when none waits. */
struct wt_loss *wt_losses_next(struct wt_losses *losses, struct wt_lost_payload *ret);
/** Call when the loss that was handed out is in the pending batch. */
static inline void wt_loss_sent(struct wt_loss *loss)
{
	loss->in_flight = true;
}
/** Call when the pending batch is on disk. */
void wt_losses_written(struct wt_losses *losses);
/** Call when the pending batch was dropped: all losses wait again. */
void wt_losses_returned(struct wt_losses *losses);
void wt_losses_deinit(struct wt_losses *losses);

#endif
