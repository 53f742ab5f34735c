/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Counting without samples: a group of events on one target, read as numbers.
 *
 * The events of a group count at the same times or not at all. When the PMU lacks counters for all open
 * groups, the kernel lets them count in turns; `enabled` is then longer than `running`.
 *
 * A target is a CPU, a thread (on any CPU or on one), a control group on a CPU, or a child that is to exec.
 */
#ifndef PROVIDERS_PERF_COUNTER_H
#define PROVIDERS_PERF_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "providers/perf/spec.h"
#include "tracecore/base/err.h"

/** Modes in which an event does not count. */
enum wt_counter_exclude {
	WT_NOT_IN_USER = 1,
	WT_NOT_IN_KERNEL = 2,
	WT_NOT_IN_HYPERVISOR = 4,
	WT_NOT_IN_HOST = 8,
	WT_NOT_IN_GUEST = 16,
};

struct wt_counter_event {
	const struct wt_perf_spec *spec;
	unsigned exclude; /**< of wt_counter_exclude */
};

struct wt_counter_target {
	int tid;       /**< thread, also one that is to exec; -1: all threads that run on the CPU */
	int cpu;       /**< -1: any */
	int cgroup_fd; /**< directory of a control group; then tid is -1 and cpu is not -1; -1: none */
	bool inherit;  /**< threads and processes that the thread starts from now on count too */
	bool on_exec;  /**< begins with the thread's exec, without wt_counter_enable */
};

#define WT_COUNTER_NOWHERE                            \
	{                                             \
		.tid = -1, .cpu = -1, .cgroup_fd = -1 \
	}

/** The count of one event. */
struct wt_count {
	uint64_t value;
	uint64_t enabled; /**< ns in which it was enabled (for a thread: while the thread ran) */
	uint64_t running; /**< ns in which it counted */
};

struct wt_counter; /* one open group */

/** Opens a group that does not count yet. Errors name the event or the group: WT_ERR_UNSUPPORTED (nothing
 * here can count it), WT_ERR_PERMISSION, WT_ERR_LIMIT (the group does not fit the PMU, or counters or
 * descriptors are used up), WT_ERR_NOTFOUND (no such thread), WT_ERR_USAGE (the PMU cannot count such a
 * target). */
int wt_counter_open(const struct wt_counter_event *events, size_t n, const struct wt_counter_target *target,
		    struct wt_counter **ret, struct wt_err *err);
void wt_counter_close(struct wt_counter *counter);

int wt_counter_enable(const struct wt_counter *counter, struct wt_err *err);
int wt_counter_disable(const struct wt_counter *counter, struct wt_err *err);

/** Reads the counts so far of the group's n events, in their order. A group that does not inherit is read at
 * one moment. */
int wt_counter_read(const struct wt_counter *counter, struct wt_count *ret, struct wt_err *err);

/** True when it counts activity in a core: cycles, caches, raw events. */
bool wt_counter_is_hardware(const struct wt_perf_spec *spec);
/** True when it counts activity of user code, so that excluding the kernel makes sense for it. Not true for
 * context switches, migrations and tracepoints. */
bool wt_counter_is_of_user(const struct wt_perf_spec *spec);

/** Makes a spec from a tracepoint's number (tracepoint.h). */
void wt_counter_tracepoint(uint16_t id, const char *name, struct wt_perf_spec *ret);

/** Returns how long a group counts before the next one's turn, ns; devices as in wt_perf_spec_parse. */
uint64_t wt_counter_turn(const char *devices, uint32_t type);

/** Returns the type of the PMU of a CPU's core where each kind of core has its own PMU, with its CPUs in
 * *cpus; -1: one PMU for all. name (size bytes) receives the PMU's name. */
int64_t wt_counter_core_pmu(const char *devices, uint32_t cpu, char *name, size_t size,
			    struct wt_cpuset *cpus);

/** Calls fn with each PMU of that name or, when there is none, with each whose name is that name, '_' and a
 * number. */
void wt_counter_pmus(const char *devices, const char *name, void (*fn)(void *ctx, const char *pmu),
		     void *ctx);

/** Reads the CPUs that are present and online. sys: NULL for /sys/devices/system/cpu/online. */
int wt_counter_online(const char *path, struct wt_cpuset *ret, struct wt_err *err);

/** Raises this process's limit of descriptors as far as is permitted. */
void wt_counter_raise_files(void);

#endif
