/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A run: events counted on CPUs, in processes and threads, in a control group, or in a child from its exec to
 * its end.
 *
 * open, start, read as often as wanted, stop; results are of the time since start or since the last
 * wt_counting_mark. Reads on the way are what bounds of scaled counts come from (estimate.h); they cost one
 * system call for each group and unit. One thread.
 */
#ifndef CONSUMERS_COUNTING_COUNTING_H
#define CONSUMERS_COUNTING_COUNTING_H

#include "consumers/counting/estimate.h"
#include "consumers/counting/event_list.h"

struct wt_counting_aim {
	struct wt_cpuset cpus; /**< whole CPUs, when there are any; else what follows */
	int cgroup_fd;         /**< with cpus: of them only what runs in that control group; -1: all */
	const int *pids;       /**< processes with all their threads and what these start */
	size_t n_pids;
	const int *tids; /**< threads alone */
	size_t n_tids;
	int child;   /**< a process that waits to exec, and all it starts; 0: none */
	bool kernel; /**< hardware events count in the kernel as well */
};

/** What is counted by itself: a CPU, or a thread. */
struct wt_count_unit {
	int cpu;      /**< -1: any */
	int pid, tid; /**< -1: whatever runs there */
	char comm[16];
	size_t core; /**< type of the CPU (wt_cores); of a thread 0 */
};

enum wt_count_state {
	WT_COUNT_ABSENT,      /**< not to be counted there: the PMU is not of that CPU */
	WT_COUNT_UNAVAILABLE, /**< nothing counts it here; why is known (wt_counting_why) */
	WT_COUNT_NEVER_RAN,   /**< it was to count, and had no counter at any time */
	WT_COUNT_COUNTED,
};

struct wt_count_cell {
	enum wt_count_state state;
	struct wt_count count;
	struct wt_estimate estimate; /**< where it was counted */
};

struct wt_counting;

/** list and cores must outlive it. Events that nothing counts here are left out with a reason, as long as one
 * is left. */
int wt_counting_open(const struct wt_counting_aim *aim, const struct wt_count_list *list,
		     const struct wt_cores *cores, struct wt_counting **ret, struct wt_err *err);
void wt_counting_close(struct wt_counting *counting);

int wt_counting_start(struct wt_counting *counting, struct wt_err *err);
int wt_counting_stop(struct wt_counting *counting, struct wt_err *err);
int wt_counting_read(struct wt_counting *counting, struct wt_err *err);
/** What was read last is the beginning of what follows. */
void wt_counting_mark(struct wt_counting *counting);

size_t wt_counting_units(const struct wt_counting *counting);
const struct wt_count_unit *wt_counting_unit(const struct wt_counting *counting, size_t unit);
struct wt_count_cell wt_counting_cell(const struct wt_counting *counting, size_t unit, size_t event);

/** Why an event is unavailable; "" when it is not. */
const char *wt_counting_why(const struct wt_counting *counting, size_t event);
/** Whether hardware events count in kernel mode; mixed: some of them. */
enum wt_kernel_mode { WT_KERNEL_INCLUDED, WT_KERNEL_EXCLUDED, WT_KERNEL_MIXED };
enum wt_kernel_mode wt_counting_kernel_mode(const struct wt_counting *counting);
/** In how many turns of how many an event counted: the kernel tells times, not turns, so that this is the
 * length of a turn put into them. */
void wt_count_turns(const struct wt_count_event *event, uint64_t enabled, uint64_t running, uint64_t *counted,
		    uint64_t *rounds);
/** True when hardware events were to count in user code only because the user may not see more. */
bool wt_counting_narrowed(const struct wt_counting *counting);
/** Groups that metrics wanted and that did not fit the PMU. */
int wt_counting_split(const struct wt_counting *counting);
/** At least one event took turns, as of the last read. */
bool wt_counting_multiplexed(const struct wt_counting *counting);

#endif
