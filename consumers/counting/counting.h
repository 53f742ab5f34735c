/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A run: events counted on CPUs, in processes and threads, in a control group, or in a child from its exec to
 * its end.
 *
 * open, start, read as often as wanted, stop; results are of the time since start or since the last
 * wt_counting_mark. Reads on the way give the bounds of scaled counts (estimate.h); they cost one system call
 * for each group and unit. One thread.
 */
#ifndef CONSUMERS_COUNTING_COUNTING_H
#define CONSUMERS_COUNTING_COUNTING_H

#include "consumers/counting/estimate.h"
#include "consumers/counting/event_list.h"

struct wt_counting_aim {
	struct wt_cpuset cpus; /**< whole CPUs, if there are any; otherwise the targets below */
	int cgroup_fd;         /**< with cpus: count only this control group on them; -1: all code */
	const int *pids;       /**< processes with all their threads, and all that these start */
	size_t n_pids;
	const int *tids; /**< threads alone */
	size_t n_tids;
	int child;   /**< a process that waits to exec, and all it starts; 0: none */
	bool kernel; /**< hardware events count in the kernel as well */
};

/** A unit with counts of its own: a CPU, or a thread. */
struct wt_count_unit {
	int cpu;      /**< -1: any */
	int pid, tid; /**< -1: whatever runs there */
	char comm[16];
	size_t core; /**< type of the CPU (wt_cores); of a thread 0 */
};

enum wt_count_state {
	WT_COUNT_ABSENT,      /**< not counted there: the PMU does not belong to that CPU */
	WT_COUNT_UNAVAILABLE, /**< nothing counts it here; wt_counting_why has the reason */
	WT_COUNT_NEVER_RAN,   /**< it was enabled and never had a counter */
	WT_COUNT_COUNTED,
};

struct wt_count_cell {
	enum wt_count_state state;
	struct wt_count count;
	struct wt_estimate estimate; /**< where it was counted */
};

struct wt_counting;

/** list and cores must outlive the run. Events that nothing counts here are left out with a reason, as long
 * as one event is left. */
int wt_counting_open(const struct wt_counting_aim *aim, const struct wt_count_list *list,
		     const struct wt_cores *cores, struct wt_counting **ret, struct wt_err *err);
void wt_counting_close(struct wt_counting *counting);

int wt_counting_start(struct wt_counting *counting, struct wt_err *err);
int wt_counting_stop(struct wt_counting *counting, struct wt_err *err);
int wt_counting_read(struct wt_counting *counting, struct wt_err *err);
/** The time that the targets were on CPUs, as read last: the most of any event of each thread. ns */
uint64_t wt_counting_cpu_time(const struct wt_counting *counting);
/** Makes the last read the beginning of the next results. */
void wt_counting_mark(struct wt_counting *counting);

/** The unit is a CPU that went offline. Its earlier counts stay; a counter without any has no count. This
 * is not noticed when a control group is counted. */
bool wt_counting_gone(const struct wt_counting *counting, size_t unit);
size_t wt_counting_units(const struct wt_counting *counting);
const struct wt_count_unit *wt_counting_unit(const struct wt_counting *counting, size_t unit);
struct wt_count_cell wt_counting_cell(const struct wt_counting *counting, size_t unit, size_t event);

/** Why an event is unavailable; "" when it is not. */
const char *wt_counting_why(const struct wt_counting *counting, size_t event);
/** Whether hardware events count in kernel mode; mixed: some of them do. */
enum wt_kernel_mode { WT_KERNEL_INCLUDED, WT_KERNEL_EXCLUDED, WT_KERNEL_MIXED };
enum wt_kernel_mode wt_counting_kernel_mode(const struct wt_counting *counting);
/** The number of turns in which an event counted, and of all turns: the kernel reports times, not turns, so
 * they are divided by the length of a turn. */
void wt_count_turns(const struct wt_count_event *event, uint64_t enabled, uint64_t running, uint64_t *counted,
		    uint64_t *rounds);
/** True when hardware events count in user mode only because the user may not count more. */
bool wt_counting_narrowed(const struct wt_counting *counting);
/** Groups that metrics wanted and that did not fit the PMU. */
int wt_counting_split(const struct wt_counting *counting);
/** At the last read at least one event had taken turns. */
bool wt_counting_multiplexed(const struct wt_counting *counting);

#endif
