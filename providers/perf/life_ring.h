/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The BPF programs at the beginnings and ends of processes (bpf/lives.h), loaded and attached, and their
 * ring.
 *
 * The programs are optional; opening fails with the reason, as for the program on samples (bpf.h). They run
 * until they are closed in every process that had them before a fork; one process reads the ring.
 */
#ifndef PROVIDERS_PERF_LIFE_RING_H
#define PROVIDERS_PERF_LIFE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "providers/perf/bpf/lives.h"
#include "tracecore/base/err.h"

struct wt_bpf_lives;

/** On failure *ret is NULL and err gives the reason, in words that follow "without BPF: ". */
int wt_bpf_lives_open(struct wt_bpf_lives **ret, struct wt_err *err);
/** May be NULL. */
void wt_bpf_lives_close(struct wt_bpf_lives *lives);
/** Calls fn with each waiting record. -1: the ring cannot be read. */
int wt_bpf_lives_read(struct wt_bpf_lives *lives, int (*fn)(void *ctx, void *bytes, size_t len), void *ctx);
/** Returns the number of records that found no room. */
uint64_t wt_bpf_lives_lost(const struct wt_bpf_lives *lives);

#endif
