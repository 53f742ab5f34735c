// SPDX-License-Identifier: MIT
/* Wakes and switches of idle threads: a session of the scheduler has those of every CPU that sleeps, each
 * once. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "providers/perf/idle_points.h"
#include "tests/unit/providers/perf/live.h"
#include "tracecore/base/bytes.h"

enum { CPUS = 64, EACH = 20 };

struct idle {
	uint32_t woken[CPUS], left[CPUS]; /* by CPU: events of its idle thread */
	uint64_t before[CPUS];            /* the last switch of the idle thread */
	unsigned by_thread;               /* wakes that no interrupt is said to have done */
	bool told;                        /* wakes tell their kind of interrupt */
};

static void on_event(struct live *live, const struct wt_event *event)
{
	struct idle *idle = live->ctx;
	uint8_t context;

	if (event->tid || event->cpu >= CPUS)
		return;
	if (live_id(live, event, "cswitch") == WT_CSWITCH) {
		assert_int_equal(wt_load_u32(event->payload + 4), 0);
		assert_int_not_equal(wt_load_u32(event->payload), 0);
		/* The tracepoint and the program do not both tell. */
		assert_true(event->time > idle->before[event->cpu]);
		idle->before[event->cpu] = event->time;
		idle->left[event->cpu]++;
	} else if (live_id(live, event, "dispatcher") == WT_READY) {
		context = event->payload[12];
		idle->woken[event->cpu]++;
		idle->by_thread += context == WT_WAKER_THREAD;
		idle->told |= context == WT_WAKER_INTERRUPT || context == WT_WAKER_SOFTIRQ;
	}
}

/* Sleeps again and again on a CPU, so that a timer wakes it there. */
static pid_t start_sleeper(int cpu)
{
	const struct timespec ms = {0, 1000000};
	pid_t pid = fork();
	cpu_set_t set;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!nanosleep(&ms, NULL))
		;
	_exit(1);
}

static bool has_program(void)
{
	struct wt_idle_points *points;
	struct wt_err err = WT_ERR_INIT;

	if (wt_idle_points_open(&points, &err) < 0) {
		print_message("# without BPF: %s\n", err.text);
		return false;
	}
	wt_idle_points_close(points);
	return true;
}

static bool enough(const struct idle *idle, const cpu_set_t *set)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET(cpu, set) && (idle->woken[cpu] < EACH || idle->left[cpu] < EACH))
			return false;
	return true;
}

static void each_idle_thread_is_told_once(void **state)
{
	const struct wt_perf_request request = {.cswitch = true, .dispatcher = true};
	struct idle idle = {0};
	struct live live = {.fn = on_event, .ctx = &idle};
	pid_t sleepers[CPUS] = {0};
	cpu_set_t set;

	(void)state;
	if (!has_program())
		return;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	check(&live, live_start(&live, &request));
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET(cpu, &set))
			sleepers[cpu] = start_sleeper(cpu);
	while (!enough(&idle, &set))
		live_turn(&live);
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (sleepers[cpu])
			end_child(sleepers[cpu]);
	check(&live, live_stop(&live));
	/* A timer wakes in an interrupt. */
	assert_true(!idle.told || idle.by_thread < EACH);
	live_deinit(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_idle_thread_is_told_once)};

	return cmocka_run_group_tests_name("idle_points_live", tests, live_setup, NULL);
}
