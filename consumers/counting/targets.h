/* SPDX-License-Identifier: MIT */
/** @file The threads of processes, seen at one moment. */
#ifndef CONSUMERS_COUNTING_TARGETS_H
#define CONSUMERS_COUNTING_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/err.h"

struct wt_threads {
	int *tids; /**< owned; in rising order */
	size_t n;
};

/** The threads of a process; WT_ERR_NOTFOUND when there is no such process. */
int wt_threads_read(int pid, struct wt_threads *ret, struct wt_err *err);
void wt_threads_deinit(struct wt_threads *threads);
bool wt_threads_equal(const struct wt_threads *a, const struct wt_threads *b);

/** The process of a thread; -1 with WT_ERR_NOTFOUND. */
int wt_thread_process(int tid, struct wt_err *err);
/** A thread's name; "" when it has ended. */
void wt_thread_name(int tid, char ret[16]);

/** False once it has ended, even when its parent has not waited for it yet. */
bool wt_thread_lives(int tid);
/** Whether any thread of the process is alive. */
bool wt_process_lives(int pid);

#endif
