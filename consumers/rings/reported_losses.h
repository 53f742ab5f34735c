/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Losses of rings that the log of an earlier recorder reports: so much of each is not reported again. One for
 * all rings of a session, whoever's they are. One thread.
 */
#ifndef CONSUMERS_RINGS_REPORTED_LOSSES_H
#define CONSUMERS_RINGS_REPORTED_LOSSES_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"

/** Zeroed is valid and empty. */
struct wt_reported_losses {
	struct wt_strings providers;
	struct wt_intern keys; /**< ring and cause, provider */
	uint64_t *counts;      /**< owned; by keys */
	uint32_t cap;
};

/** The log reports a loss of that ring (source id). provider and cause as in the lost event. */
int wt_reported_losses_add(struct wt_reported_losses *reported, uint32_t ring, struct wt_str provider,
			   uint8_t cause, uint64_t count, struct wt_err *err);
/** Everything that the log, and what --max-file has dropped of it, reports of rings. */
int wt_reported_losses_read(struct wt_reported_losses *reported, const char *path, struct wt_err *err);
/** How many of count have been reported; they are taken off. */
uint64_t wt_reported_losses_take(struct wt_reported_losses *reported, uint32_t ring, struct wt_str provider,
				 uint8_t cause, uint64_t count);
void wt_reported_losses_deinit(struct wt_reported_losses *reported);

#endif
