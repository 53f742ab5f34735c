/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * What the scripted PMUs count: the law that the module follows and that tests compute the truth from.
 *
 * The core PMU has type 4 (PERF_TYPE_RAW), so hardware, cache and raw events are its events too. It has 7
 * counters per CPU. An event is a number N in config bits 0 to 15:
 *
 *	0x01 to 0x1ff   the law of time. N counts 4 N in each tenth of a microsecond on a counter: 3 N of
 *	                them happen in user mode and N in the kernel, whatever runs. With BURST and ON in
 *	                bits 16 to 23 and 24 to 31, milliseconds, it counts in the first ON of each BURST of
 *	                the clock alone.
 *	0x200 to 0xffff the law of rings. N counts what threads write to /dev/scripted_pmu: an exact number,
 *	                of the thread that writes, at the place in the program where it does.
 *
 * With the module's parameter by_time=0 all events follow the law of rings, so that those that metrics need
 * by number can be rung too. Everything that is on a counter of one CPU at one time has the same clock, and
 * it is read once for a group: the counts of events of a group are in the exact relation of their laws.
 *
 * A sampling event overflows once for each whole period of what it counted: by the law of time in an
 * interrupt of a timer, by the law of rings in the write, with the registers of the writer. Nothing is
 * sampled when a period ends on an idle CPU, or in a mode that the event leaves out.
 *
 * Uncore PMUs have one CPU each (cpumask) and count by the law of time, for the whole machine:
 *
 *	arm_dsu_0     event N: N in a tenth of a microsecond
 *	arm_dsu_1     twice that
 *	arm_cmn_0     type T, eventid E: 10 (T + E); of one node (bynodeid=1, nodeid=K): (K % 4 + 1) (T + E)
 *	arm_dmc620_0  event N: 2 (N + 1); with clkdiv2=1: N + 1
 *	arm_dmc620_1  twice that
 */
#ifndef TESTS_VM_PMU_LAW_H
#define TESTS_VM_PMU_LAW_H

#include <linux/types.h>

enum {
	SCRIPTED_COUNTERS = 7,
	SCRIPTED_TICK_NS = 100,
	SCRIPTED_USER = 3, /* parts of 4 */
	SCRIPTED_KERNEL = 1,
	SCRIPTED_FIRST_RUNG = 0x200,
	SCRIPTED_RINGS_AT_ONCE = 16,
};

/** One write to /dev/scripted_pmu is 1 to 16 of these. An event that is on no counter then misses it. */
struct scripted_ring {
	__u32 event;
	__u32 zero;
	__u64 user;   /**< how many happen in user mode */
	__u64 kernel; /**< and in the kernel */
};

/** Core events of the law of time: how many happen in one tick. */
static inline __u64 scripted_rate(__u64 config, int user, int kernel)
{
	return (config & 0xffff) * ((user ? SCRIPTED_USER : 0) + (kernel ? SCRIPTED_KERNEL : 0));
}

/** Of the ticks before `tick`, those in which an event with this config counts. */
static inline __u64 scripted_ticks_on(__u64 config, __u64 tick)
{
	__u64 ms = 1000000 / SCRIPTED_TICK_NS, burst = (config >> 16 & 0xff) * ms,
	      on = (config >> 24 & 0xff) * ms;

	if (!burst || on >= burst)
		return tick;
	return tick / burst * on + (tick % burst < on ? tick % burst : on);
}

/** How long after `tick` an event has counted for `wanted` more ticks; too early where bursts lie between. */
static inline __u64 scripted_ticks_until(__u64 config, __u64 tick, __u64 wanted)
{
	__u64 ms = 1000000 / SCRIPTED_TICK_NS, burst = (config >> 16 & 0xff) * ms,
	      on = (config >> 24 & 0xff) * ms;

	if (!burst || on >= burst || tick % burst < on)
		return wanted;
	return wanted + burst - tick % burst;
}

#endif
