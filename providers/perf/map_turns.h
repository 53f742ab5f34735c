/* SPDX-License-Identifier: MIT */
/**
 * @file
 * When a rundown reads what other users' processes have mapped: CPU time for each user and for all together
 * (tracecore/enable/ENABLE.md section 10).
 *
 * Root and the caller have no bound. Of the others' processes those are read at once that their user's time
 * suffices for; the rest is due, and read as time comes back. One thread.
 */
#ifndef PROVIDERS_PERF_MAP_TURNS_H
#define PROVIDERS_PERF_MAP_TURNS_H

#include "providers/perf/perf.h"
#include "tracecore/base/allowance.h"

/** CPU time of one user and of all others together: a second, and saved up; ns. */
#define WT_MAP_TURNS_RATE     UINT64_C(40000000)
#define WT_MAP_TURNS_MOST     UINT64_C(400000000)
#define WT_MAP_TURNS_ALL_RATE UINT64_C(200000000)
#define WT_MAP_TURNS_ALL_MOST UINT64_C(700000000)
/** Users that are distinguished; the others share the last one's. */
#define WT_MAP_TURNS_USERS 64
/** Processes that can be due; of more nothing is read. */
#define WT_MAP_TURNS_DUE 65536

/** A process whose mappings are due. */
struct wt_map_due {
	uint32_t pid, uid;
	uint64_t start_ticks; /**< another one has the pid when it is another */
};

struct wt_map_turns {
	struct wt_map_user {
		uint32_t uid;
		bool reported; /**< said that its processes have to wait */
		struct wt_allowance allowance;
	} users[WT_MAP_TURNS_USERS];
	size_t n_users;
	struct wt_allowance common;
	struct wt_map_due *due; /**< owned */
	size_t n_due, cap_due;
	uint64_t left_out; /**< processes for which there was no place */
};

/** The user's time, what came back included; NULL: needs none. */
struct wt_allowance *wt_map_turns_of(struct wt_map_turns *turns, uint32_t uid);
/** The process is read later. */
void wt_map_turns_put_off(struct wt_map_turns *turns, const struct wt_map_due *due);
/** Takes the first due process out whose user has time, behind *at, which is moved; false: there is none. */
bool wt_map_turns_take(struct wt_map_turns *turns, size_t *at, struct wt_map_due *ret);

#endif
