/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Losses of rings that an earlier recorder's log tells already: how much of each is not told again. One for
 * all rings of a session, whoever's they are. One thread.
 */
#ifndef CONSUMERS_RINGS_TOLD_LOSSES_H
#define CONSUMERS_RINGS_TOLD_LOSSES_H

#include "tracecore/base/err.h"
#include "tracecore/base/intern.h"
#include "tracecore/kernel_events.h"

/** Zeroed is valid and empty. */
struct wt_told_losses {
	struct wt_strings providers;
	struct wt_intern keys; /**< ring and cause, provider */
	uint64_t *counts;      /**< owned; by keys */
	uint32_t cap;
};

/** A loss of that ring (source id). provider and cause as in the lost event. */
int wt_told_losses_add(struct wt_told_losses *told, uint32_t ring, struct wt_str provider, uint8_t cause,
		       uint64_t count, struct wt_err *err);
/** How many of count have been told of; they are taken off. */
uint64_t wt_told_losses_take(struct wt_told_losses *told, uint32_t ring, struct wt_str provider,
			     uint8_t cause, uint64_t count);
void wt_told_losses_deinit(struct wt_told_losses *told);

#endif
