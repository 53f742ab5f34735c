/* SPDX-License-Identifier: MIT */
/**
 * @file
 * /proc/PID/stat: the parent of a process or thread, and when it began.
 */
#ifndef PROVIDERS_PERF_PROC_STAT_H
#define PROVIDERS_PERF_PROC_STAT_H

#include <stdbool.h>
#include <stdint.h>

/** The fields read from the line; the name in it may contain spaces and parentheses. */
struct wt_stat_line {
	uint32_t pid, parent;
	uint64_t start_ticks;
};
bool wt_stat_line_parse(const char *line, struct wt_stat_line *ret);
/** Reads the line of a process (tid 0) or of a thread. False: it does not exist, or does not answer
 * (apart.h). */
bool wt_stat_line_read(uint32_t pid, uint32_t tid, struct wt_stat_line *ret);

/** Turns start_ticks into the session's clock. */
struct wt_start_clock {
	int64_t boot_offset; /**< see wt_clock_boot_offset */
	uint64_t tick_ns;
};
struct wt_start_clock wt_start_clock(void);
/** Returns 0 for times before the session clock's zero, as in another time namespace or after a suspend. */
uint64_t wt_start_clock_time(const struct wt_start_clock *clock, uint64_t ticks);

/** Returns when a process began, by /proc; 0: it does not exist, or the time is unknown. Session clock. */
uint64_t wt_perf_start_of(uint32_t pid);

#endif
