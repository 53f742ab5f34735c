/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Who is asked whether a source gives an event: for what the kernel tells of processes into rings that all
 * users share. A process can make it tell the same a million times a second, and others' events would be
 * lost.
 *
 * A source asks as it reads, before the event waits for its turn among all: not always in the order of time.
 * What is kept back is gone: whoever says so accounts for it, in the batch that is pending then. Of the
 * thread of the source.
 */
#ifndef TRACECORE_GATE_H
#define TRACECORE_GATE_H

#include <stdbool.h>
#include <stdint.h>

/** What a process caused: it mapped code, or gave a thread a name. */
struct wt_gate_news {
	uint32_t pid;
	uint64_t time; /**< session clock, ns */
	bool is_map;   /**< else a name */
	bool is_quiet; /**< no event for the log: it feeds the identity only */
};

/** False: it is kept back. */
typedef bool wt_gate_fn(void *ctx, const struct wt_gate_news *news);

#endif
