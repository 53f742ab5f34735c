/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The time namespace of this process: how far its clocks are from the host's.
 *
 * In a time namespace (Linux 5.6) CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME are ahead of the
 * host's by constants, or behind them, and so is what /proc says of start times; the CPU's counter and the
 * stamps of perf events are not. Everything that leaves a process is on the host's clocks: the offsets are
 * taken off where a clock is read.
 *
 * The namespace of a process does not change while it runs one program, but with setns; that of its children
 * may be another one after unshare.
 */
#ifndef TRACECORE_BASE_TIMENS_H
#define TRACECORE_BASE_TIMENS_H

#include <stdint.h>

/** What to take off this process's clocks to have the host's, ns. */
struct wt_timens {
	int64_t monotonic; /**< CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW */
	int64_t boottime;  /**< CLOCK_BOOTTIME and start times in /proc */
};

/** Looked up once, in /proc; zeros where there is no namespace or it is not known. Async-signal-safe, for
 * several threads. */
const struct wt_timens *wt_timens(void);
/** Looks again, the next time: for the child of a fork. */
void wt_timens_forget(void);
/** The offsets in the text of /proc/PID/timens_offsets; those it does not name are 0. */
struct wt_timens wt_timens_parse(const char *text);

#endif
