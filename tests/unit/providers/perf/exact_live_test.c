// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sched.h>

#include "providers/perf/internal.h"
#include "tests/unit/providers/perf/live.h"

struct balance {
	uint64_t produced, lost; /* by the kernel's count */
	uint64_t seen, told;     /* samples and losses in the rings */
	unsigned rows, gaps;
};

static void on_counted(void *ctx, const struct wt_counted_payload *counted)
{
	struct balance *balance = ctx;

	assert_true(counted->period1);
	assert_int_equal(counted->written, 0);
	assert_true(str_is(counted->provider, "linux:sched") && str_is(counted->event, "sched_switch"));
	balance->produced += counted->produced;
	balance->lost += counted->lost;
	balance->rows++;
}

static void on_switch(struct live *live, const struct wt_event *event)
{
	struct balance *balance = live->ctx;
	struct wt_lost_payload lost;

	if (live_id(live, event, "linux:sched"))
		balance->seen++;
	if (live_id(live, event, "wtrace") != WT_CORE_LOST)
		return;
	assert_int_equal(wt_lost_get(event->payload, event->payload_len, &lost), 0);
	if (str_is(lost.provider, "linux:sched") && lost.exact)
		balance->told += lost.count;
}

static const struct wt_perf_tracepoint sched_switch = {"sched:sched_switch", true};

/* Two processes that hand a byte to and fro: thousands of switches a second. */
static pid_t start_switching(void)
{
	pid_t pid = fork();
	int there[2], back[2];
	char byte = 0;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(there) || pipe(back))
		_exit(1);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The other may be gone before this is asked for: then its ends of the pipes are. */
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		;
	_exit(0);
}

static void every_switch_is_accounted_for(void **state)
{
	const struct wt_perf_request request = {.tracepoints = &sched_switch, .n_tracepoints = 1};
	struct balance balance = {0};
	struct live live = {.fn = on_switch, .ctx = &balance};
	pid_t pid;

	(void)state;
	check(&live, live_start(&live, &request));
	pid = start_switching();
	while (balance.seen < 5000)
		live_turn(&live);
	end_child(pid);
	check(&live, live_stop(&live));
	check(&live, wt_perf_counters(live.perf, on_counted, &balance, &live.err));
	assert_int_equal(balance.produced, balance.seen + balance.lost);
	assert_int_equal(balance.told, balance.lost);
	assert_true(balance.rows >= 1);
	live_deinit(&live);
}

static uint64_t total_produced(struct live *live)
{
	struct balance balance = {0};

	check(live, wt_perf_counters(live->perf, on_counted, &balance, &live->err));
	return balance.produced;
}

/* Nobody drains until far more was produced than fits: what the loss records and the last settlement say adds
 * up to the kernel's own count. */
static void a_starved_ring_adds_up(void **state)
{
	const struct wt_perf_request request = {
		.tracepoints = &sched_switch, .n_tracepoints = 1, .sample_pages = 1, .sideband_pages = 1};
	struct balance balance = {0};
	struct live live = {.fn = on_switch, .ctx = &balance};
	pid_t pid;

	(void)state;
	check(&live, live_start(&live, &request));
	pid = start_switching();
	for (int rounds = 1; rounds <= 3; rounds++) {
		while (total_produced(&live) < 4000 * (uint64_t)rounds)
			sched_yield();
		if (rounds < 3)
			live_drain(&live);
	}
	end_child(pid);
	check(&live, live_stop(&live));
	check(&live, wt_perf_counters(live.perf, on_counted, &balance, &live.err));
	assert_true(balance.lost > 1000);
	assert_int_equal(balance.produced, balance.seen + balance.lost);
	assert_int_equal(balance.told, balance.lost);
	live_deinit(&live);
}

/* The first reader, which dies in the middle: pops more than it releases. */
static void read_and_die(struct live *live, int report)
{
	struct balance *balance = live->ctx;
	uint64_t released = 0;

	check(live, wt_perf_map(live->perf, &live->err) || live_sources(live));
	while (released < 1000) {
		live_turn(live);
		released = balance->seen;
	}
	if (write(report, &balance->seen, sizeof(balance->seen)) != sizeof(balance->seen) ||
	    write(report, &balance->told, sizeof(balance->told)) != sizeof(balance->told))
		_exit(1);
	for (size_t i = 0; i < live->n; i++) {
		struct wt_event event;

		live->sources[i]->ops->refresh(live->sources[i]);
		for (int k = 0; k < 10 && !live->sources[i]->ops->peek(live->sources[i], &event); k++)
			live->sources[i]->ops->pop(live->sources[i]);
	}
	raise(SIGKILL);
}

static void a_second_reader_goes_on(void **state)
{
	const struct wt_perf_request request = {.tracepoints = &sched_switch, .n_tracepoints = 1};
	struct balance balance = {0};
	struct live live = {.fn = on_switch, .ctx = &balance};
	uint64_t before[2];
	pid_t busy, reader;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	check(&live, live_plan(&live, &request) || wt_perf_open(live.perf, &live.err));
	check(&live, wt_perf_arm(live.perf, &live.err));
	busy = start_switching();
	reader = fork();
	if (reader == 0)
		read_and_die(&live, fds[1]);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
	assert_int_equal(read(fds[0], before, sizeof(before)), sizeof(before));
	close(fds[0]);
	close(fds[1]);
	check(&live, live_sources(&live));
	live_drain(&live);
	end_child(busy);
	check(&live, live_stop(&live));
	balance.seen += before[0];
	check(&live, wt_perf_counters(live.perf, on_counted, &balance, &live.err));
	assert_int_equal(balance.produced, balance.seen + balance.lost);
	assert_int_equal(balance.told + before[1], balance.lost);
	live_deinit(&live);
}

static void write_online(const char *path, const char *list)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	fputs(list, file);
	assert_int_equal(fclose(file), 0);
}

/* What hotplug told. */
struct plugged {
	struct live *live;
	unsigned gone, came;
};

static int on_plug(void *ctx, uint32_t cpu, bool online, struct wt_source **sources, size_t n)
{
	struct plugged *plugged = ctx;
	struct wt_event event;

	assert_true(cpu < 8192);
	assert_int_equal(n, WT_PERF_RINGS);
	plugged->gone += !online;
	plugged->came += online;
	for (size_t i = 0; i < n; i++) {
		sources[i]->ops->refresh(sources[i]);
		while (sources[i]->ops->peek(sources[i], &event) == 0) {
			live_take(plugged->live, &event);
			sources[i]->ops->pop(sources[i]);
		}
		if (!online)
			sources[i]->ops->destroy(sources[i]);
	}
	return 0;
}

static void on_gap(struct live *live, const struct wt_event *event)
{
	struct wt_lost_payload lost;

	on_switch(live, event);
	if (live_id(live, event, "wtrace") != WT_CORE_LOST)
		return;
	assert_int_equal(wt_lost_get(event->payload, event->payload_len, &lost), 0);
	if (lost.cause == WT_LOSS_CPU_OFFLINE && lost.to > lost.from)
		((struct balance *)live->ctx)->gaps++;
}

/* The list of CPUs is the test's: to the session all CPUs go and come back. What they had counted before is
 * kept. */
static void cpus_that_come_and_go(void **state)
{
	const struct wt_perf_request request = {.tracepoints = &sched_switch, .n_tracepoints = 1};
	struct balance balance = {0};
	struct live live = {.fn = on_gap, .ctx = &balance};
	struct plugged plugged = {.live = &live};
	char path[] = "/tmp/wtrace-online-XXXXXX", list[256];
	unsigned n_cpus;
	pid_t pid;

	(void)state;
	close(mkstemp(path));
	assert_true(wt_text_read("/sys/devices/system/cpu/online", list, sizeof(list)) > 0);
	check(&live, live_start(&live, &request));
	live.perf->online_path = path;
	n_cpus = wt_cpuset_count(&live.perf->online);
	pid = start_switching();
	while (balance.seen < 1000)
		live_turn(&live);
	write_online(path, list);
	check(&live, wt_perf_hotplug(live.perf, on_plug, &plugged, &live.err));
	assert_int_equal(plugged.gone + plugged.came, 0);
	write_online(path, "");
	check(&live, wt_perf_hotplug(live.perf, on_plug, &plugged, &live.err));
	assert_int_equal(plugged.gone, n_cpus);
	assert_int_equal(wt_perf_ring_bytes(live.perf), 0);
	write_online(path, list);
	check(&live, wt_perf_hotplug(live.perf, on_plug, &plugged, &live.err));
	unlink(path);
	assert_int_equal(plugged.came, n_cpus);
	assert_int_equal(balance.gaps, 2 * n_cpus);
	check(&live, live_sources(&live));
	while (balance.seen < 3000)
		live_turn(&live);
	end_child(pid);
	check(&live, live_stop(&live));
	check(&live, wt_perf_counters(live.perf, on_counted, &balance, &live.err));
	assert_int_equal(balance.produced, balance.seen + balance.lost);
	live_deinit(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_switch_is_accounted_for),
		cmocka_unit_test(a_starved_ring_adds_up),
		cmocka_unit_test(a_second_reader_goes_on),
		cmocka_unit_test(cpus_that_come_and_go),
	};

	return cmocka_run_group_tests_name("perf/exact_live", tests, live_setup, NULL);
}
