// SPDX-License-Identifier: MIT
/* What is told of gaps in the sideband, where mappings come twice, and of times that cannot be. */
#include <unistd.h>

#include "tests/unit/providers/perf/source_fixture.h"
#include "tracecore/base/clock.h"

static struct wt_perf_fd fds[2];
static int ends[2][2];

/* The descriptors of both events are pipes, which give the kernel's counts. */
static int setup_twins(void **state)
{
	if (setup(state) < 0)
		return -1;
	source->ops->destroy(source);
	fds[0].slot = WT_PERF_SLOT_SIDEBAND;
	fds[1].slot = WT_PERF_SLOT_INODES;
	for (int i = 0; i < 2; i++) {
		if (pipe(ends[i]))
			return -1;
		fds[i].fd = ends[i][0];
	}
	ring->sideband = true;
	ring->fds = fds;
	ring->n_fds = 2;
	perf.caps.format_lost = true;
	make_source();
	return 0;
}

static int teardown_twins(void **state)
{
	ring->n_fds = 0;
	for (int i = 0; i < 4; i++)
		close(ends[i / 2][i % 2]);
	return teardown(state);
}

/* What the kernel has counted of the first event when it is asked next. */
static void put_count(uint64_t lost)
{
	const uint64_t words[] = {0, 70, lost};

	assert_int_equal(write(ends[0][1], words, sizeof(words)), sizeof(words));
}

static struct wt_lost_payload expect_gap(uint64_t time)
{
	struct wt_lost_payload lost;

	expect(KIND_LOST, time);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_int_equal(lost.cause, WT_LOSS_RING_FULL);
	assert_true(lost.to >= time);
	pop();
	return lost;
}

/* A loss is counted by the events' own counters, once. */
static void they_count_once(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	put_count(3);
	write_lost(5, 300);
	refresh();
	lost = expect_gap(300);
	assert_int_equal(lost.count, 3);
	assert_int_equal(lost.exact, 1);
	/* Nothing tells how many: then it is no count. */
	perf.caps.format_lost = false;
	write_lost(2, 400);
	refresh();
	lost = expect_gap(400);
	assert_int_equal(lost.exact, 0);
}

/* The counters told of both at the first: the second is one all the same, with a span of its own. */
static void every_gap_is_told(void **state)
{
	uint64_t before = wt_clock_now();
	struct wt_lost_payload lost;

	(void)state;
	for (int i = 0; i < 2; i++)
		put_count(7);
	write_lost(6, 300);
	write_tick(400, 1);
	write_lost(8, 500);
	refresh();
	lost = expect_gap(300);
	assert_int_equal(lost.count, 7);
	assert_true(lost.to >= before && lost.to <= wt_clock_now());
	expect(KIND_POINT, 400);
	pop();
	lost = expect_gap(500);
	assert_int_equal(lost.count, 0);
	assert_int_equal(lost.from, 400);
	assert_int_equal(lost.to, 500);
	expect_end();
}

/* Only the record with the inode was lost: no event is, and what is mapped is in doubt. */
static void a_lost_twin_is_told(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	put_count(0);
	write_lost(1, 300);
	refresh();
	lost = expect_gap(300);
	assert_int_equal(lost.count, 0);
	assert_memory_equal(lost.provider.p, "loader,proc_thread", lost.provider.len);
	expect_end();
}

/* Bytes that say it is long past, or not yet: damage, at the time of the last record that made sense. */
static void times_that_cannot_be(void **state)
{
	static const uint64_t years[] = {UINT64_MAX, UINT64_MAX / 2, UINT64_C(10383405210202000000)};

	(void)state;
	write_tick(100, 1);
	for (size_t i = 0; i < 3; i++)
		write_tick(years[i], 2);
	write_lost(1, UINT64_MAX);
	write_tick(200, 3);
	refresh();
	expect(KIND_POINT, 100);
	pop();
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(expect_lost(100).cause, WT_LOSS_DAMAGED);
		pop();
	}
	expect(KIND_POINT, 200);
	pop();
	shared[0].began = 3 * WT_NSEC / 2;
	write_tick(WT_NSEC / 4, 4);
	write_tick(WT_NSEC, 5);
	refresh();
	assert_int_equal(expect_lost(200).cause, WT_LOSS_DAMAGED);
	pop();
	expect(KIND_POINT, WT_NSEC);
	pop();
	expect_end();
}

/* Of whatever runs on a CPU that came late: who maps what must be known, and is not asked for. */
static void what_is_everybodys_is_not_for_the_log(void **state)
{
	(void)state;
	ring->everybodys = true;
	fake_begin(&buf, PERF_RECORD_COMM, 0);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	fake_name(&buf, "name");
	fake_trailer(&buf, 5, 70);
	commit();
	refresh();
	expect(KIND_PROC + WT_THREAD_NAME, 5);
	assert_int_equal(event.flags, WT_EVENT_QUIET);
}

static void put_online(char *path, const char *list)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, list, strlen(list)), strlen(list));
	close(fd);
}

static void check_late(const char *providers)
{
	struct wt_lost_payload lost;

	assert_int_equal(source->ops->peek(source, &event), 0);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_int_equal(lost.cause, WT_LOSS_CPU_OFFLINE);
	assert_int_equal(lost.on_cpu, 1);
	assert_int_equal(lost.from, 77);
	assert_int_equal(lost.to, 500);
	assert_int_equal(lost.provider.len, strlen(providers));
	assert_memory_equal(lost.provider.p, providers, lost.provider.len);
	pop();
	expect_end();
}

/* Since when a CPU was missing is known to whoever goes on, though it looked at CPUs later. */
static void a_late_cpu_outlives_its_recorder(void **state)
{
	static struct wt_perf_cpu two[2] = {{.open = true}};
	static uint64_t late[2];
	char path[] = "/tmp/wtrace-online-XXXXXX";
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	put_online(path, "0-1\n");
	slots[0].machine = slots[1].machine = true;
	perf.cpus = two;
	perf.n_cpus = 2;
	perf.n_pids = 1;
	perf.cpu_events = -1;
	perf.online_path = path;
	perf.late = late;
	perf.last_online_check = 77;
	assert_int_equal(wt_perf_hotplug(&perf, NULL, NULL, &err), 0);
	perf.late_told = (struct wt_cpuset){{0}};
	perf.last_online_check = 99;
	assert_int_equal(wt_perf_hotplug(&perf, NULL, NULL, &err), 0);
	unlink(path);
	ring->ended = 500;
	refresh();
	check_late("loader,proc_thread");
	/* Where processes are followed: what was asked for. */
	perf.late_told = (struct wt_cpuset){{0}};
	perf.follows = true;
	perf.proc_thread = false;
	source->ops->destroy(source);
	make_source();
	refresh();
	check_late("loader");
}

#define TEST(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)
#define TWINS(f) cmocka_unit_test_setup_teardown(f, setup_twins, teardown_twins)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TWINS(they_count_once),
		TWINS(every_gap_is_told),
		TWINS(a_lost_twin_is_told),
		TEST(times_that_cannot_be),
		TEST(what_is_everybodys_is_not_for_the_log),
		TEST(a_late_cpu_outlives_its_recorder),
	};

	return cmocka_run_group_tests_name("perf/source_losses", tests, NULL, NULL);
}
