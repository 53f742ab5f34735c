/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A recording session in miniature for live tests: plan, open, arm, drain into a callback; and the processes
 * such tests look at.
 *
 * Live tests need the right to trace the whole machine, and tracefs: run as root on a real kernel. Nothing in
 * them waits for a time; a run that hangs is ended by the alarm, later than by the test runner, which says
 * where it hangs.
 */
#ifndef TESTS_UNIT_PROVIDERS_PERF_LIVE_H
#define TESTS_UNIT_PROVIDERS_PERF_LIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "providers/perf/perf.h"
#include "tracecore/base/clock.h"
#include "tracecore/schema/builtin.h"

enum { LIVE_SOURCES = 1024, HANG_SECONDS = 400 };

struct live {
	struct wt_kinds kinds;
	struct wt_perf *perf;
	struct wt_source *sources[LIVE_SOURCES];
	size_t n;
	void (*fn)(struct live *live, const struct wt_event *event);
	void *ctx;
	uint64_t events, lost; /* all events seen; exact losses told */
	struct wt_err err;
};

static inline int live_plan(struct live *live, const struct wt_perf_request *request)
{
	struct wt_provider *provider;
	uint32_t first;

	if (wt_builtin_provider("wtrace", &provider, &live->err))
		return -1;
	if (wt_kinds_add(&live->kinds, provider, &first, &live->err))
		return -1;
	return wt_perf_plan(request, &live->kinds, &live->perf, &live->err);
}

static inline int live_sources(struct live *live)
{
	return wt_perf_sources(live->perf, live->sources, LIVE_SOURCES, &live->n, &live->err);
}

static inline int live_start(struct live *live, const struct wt_perf_request *request)
{
	return live_plan(live, request) || wt_perf_open(live->perf, &live->err) || live_sources(live) ||
	       wt_perf_arm(live->perf, &live->err);
}

static inline void live_take(struct live *live, const struct wt_event *event)
{
	const struct wt_kind *kind = &live->kinds.kinds[event->kind];

	live->events++;
	if (!strcmp(kind->provider->name, "wtrace") && kind->event->id == WT_CORE_LOST) {
		struct wt_lost_payload lost;

		if (!wt_lost_get(event->payload, event->payload_len, &lost) && lost.exact)
			live->lost += lost.count;
	}
	if (live->fn)
		live->fn(live, event);
}

static inline void live_drain(struct live *live)
{
	struct wt_event event;

	for (size_t i = 0; i < live->n; i++) {
		struct wt_source *source = live->sources[i];

		source->ops->refresh(source);
		while (source->ops->peek(source, &event) == 0) {
			live_take(live, &event);
			source->ops->pop(source);
		}
		source->ops->release(source);
	}
}

/* Sleeps until a ring has something or a little time has passed, then drains. */
static inline void live_turn(struct live *live)
{
	struct pollfd fds[LIVE_SOURCES];
	int numbers[LIVE_SOURCES];
	size_t n = wt_perf_poll_fds(live->perf, numbers, LIVE_SOURCES);

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){.fd = numbers[i], .events = POLLIN};
	poll(fds, n, 20);
	live_drain(live);
}

static inline int live_stop(struct live *live)
{
	int ret = wt_perf_disarm(live->perf, &live->err);

	live_drain(live);
	return ret;
}

static inline void live_deinit(struct live *live)
{
	wt_perf_destroy(live->perf);
	wt_kinds_deinit(&live->kinds);
}

/* The event's id if it is the provider's, else 0. */
static inline uint16_t live_id(const struct live *live, const struct wt_event *event, const char *provider)
{
	const struct wt_kind *kind = &live->kinds.kinds[event->kind];

	return strcmp(kind->provider->name, provider) ? 0 : kind->event->id;
}

static inline int live_setup(void **state)
{
	(void)state;
	alarm(HANG_SECONDS);
	if (access("/sys/kernel/tracing/events", R_OK) &&
	    mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL))
		return -1;
	return 0;
}

static inline void check(struct live *live, int failed)
{
	if (failed)
		fail_msg("%s", live->err.text);
}

static inline pid_t start_busy(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile uint64_t i = 0;; i++)
			;
	}
	return pid;
}

static inline void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline bool str_is(struct wt_str s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.p, text, s.len);
}

struct samples {
	pid_t pid;
	unsigned user, kernel, stacks, others;
	uint64_t earliest;
};

static inline void on_sample(struct live *live, const struct wt_event *event)
{
	struct samples *samples = live->ctx;

	if (live_id(live, event, "pmu-profile") != WT_PROFILE_SAMPLE)
		return;
	assert_true(event->time >= samples->earliest && event->time <= wt_clock_now());
	assert_true(event->stack.n_kernel + event->stack.n_user >= 1);
	assert_int_equal(event->payload_len, 9);
	if (event->pid != (uint32_t)samples->pid) {
		samples->others++;
		return;
	}
	samples->user += event->stack.n_user > 0;
	samples->kernel += event->stack.n_kernel > 0;
	samples->stacks += event->stack.status == WT_STACK_FP;
}

/* Waits for a byte, then becomes the program. */
static inline pid_t start_waiting(int *go, char *const argv[])
{
	int fds[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		close(fds[1]);
		if (read(fds[0], &byte, 1) == 1)
			execv(argv[0], argv);
		_exit(127);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

static char *const busy_shell[] = {
	"/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; (exit 0); /bin/true", NULL};

/* Runs the shell under a session of its own; counts in samples. Returns when all of it has gone. */
static inline void run_child_session(struct live *live, bool loader)
{
	struct samples *samples = live->ctx;
	bool running = true;
	int go;
	pid_t pid = start_waiting(&go, busy_shell);
	const struct wt_perf_request request = {.profile = true,
						.profile_stack = true,
						.loader = loader,
						.proc_thread = true,
						.events = (const char *[]){"cpu-clock"},
						.n_events = 1,
						.pids = &pid,
						.n_pids = 1,
						.child = true};

	samples->pid = pid;
	samples->earliest = wt_clock_now();
	check(live, live_start(live, &request));
	live_drain(live);
	assert_int_equal(live->events, 0);
	assert_int_equal(write(go, "x", 1), 1);
	close(go);
	while (running) {
		int fds[LIVE_SOURCES];
		size_t n = wt_perf_poll_fds(live->perf, fds, LIVE_SOURCES);
		struct pollfd p = {.fd = fds[0], .events = POLLIN};

		assert_true(n > 0);
		poll(&p, 1, 50);
		live_drain(live);
		running = !(p.revents & POLLHUP);
	}
	waitpid(pid, NULL, 0);
	check(live, live_stop(live));
}

#endif
