/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The BPF programs at the beginnings and ends of processes (bpf/lives.h), loaded and attached, and their
 * ring.
 *
 * The programs are optional (bpf_object.h). One process reads the ring.
 */
#ifndef PROVIDERS_PERF_LIFE_RING_H
#define PROVIDERS_PERF_LIFE_RING_H

#include "providers/perf/bpf/lives.h"
#include "providers/perf/bpf_object.h"

/** On failure *ret is NULL and err gives the reason, in words that follow "without BPF: ". wt_bpf_close
 * closes it. */
int wt_bpf_lives_open(struct wt_bpf_object **ret, struct wt_err *err);
/** Calls fn with each waiting record. -1: the ring cannot be read. */
int wt_bpf_lives_read(struct wt_bpf_object *lives, wt_bpf_record_fn *fn, void *ctx);
/** Returns the number of records that found no room. */
uint64_t wt_bpf_lives_lost(const struct wt_bpf_object *lives);

#endif
