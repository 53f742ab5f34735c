/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parts of work that are made on one thread and taken on another: two stages of a view work at the same time.
 *
 * The calling thread takes; a thread of its own makes. Where no thread can be had, making and taking
 * alternate on the calling thread, with the same result.
 */
#ifndef CONSUMERS_ANALYSIS_RELAY_H
#define CONSUMERS_ANALYSIS_RELAY_H

#include "tracecore/base/err.h"

struct wt_relay;

struct wt_relay_ends {
	/** Makes all parts and hands each to wt_relay_give. Returns 0, or -1 with an error. */
	int (*make)(void *ctx, struct wt_relay *relay, struct wt_err *err);
	/** Takes a part. Returns 0; 1: no more; -1: see err. */
	int (*take)(void *ctx, void *part, struct wt_err *err);
	void *ctx; /**< of both */
};

/** Runs both ends until all is made and taken. Returns 0; -1: an error of the taking end, or else of the
 * making one. */
int wt_relay_run(const struct wt_relay_ends *ends, struct wt_err *err);

/** Called by the making end: hands over a part, which stays in use until the next call has returned. So the
 * making end has room for two. Returns 0; 1: no more is wanted, or taking failed. */
int wt_relay_give(struct wt_relay *relay, void *part);

#endif
