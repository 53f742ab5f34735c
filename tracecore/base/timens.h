/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The time namespace of this process: the offsets of its clocks from the host's.
 *
 * In a time namespace (Linux 5.6) CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME are ahead of the
 * host's clocks or behind them by constants, and so are the start times in /proc. The CPU's counter and the
 * stamps of perf events are not. All times that leave a process are times of the host's clocks: the offsets
 * are subtracted where a clock is read.
 *
 * The namespace of a process does not change while it runs one program, except by setns. Its children may
 * have another namespace after unshare.
 */
#ifndef TRACECORE_BASE_TIMENS_H
#define TRACECORE_BASE_TIMENS_H

#include <stdint.h>

/** The offsets to subtract from this process's clocks to get the host's clocks, ns. */
struct wt_timens {
	int64_t monotonic; /**< CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW */
	int64_t boottime;  /**< CLOCK_BOOTTIME and start times in /proc */
};

/** The offsets are looked up once, in /proc; zeros where there is no namespace or it is not known.
 * Async-signal-safe; several threads may call it. */
const struct wt_timens *wt_timens(void);
/** Makes the next call look again: for the child of a fork. */
void wt_timens_forget(void);
/** The offsets in the text of /proc/PID/timens_offsets; offsets that the text does not name are 0. */
struct wt_timens wt_timens_parse(const char *text);

#endif
