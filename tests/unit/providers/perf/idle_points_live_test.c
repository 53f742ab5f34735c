// SPDX-License-Identifier: MIT
/* Wakes and switches of idle threads: a session of the scheduler has those of every CPU that sleeps, each
 * once. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "providers/perf/idle_points.h"
#include "tests/unit/providers/perf/live.h"
#include "tracecore/base/bytes.h"

/* A CPU that other programs never leave idle has no such events: after so many turns of its sleeper the
 * kernel's account has to say the same. */
enum { CPUS = 64, EACH = 20, TURNS = 5000 };

struct idle {
	pid_t sleepers[CPUS];
	uint32_t turns[CPUS];             /* the sleeper got its CPU */
	uint64_t rest[CPUS];              /* the CPU's idle time at the start, in ticks */
	uint32_t woken[CPUS], left[CPUS]; /* by CPU: events of its idle thread */
	uint64_t before[CPUS];            /* the last switch of the idle thread */
	unsigned by_thread;               /* wakes that no interrupt is said to have done */
	bool told;                        /* wakes tell their kind of interrupt */
};

static void on_event(struct live *live, const struct wt_event *event)
{
	struct idle *idle = live->ctx;
	bool is_switch;
	uint8_t context;

	if (event->cpu >= CPUS)
		return;
	is_switch = live_id(live, event, "cswitch") == WT_CSWITCH;
	if (is_switch && wt_load_u32(event->payload) == (uint32_t)idle->sleepers[event->cpu])
		idle->turns[event->cpu]++;
	if (event->tid)
		return;
	if (is_switch) {
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
	struct wt_bpf_object *points;
	struct wt_err err = WT_ERR_INIT;

	if (wt_idle_points_open(&points, &err) < 0) {
		print_message("# without BPF: %s\n", err.text);
		return false;
	}
	wt_bpf_close(points);
	return true;
}

/* Ticks (1/sysconf(_SC_CLK_TCK) s) in which the CPU was idle, of /proc/stat. */
static uint64_t rest_of(int cpu)
{
	FILE *file = fopen("/proc/stat", "r");
	uint64_t idle = 0, user, nice, system;
	char line[512];
	int number;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &number, &user, &nice,
			   &system, &idle) == 5 &&
		    number == cpu)
			break;
	fclose(file);
	return idle;
}

static bool has_all(const struct idle *idle, int cpu)
{
	return idle->woken[cpu] >= EACH && idle->left[cpu] >= EACH;
}

static bool enough(const struct idle *idle, const cpu_set_t *set)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET(cpu, set) && !has_all(idle, cpu) && idle->turns[cpu] < TURNS)
			return false;
	return true;
}

/* A sleeper's timer ends each idle time after a millisecond: with fewer than EACH of them on a CPU it was
 * idle for less than a fifth of a second, ten times as long. */
static void was_busy(const struct idle *idle, int cpu)
{
	uint64_t ticks = rest_of(cpu) - idle->rest[cpu];

	print_message("# CPU %d: %u switches and %u wakes of its idle thread, %" PRIu64 " ticks idle\n", cpu,
		      idle->left[cpu], idle->woken[cpu], ticks);
	assert_true(ticks <= (uint64_t)sysconf(_SC_CLK_TCK) / 5);
}

static void each_idle_thread_is_told_once(void **state)
{
	const struct wt_perf_request request = {.cswitch = true, .dispatcher = true};
	struct idle idle = {0};
	struct live live = {.fn = on_event, .ctx = &idle};
	cpu_set_t set;

	(void)state;
	if (!has_program())
		return;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	check(&live, live_start(&live, &request));
	for (int cpu = 0; cpu < CPUS; cpu++)
		if (CPU_ISSET(cpu, &set)) {
			idle.rest[cpu] = rest_of(cpu);
			idle.sleepers[cpu] = start_sleeper(cpu);
		}
	while (!enough(&idle, &set))
		live_turn(&live);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		if (idle.sleepers[cpu] && !has_all(&idle, cpu))
			was_busy(&idle, cpu);
		if (idle.sleepers[cpu])
			end_child(idle.sleepers[cpu]);
	}
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
