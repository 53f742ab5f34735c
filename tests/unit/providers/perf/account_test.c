// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "providers/perf/unsampled.h"
#include "tests/unit/providers/perf/source_fixture.h"
#include "tracecore/base/clock.h"

/* The descriptor of slot 1 is a pipe that gives the kernel's counts as often as they are asked for. */
static int counter[2];
static struct wt_perf_fd fds[1];
static struct wt_perf_sums sums[4];
enum { KIND_TIME = 300, KIND_UNSAMPLED = 301 };

static void set_counts(uint64_t produced, uint64_t lost)
{
	const uint64_t words[] = {produced, 72, lost};
	uint64_t old[3];

	while (read(counter[0], old, sizeof(old)) > 0)
		;
	for (int i = 0; i < 32; i++)
		assert_int_equal(write(counter[1], words, sizeof(words)), sizeof(words));
}

static int setup_counter(void **state)
{
	if (setup(state) < 0 || pipe2(counter, O_NONBLOCK | O_CLOEXEC) < 0)
		return -1;
	fds[0] = (struct wt_perf_fd){.fd = counter[0], .slot = 1};
	ring->fds = fds;
	ring->n_fds = 1;
	memset(sums, 0, sizeof(sums));
	ring->sums = sums;
	perf.caps.format_lost = true;
	shared[0].began = 50;
	return 0;
}

static int teardown_counter(void **state)
{
	int ret = teardown(state);

	close(counter[0]);
	close(counter[1]);
	free(ring->past);
	return ret;
}

static void take_ticks(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		write_tick(100 + i, i);
	refresh();
	for (unsigned i = 0; i < n; i++) {
		expect(KIND_POINT, 100 + i);
		pop();
	}
}

static void what_was_not_sampled_is_told(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	take_ticks(3);
	set_counts(10, 2);
	ring->ended = 500;
	refresh();
	lost = expect_lost(500);
	assert_int_equal(lost.cause, WT_LOSS_RING_FULL);
	assert_int_equal(lost.count, 2);
	pop();
	lost = expect_lost(500);
	assert_int_equal(lost.cause, WT_LOSS_NOT_SAMPLED);
	assert_int_equal(lost.count, 5);
	assert_int_equal(lost.exact, 1);
	assert_int_equal(lost.from, 50);
	assert_int_equal(lost.event.len, 4);
	assert_memory_equal(lost.event.p, "tick", 4);
	pop();
	expect_end();
}

static void a_full_account_says_nothing(void **state)
{
	(void)state;
	take_ticks(3);
	set_counts(3, 0);
	ring->ended = 500;
	refresh();
	expect_end();
}

/* Without the kernel's count of what the ring lost, or with a period, the difference proves nothing. */
static void what_cannot_be_known_is_not_said(void **state)
{
	(void)state;
	take_ticks(3);
	set_counts(10, 0);
	perf.caps.format_lost = false;
	ring->ended = 500;
	refresh();
	expect_end();
	source->ops->release(source);
	source->ops->destroy(source);
	perf.caps.format_lost = true;
	slots[1].period1 = false;
	set_counts(10, 0);
	make_source();
	refresh();
	expect_end();
}

static void time_is_not_a_count_of_samples(void **state)
{
	struct wt_perf_slot slot = {.provider = "linux:sched", .name = "sched_stat_runtime", .period1 = true};

	(void)state;
	assert_false(wt_perf_counts_samples(&slot));
	slot.name = "sched_switch";
	assert_true(wt_perf_counts_samples(&slot));
	slot.period1 = false;
	assert_false(wt_perf_counts_samples(&slot));
}

static void damaged_bytes_are_the_cause(void **state)
{
	(void)state;
	take_ticks(1);
	fake_begin(&buf, PERF_RECORD_COMM, 0);
	fake_write_bytes(&fake, buf.data, buf.len); /* its size is 0 */
	refresh();
	assert_int_equal(expect_lost(100).cause, WT_LOSS_DAMAGED);
	pop();
	set_counts(4, 0);
	ring->ended = 500;
	refresh();
	assert_int_equal(expect_lost(500).cause, WT_LOSS_DAMAGED);
	assert_int_equal(expect_lost(500).count, 3);
}

/* The sums go on where the first reader released, and what it told is not told again. */
static void sums_are_taken_over(void **state)
{
	struct wt_source *first = source;

	(void)state;
	take_ticks(3);
	source->ops->release(source);
	write_tick(200, 1);
	refresh();
	expect(KIND_POINT, 200);
	pop();
	make_source();
	refresh();
	expect(KIND_POINT, 200);
	pop();
	set_counts(9, 0);
	ring->ended = 500;
	refresh();
	assert_int_equal(expect_lost(500).count, 5);
	pop();
	source->ops->release(source);
	first->ops->destroy(first);
	first = source;
	make_source();
	refresh();
	expect_end();
	assert_int_equal(wt_perf_source_sums(ring->source)[1].unsampled, 5);
	first->ops->destroy(first);
	ring->source = (struct wt_perf_source *)source;
}

/* Seen empty, and nothing came after that: later the ring had room. */
static void a_loss_ends_where_the_ring_had_room(void **state)
{
	uint64_t before = wt_clock_now(), after;
	struct wt_lost_payload lost;

	(void)state;
	take_ticks(2);
	source->ops->release(source);
	after = wt_clock_now();
	refresh();
	expect_end();
	source->ops->release(source);
	set_counts(5, 3);
	ring->ended = UINT64_MAX;
	refresh();
	assert_int_equal(source->ops->peek(source, &event), 0);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_int_equal(lost.count, 3);
	assert_int_equal(lost.from, 101);
	assert_in_range(lost.to, before, after);
}

/* Slot 0 as a clock of threads. */
static void make_clock(void)
{
	source->ops->destroy(source);
	slots[0].accounts = true;
	slots[0].span = 1000;
	perf.k.cpu_time = KIND_TIME;
	perf.k.unsampled = KIND_UNSAMPLED;
	perf.pids = (pid_t[]){100};
	fds[0].slot = 0;
	make_source();
}

static void write_end_of(uint32_t pid, uint32_t tid, uint64_t counted, uint64_t time)
{
	fake_begin(&buf, PERF_RECORD_READ, 0);
	wt_buf_put_u32(&buf, pid);
	wt_buf_put_u32(&buf, tid);
	wt_buf_put_u64(&buf, counted);
	wt_buf_put_u64(&buf, 71);
	wt_buf_put_u64(&buf, 0);
	fake_trailer(&buf, time, 71);
	commit();
}

static void write_end_of_thread(uint64_t counted, uint64_t time)
{
	write_end_of(100, 101, counted, time);
}

static const struct wt_perf_unsampled *processes(void)
{
	return &ring->noted.processes;
}

static void take_all(void)
{
	refresh();
	for (; source->ops->peek(source, &event) == 0; pop())
		;
	source->ops->release(source);
}

/* A thread that says it ran for longer than there was: no event is made of that. */
static void more_than_time_is_damage(void **state)
{
	(void)state;
	make_clock();
	write_end_of_thread(UINT64_MAX, 100);
	write_end_of_thread(UINT64_C(1) << 62, 101);
	write_end_of_thread(2500, 102);
	refresh();
	assert_int_equal(source->ops->peek(source, &event), 0);
	assert_int_equal(event.kind, KIND_LOST);
	pop();
	assert_int_equal(expect_lost(100).cause, WT_LOSS_DAMAGED);
	pop();
	expect(KIND_TIME, 102);
	pop();
	expect(KIND_UNSAMPLED, 102);
	pop();
	expect(KIND_UNSAMPLED, 102);
	pop();
	expect_end();
}

/* Three samples were lost: of ten spans none of them is told twice. */
static void lost_and_unsampled_are_apart(void **state)
{
	unsigned spans = 0;

	(void)state;
	make_clock();
	set_counts(0, 3);
	write_lost(3, 100);
	write_end_of_thread(10000, 101);
	refresh();
	assert_int_equal(expect_lost(100).count, 3);
	pop();
	expect(KIND_TIME, 101);
	pop();
	for (; source->ops->peek(source, &event) == 0; pop())
		spans += event.kind == KIND_UNSAMPLED;
	assert_int_equal(spans, 7);
}

/* The kernel is asked once for each loss, not for each thread that ends after one. */
static void a_loss_is_asked_for_once(void **state)
{
	int before, after;

	(void)state;
	make_clock();
	set_counts(0, 3);
	assert_int_equal(ioctl(counter[0], FIONREAD, &before), 0);
	write_lost(3, 100);
	for (unsigned i = 0; i < 20; i++)
		write_end_of_thread(1000, 101 + i);
	take_all();
	assert_int_equal(ioctl(counter[0], FIONREAD, &after), 0);
	assert_int_equal(before - after, 24);
	write_lost(1, 200);
	write_end_of_thread(1000, 201);
	take_all();
	assert_int_equal(ioctl(counter[0], FIONREAD, &after), 0);
	assert_int_equal(before - after, 48);
}

/* Also where the first thread never ran on this CPU; threads may end after it. */
static void processes_that_ended_are_forgotten(void **state)
{
	enum { NOBODY = 0x40000000 };

	(void)state;
	make_clock();
	write_end_of(100, 101, 1000, 100);
	take_all();
	assert_int_equal(processes()->n, 1);
	write_end_of(100, 100, 0, 100);
	take_all();
	assert_int_equal(processes()->n, 0);
	for (uint32_t i = 1; i < 2000; i++) {
		write_end_of(NOBODY + i, NOBODY + i, 10, 100);
		write_end_of(NOBODY + i, NOBODY + 5000 + i, 10, 100);
		take_all();
	}
	assert_in_range(processes()->cap, 1, 1024);
}

/* A number seen when it was another's: who has it now gets nothing. */
static void a_stranger_gets_no_part(void **state)
{
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	make_clock();
	perf.n_cpus = 1;
	cpus[0].open = true;
	perf.rest.begun = calloc(1, sizeof(*perf.rest.begun));
	shared[0].began = 0;
	write_end_of(pid, pid + 1, 1000, 1);
	take_all();
	assert_int_equal(processes()->n, 1);
	wt_perf_rest_end(&perf);
	assert_int_equal(perf.rest.n, 0);
	write_end_of(pid, pid, 0, 1);
	write_end_of(pid, pid + 1, 1000, wt_clock_now());
	take_all();
	wt_perf_rest_end(&perf);
	assert_int_equal(perf.rest.n, 1);
	assert_int_equal(perf.rest.parts[0].pid, pid);
	wt_perf_rest_deinit(&perf.rest);
}

/* Who reads on where another released knows nothing of the samples before, and says so. */
static void a_broken_account_is_told(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	make_clock();
	write_lost(1, 100);
	refresh();
	expect_lost(100);
	pop();
	source->ops->release(source);
	source->ops->destroy(source);
	make_source();
	set_counts(5000, 1);
	ring->ended = shared[0].began + 1000;
	refresh();
	lost = expect_lost(ring->ended);
	assert_int_equal(lost.cause, WT_LOSS_RECORDER_DIED);
	assert_int_equal(lost.from, shared[0].began);
	assert_memory_equal(lost.event.p, "unsampled", lost.event.len);
	pop();
	expect_end();
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup_counter, teardown_counter)
	const struct CMUnitTest tests[] = {
		TEST(more_than_time_is_damage),
		TEST(lost_and_unsampled_are_apart),
		TEST(a_broken_account_is_told),
		TEST(a_loss_is_asked_for_once),
		TEST(processes_that_ended_are_forgotten),
		TEST(a_stranger_gets_no_part),
		TEST(what_was_not_sampled_is_told),
		TEST(a_full_account_says_nothing),
		TEST(what_cannot_be_known_is_not_said),
		TEST(time_is_not_a_count_of_samples),
		TEST(damaged_bytes_are_the_cause),
		TEST(sums_are_taken_over),
		TEST(a_loss_ends_where_the_ring_had_room),
	};

	return cmocka_run_group_tests_name("perf/account", tests, NULL, NULL);
}
