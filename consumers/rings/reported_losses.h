/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Losses of rings that the log of an earlier recorder reports already, so that they are not reported again.
 * One object serves all rings of a session, of all users. One thread.
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

/** Reads all losses of rings that the log reports, including those in segments dropped by --max-file. */
int wt_reported_losses_read(struct wt_reported_losses *reported, const char *path, struct wt_err *err);
/** Returns how many of `count` losses of that ring (source id) have been reported, and takes them off.
 * provider and cause as in the lost event. */
uint64_t wt_reported_losses_take(struct wt_reported_losses *reported, uint32_t ring, struct wt_str provider,
				 uint8_t cause, uint64_t count);
void wt_reported_losses_deinit(struct wt_reported_losses *reported);

#endif
