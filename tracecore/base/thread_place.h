/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where a thread waits, as the kernel tells it in /proc, without stopping the thread.
 */
#ifndef TRACECORE_BASE_THREAD_PLACE_H
#define TRACECORE_BASE_THREAD_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct wt_thread_place {
	int32_t call;     /**< number of the system call; -1: outside of calls */
	uint64_t args[3]; /**< the call's first ones; 0 outside of calls */
	uint64_t sp, pc;  /**< user registers; 0 for threads of the kernel */
};

/** True when the thread is off the CPUs in a wait: the kernel tells the place of no other thread. False also
 * where the kernel does not tell it to this process, or not in time: a process can make whoever asks wait, in
 * an exec that closes a file of a program. Therefore it is asked apart (apart.h); direct: not so, for
 * processes of users who are trusted. */
bool wt_thread_place(uint32_t pid, uint32_t tid, bool direct, struct wt_thread_place *ret);
/** The registers may belong to another program, or to another place of it, than the stack: in execve and in
 * the return from a signal. */
bool wt_thread_place_changes(const struct wt_thread_place *place);

/** How often the thread has left a CPU, and its state as a letter; false: there is no such thread. */
bool wt_thread_switches(uint32_t pid, uint32_t tid, uint64_t *ret, char *state);

/** The function of the kernel in which the thread waits, zero-ended; empty: not known. */
void wt_thread_function(uint32_t pid, uint32_t tid, char ret[64]);

#endif
