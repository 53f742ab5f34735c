// SPDX-License-Identifier: MIT
#include "consumers/session/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

/* ---- signals ---- */

static void endings(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
}

void wt_workload_hold_signals(void)
{
	sigset_t set;

	endings(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

enum { MOST_CHILDREN = 4096 };

/* Sends the signal to the process and its descendants: children first, while they still have a parent. */
static void interrupt_tree(pid_t pid, int sig, unsigned *left)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "re");
	while (file && *left && fscanf(file, "%d", &child) == 1) {
		(*left)--;
		interrupt_tree(child, sig, left);
	}
	if (file)
		fclose(file);
	if (getpgid(pid) == getpgrp())
		kill(pid, sig);
}

/* ---- the command ---- */

static bool is_program(const char *path)
{
	struct stat st;

	if (access(path, X_OK))
		return false;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		errno = EACCES;
		return false;
	}
	return true;
}

/* Searches PATH. As with execvp, a place that may not be searched or run counts only when no other is found.
 */
static bool in_path(const char *name, char *ret)
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	if (!path)
		path = "/bin:/usr/bin";
	for (;;) {
		size_t len = strcspn(path, ":");
		char full[PATH_MAX];

		if (snprintf(full, sizeof(full), "%.*s%s%s", (int)len, path, len ? "/" : "", name) <
		    PATH_MAX) {
			if (is_program(full)) {
				if (ret)
					memcpy(ret, full, sizeof(full));
				return true;
			}
			if (errno == EACCES)
				error = EACCES;
		}
		if (!path[len])
			break;
		path += len + 1;
	}
	errno = error;
	return false;
}

int wt_workload_find(const char *name, char *path, struct wt_err *err)
{
	if (path)
		snprintf(path, PATH_MAX, "%s", name);
	errno = ENOENT;
	if (name[0] && (strchr(name, '/') ? is_program(name) : in_path(name, path)))
		return 0;
	return wt_fail_errno(err, "cannot run %s", name);
}

static int run_command(char **command, int go_fd, int failed_fd)
{
	sigset_t set;
	char byte;
	int error;

	if (read(go_fd, &byte, 1) != 1)
		_exit(0);
	endings(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	execvp(command[0], command);
	error = errno;
	if (write(failed_fd, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int wt_workload_fork(char **command, struct wt_workload *ret, struct wt_err *err)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		return wt_fail_errno(err, "cannot make a pipe");
	ret->pid = fork();
	if (ret->pid < 0)
		return wt_fail_errno(err, "cannot fork");
	if (ret->pid == 0) {
		close(go[1]);
		close(failed[0]);
		run_command(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	ret->go_fd = go[1];
	ret->failed_fd = failed[0];
	return 0;
}

/* Returns the signal that a SIGINT is passed on as. The command ignores SIGINT where this process began with
 * it ignored. */
static int interrupt_as(void)
{
	struct sigaction before;

	sigaction(SIGINT, NULL, &before);
	return before.sa_handler == SIG_IGN ? SIGTERM : SIGINT;
}

/* Returns the next of the signals, all of which are blocked; false: none came in time. */
static bool next_signal(const sigset_t *set, uint64_t until, siginfo_t *ret)
{
	uint64_t now = until == UINT64_MAX ? 0 : wt_clock_now();
	uint64_t left = until > now ? until - now : 0;
	const struct timespec wait = {(time_t)(left / WT_NSEC), (long)(left % WT_NSEC)};

	return (until == UINT64_MAX ? sigwaitinfo(set, ret) : sigtimedwait(set, ret, &wait)) >= 0;
}

/* Returns 1 when the time is over. */
static int await(pid_t pid, uint64_t until, int *status)
{
	int interrupt = interrupt_as();
	sigset_t set;

	endings(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		unsigned left = MOST_CHILDREN;
		siginfo_t info;
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid)
			return 0;
		if (ended < 0 && errno != EINTR)
			return -1;
		if (until != UINT64_MAX && wt_clock_now() >= until)
			return 1;
		if (!next_signal(&set, until, &info) || info.si_signo == SIGCHLD)
			continue;
		if (info.si_signo != SIGINT)
			kill(pid, info.si_signo);
		else if (info.si_code <= 0) /* a signal from the terminal reaches the command itself */
			interrupt_tree(pid, interrupt, &left);
	}
}

/* The end of the command must be reported, whatever signal settings this process has inherited. */
static void hear_of_children(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int wt_workload_release(struct wt_workload *work, const char *name, struct wt_err *err)
{
	hear_of_children();
	if (write(work->go_fd, "", 1) < 0)
		return wt_fail_errno(err, "cannot start %s", name);
	close(work->go_fd);
	work->go_fd = -1;
	return 0;
}

int wt_workload_await(struct wt_workload *work, const char *name, uint64_t until, int *status,
		      struct wt_err *err)
{
	int error = 0, rc = await(work->pid, until, status);

	if (rc < 0)
		return wt_fail_errno(err, "cannot wait for %s", name);
	if (rc)
		return 1;
	if (read(work->failed_fd, &error, sizeof(error)) == sizeof(error)) {
		errno = error;
		return wt_fail_errno(err, "cannot run %s", name);
	}
	return 0;
}

int wt_workload_run(struct wt_workload *work, const char *name, int *status, struct wt_err *err)
{
	if (wt_workload_release(work, name, err))
		return -1;
	return wt_workload_await(work, name, UINT64_MAX, status, err);
}

void wt_workload_close(struct wt_workload *work)
{
	if (work->go_fd >= 0)
		close(work->go_fd);
	if (work->failed_fd >= 0)
		close(work->failed_fd);
	*work = (struct wt_workload)WT_WORKLOAD_NONE;
}

/* The command has not begun yet, and its children inherit the affinity. */
int wt_workload_pin(pid_t pid, const uint32_t *cpus, size_t n, const char *list, struct wt_err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		if (cpus[i] < CPU_SETSIZE)
			CPU_SET(cpus[i], &set);
	if (!sched_setaffinity(pid, sizeof(set), &set))
		return 0;
	if (errno == EINVAL)
		return wt_fail(
			err, WT_ERR_USAGE,
			"-c: CPU %s is not online; /sys/devices/system/cpu/online lists those that are",
			list);
	return wt_fail_errno(err, "-c: cannot run the command on CPU %s", list);
}

/* Interval of checking whether processes have ended, ns. */
#define ALIVE_LOOK (50 * UINT64_C(1000000))

static bool any_alive(const pid_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!kill(pids[i], 0))
			return true;
	return !n;
}

void wt_await_processes(uint64_t length, const pid_t *pids, size_t n)
{
	uint64_t begun = wt_clock_now(), past = 0;
	sigset_t set;

	endings(&set);
	for (; past < length && any_alive(pids, n); past = wt_clock_now() - begun) {
		uint64_t left = length - past < ALIVE_LOOK ? length - past : ALIVE_LOOK;
		struct timespec wait = {(time_t)(left / WT_NSEC), (long)(left % WT_NSEC)};

		if (sigtimedwait(&set, NULL, &wait) > 0)
			return;
	}
}
