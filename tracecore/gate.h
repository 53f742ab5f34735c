/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A gate decides whether a record of a source becomes an event. It serves the kernel's records of processes,
 * in rings that all users share. A process can make the kernel write a million such records a second;
 * without a gate, events of others would be lost.
 *
 * A source asks when it reads a record, before its event is sorted among events of other sources. So the
 * questions are not always in the order of time. A refused record is lost: the gate counts it, in the batch
 * that is then pending. The source's thread makes the calls.
 */
#ifndef TRACECORE_GATE_H
#define TRACECORE_GATE_H

#include <stdbool.h>
#include <stdint.h>

/** An action of a process: it mapped code, or gave a thread a name. */
struct wt_gate_news {
	uint32_t pid;
	uint64_t time; /**< session clock, ns */
	bool is_map;   /**< else a name */
	bool is_quiet; /**< no event for the log: it feeds the identity only */
};

/** False: the record is refused. */
typedef bool wt_gate_fn(void *ctx, const struct wt_gate_news *news);

#endif
