/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Limits a rundown's reading of the mappings of other users' processes: CPU time for each user and for all
 * together (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the caller have no bound. Processes of other users are read at once while their user's time
 * suffices; the rest is due and read as time comes back. One thread.
 */
#ifndef PROVIDERS_PERF_MAP_TURNS_H
#define PROVIDERS_PERF_MAP_TURNS_H

#include "providers/perf/perf.h"
#include "tracecore/base/user_times.h"

/** CPU time of one user and of all others together: a second, and saved up; ns. */
#define WT_MAP_TURNS_RATE     UINT64_C(40000000)
#define WT_MAP_TURNS_MOST     UINT64_C(400000000)
#define WT_MAP_TURNS_ALL_RATE UINT64_C(200000000)
#define WT_MAP_TURNS_ALL_MOST UINT64_C(700000000)
/** Most processes that can be due; the mappings of further ones are not read. */
#define WT_MAP_TURNS_DUE 65536

/** A process whose mappings are due. */
struct wt_map_due {
	uint32_t pid, uid;
	uint64_t start_ticks; /**< a process with another value has got the pid since */
};

struct wt_map_turns {
	struct wt_user_times times; /**< reported: the user's processes have to wait */
	struct wt_map_due *due;     /**< owned */
	size_t n_due, cap_due;
	uint64_t left_out; /**< processes for which there was no place */
};

/** Returns the user's time, refilled; NULL: the user needs none. */
struct wt_allowance *wt_map_turns_of(struct wt_map_turns *turns, uint32_t uid);
/** Makes the process due for a later read. */
void wt_map_turns_put_off(struct wt_map_turns *turns, const struct wt_map_due *due);
/** Removes and returns the first due process behind *at whose user has time, and moves *at; false: there is
 * none. */
bool wt_map_turns_take(struct wt_map_turns *turns, size_t *at, struct wt_map_due *ret);

#endif
