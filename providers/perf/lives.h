/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kernel's reports of execs and ends of processes, kept until the event of each is taken.
 *
 * Records and events of a process come in the order of its execs and end: each event takes the first record
 * that can belong to it. Memory is bounded: the oldest records are dropped first. One thread.
 */
#ifndef PROVIDERS_PERF_LIVES_H
#define PROVIDERS_PERF_LIVES_H

#include <stddef.h>

#include "tracecore/lives.h"

struct wt_lives;

/** Returns NULL when memory is out. */
struct wt_lives *wt_lives_create(void);
/** May be NULL. */
void wt_lives_destroy(struct wt_lives *lives);
/** Takes one record (bpf/lives.h); offset: how far its clock is behind the session's. False: the record makes
 * no sense, or memory is out. */
bool wt_lives_add(struct wt_lives *lives, const void *bytes, size_t len, int64_t offset);
/** As wt_life_fn. */
bool wt_lives_find(struct wt_lives *lives, enum wt_life_news news, uint32_t pid, uint64_t time,
		   struct wt_str name, struct wt_life *ret);

#endif
