/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The identity of a process (pid and start time) in one word, so that it can be entered and checked in one
 * step.
 */
#ifndef TRACECORE_ENABLE_PROCESS_H
#define TRACECORE_ENABLE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** start << 32 | pid, where start is the low half of field 22 of /proc/PID/stat; start 0: /proc did not
 * give it. Async-signal-safe. */
uint64_t wt_process_self(void);
/** False when the process has ended, is a zombie, or its pid now belongs to another process. Without /proc
 * a process whose pid exists counts as alive. Async-signal-safe. */
bool wt_process_alive(uint64_t process);

/** How the stat file of another process's first thread is read, zero-ended; false: not now. Set once, by a
 * recorder: the process may make whoever reads it wait for ever (tracecore/base/apart.h). NULL: directly. */
typedef bool wt_process_read_fn(uint32_t pid, const char *name, char *ret, size_t size);
extern wt_process_read_fn *wt_process_read;

/** The mark of this process: moment << 32 | pid as in an enable file. The moment is the present one and
 * needs no look into /proc. */
uint64_t wt_process_mark(void);
/** As wt_process_mark, at most two ticks later. Makes no system call and does not read the counter, which
 * may be forbidden. For the child of a process that has a mark. */
uint64_t wt_process_mark_at_hand(void);
/** False when the process has ended, or the pid belongs to a process that started after the mark. */
bool wt_process_mark_alive(uint64_t mark);

#endif
