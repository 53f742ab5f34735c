/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the kernel reported of execs and ends of processes, kept until the event of each is taken.
 *
 * Records of a process come in the order of what happened to it, and its events too: each event takes the
 * first record that can be its. Memory is bounded: the oldest go first. One thread.
 */
#ifndef PROVIDERS_PERF_LIVES_H
#define PROVIDERS_PERF_LIVES_H

#include <stddef.h>

#include "tracecore/lives.h"

struct wt_lives;

/** NULL: memory is out. */
struct wt_lives *wt_lives_create(void);
/** May be NULL. */
void wt_lives_destroy(struct wt_lives *lives);
/** Takes one record (bpf/lives.h); offset: what its clock is behind the session's. False: it makes no sense,
 * or memory is out. */
bool wt_lives_add(struct wt_lives *lives, const void *bytes, size_t len, int64_t offset);
/** As wt_life_fn. */
bool wt_lives_find(struct wt_lives *lives, enum wt_life_news news, uint32_t pid, uint64_t time,
		   struct wt_str name, struct wt_life *ret);

#endif
