/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The command that `record` runs: forked before the session, so that it can be recorded from its first
 * instruction, and released when the session records. Signals that end a recording go to the command, and
 * the command's end ends the recording. One at a time; one thread.
 */
#ifndef CONSUMERS_SESSION_WORKLOAD_H
#define CONSUMERS_SESSION_WORKLOAD_H

#include <stdint.h>
#include <sys/types.h>

#include "tracecore/base/err.h"

struct wt_workload {
	pid_t pid;
	int go_fd;     /**< a byte sent here lets it exec; if this is closed without one, it ends */
	int failed_fd; /**< receives the errno of a failed exec */
};

#define WT_WORKLOAD_NONE                                \
	{                                               \
		.pid = -1, .go_fd = -1, .failed_fd = -1 \
	}

/** Blocks SIGINT, SIGTERM and SIGHUP until the command runs. */
void wt_workload_hold_signals(void);

/** Checks that a program of that name exists, searching as execvp does. path: NULL, or at least PATH_MAX
 * bytes for its path. */
int wt_workload_find(const char *name, char *path, struct wt_err *err);
/** Forks; the command waits. */
int wt_workload_fork(char **command, struct wt_workload *ret, struct wt_err *err);
/** Runs the command to its end; *status as from waitpid. -1: it could not be run. SIGTERM and SIGHUP are
 * passed on to it. Ctrl-C reaches it through the terminal. A SIGINT sent to this process alone is passed on
 * to the command and its descendants in this process group. It is passed on as SIGTERM where SIGINT was
 * ignored when this process began (a job that a script has put in the background), because the command
 * ignores SIGINT then, too. */
int wt_workload_run(struct wt_workload *work, const char *name, int *status, struct wt_err *err);
/** The two halves of wt_workload_run: releases the command; waits for its end, or until wt_clock_now reaches
 * `until` (UINT64_MAX: forever). Returns 0 at the end, 1 when the time was over before. */
int wt_workload_release(struct wt_workload *work, const char *name, struct wt_err *err);
int wt_workload_await(struct wt_workload *work, const char *name, uint64_t until, int *status,
		      struct wt_err *err);
/** Lets a command that was not released run on these CPUs alone; list names them in the error. */
int wt_workload_pin(pid_t pid, const uint32_t *cpus, size_t n, const char *list, struct wt_err *err);
/** A command that was not released ends. */
void wt_workload_close(struct wt_workload *work);

/** Waits until length (ns) is over, one of the signals that wt_workload_hold_signals blocks comes, or all of
 * the processes have ended (none: they never do). */
void wt_await_processes(uint64_t length, const pid_t *pids, size_t n);

#endif
