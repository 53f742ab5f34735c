/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A process's identity, pid and start time, in one word, so that it is entered and checked in one step.
 */
#ifndef TRACECORE_ENABLE_PROCESS_H
#define TRACECORE_ENABLE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/** start << 32 | pid, where start is the low half of field 22 of /proc/PID/stat; start 0: /proc did not tell.
 * Async-signal-safe. */
uint64_t wt_process_self(void);
/** False when the process is gone, is a zombie, or its pid now is another one's. Without /proc a process
 * whose pid exists counts as alive. Async-signal-safe. */
bool wt_process_alive(uint64_t process);

/** A process by pid and the moment it is noted, which costs no look into /proc: moment << 32 | pid as in an
 * enable file. */
uint64_t wt_process_mark(void);
/** The same, later by two ticks at most, without a system call and without the counter that may be forbidden:
 * in the child of a process that has a mark. */
uint64_t wt_process_mark_at_hand(void);
/** False when the process is gone, or the pid is one's that started after the mark. */
bool wt_process_mark_alive(uint64_t mark);

#endif
