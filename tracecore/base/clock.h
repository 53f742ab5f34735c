/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The clocks of a trace.
 *
 * The session clock is CLOCK_MONOTONIC_RAW in nanoseconds: the kernel stamps perf events with it, and it
 * never jumps and never slews. Clock sets tie it to the counter (rdtsc / cntvct), to CLOCK_MONOTONIC and to
 * wall time, and every segment of a log file carries some, so that a reader converts between all four. All
 * are clocks of the host, also in a time namespace (timens.h).
 */
#ifndef TRACECORE_BASE_CLOCK_H
#define TRACECORE_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Nanoseconds in a second. */
#define WT_NSEC UINT64_C(1000000000)

/** The clock of file times moves in ticks. On any kernel, the time of a change may be this much too early,
 * ns. */
#define WT_FILE_TICK UINT64_C(10000000)

/** The four clocks read at one moment. */
struct wt_clockset {
	uint64_t tick;     /**< rdtsc or cntvct_el0; 0 where the kernel's clocksource is not that counter */
	uint64_t raw;      /**< CLOCK_MONOTONIC_RAW, ns */
	uint64_t mono;     /**< CLOCK_MONOTONIC, ns */
	uint64_t realtime; /**< CLOCK_REALTIME, ns since 1970 */
};

/** Session time now: CLOCK_MONOTONIC_RAW, ns. Async-signal-safe. */
uint64_t wt_clock_now(void);

/** CPU time used so far by the calling process (all its threads), ns. */
uint64_t wt_clock_process_cpu(void);
/** CPU time used so far by another process, ns; 0: no such process, or no right to ask. */
uint64_t wt_clock_cpu_of(pid_t pid);
/** CPU time used so far by the calling thread, ns. */
uint64_t wt_clock_thread_cpu(void);

/** CLOCK_MONOTONIC at the kernel's last tick, ns: no counter is read. Async-signal-safe. */
uint64_t wt_clock_last_tick(void);
/** CLOCK_BOOTTIME of the host in hundredths of a second: the start time that /proc of the host shows for a
 * process that starts now. Async-signal-safe. */
uint64_t wt_clock_boot_ticks(void);
/** Returns wt_clock_boot_ticks or up to two more, from the kernel's last tick. Reads no counter, because
 * that may be forbidden. Assumes that the machine has not been suspended since wt_clock_boot_ticks. */
uint64_t wt_clock_boot_ticks_at_hand(void);

/** The nanoseconds by which CLOCK_BOOTTIME is ahead of the session clock now; negative when it is behind.
 * Start times in /proc count from boot. This converts them, as this process reads them, into session time. */
int64_t wt_clock_boot_offset(void);

/** True where the kernel itself uses the CPU's counter (rdtsc, cntvct_el0) as its clock. Looked up once. */
bool wt_clock_has_counter(void);

/** Reads the counter and the session clock at one moment, within a few ns: keeps the tightest of several
 * tries. Where the counter is no clock, *tick is *raw. */
void wt_clock_pair(uint64_t *tick, uint64_t *raw);

/** Reads all four clocks. Several tries read the raw clock before and after the others; the tightest is
 * kept. The other three lie within its window (about 100 ns). */
void wt_clock_sample(struct wt_clockset *ret);
/** As wt_clock_sample, but without the counter (tick is 0). It opens no file, so it may be called often.
 */
void wt_clock_sample_times(struct wt_clockset *ret);

/** The kernel's name for the present boot (boot id), as text; "" where it cannot be read. */
void wt_clock_boot_id(char *ret, size_t size);

#endif
