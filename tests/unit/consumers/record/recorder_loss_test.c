// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/recorder_fixture.h"
#include "tracecore/base/clock.h"

static uint64_t lost_in_log(uint8_t cause, const char *event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < fake->n_written; i++) {
		struct wt_lost_payload lost;

		if (fake->events[i].kind != k_lost)
			continue;
		assert_int_equal(wt_lost_get(fake->events[i].payload, fake->events[i].payload_len, &lost), 0);
		if (lost.cause == cause && lost.event.len == strlen(event) &&
		    !memcmp(lost.event.p, event, lost.event.len))
			sum += lost.count;
	}
	return sum;
}

static void test_losses(void **state)
{
	const struct wt_recorder_loss *losses;

	(void)state;
	put_lost(&ring_a, 1000, "pmu-profile", 7, 1);
	put_lost(&ring_a, 2000, "pmu-profile", 5, 0);
	round_all();
	assert_int_equal(wt_recorder_stats(rec)->lost, 12);
	assert_int_equal(wt_recorder_stats(rec)->blind_ns, 100);
	assert_false(wt_recorder_wants_rundown(rec));
	/* Programs may have a provider of that name, and lose what they like. */
	put_lost(&ring_a, 2500, "sideband", 5, 1);
	round_all();
	assert_false(wt_recorder_wants_rundown(rec));
	put_lost(&ring_a, 3000, "proc_thread,loader", 1, 1);
	round_all();
	assert_true(wt_recorder_wants_rundown(rec));
	assert_false(wt_recorder_wants_rundown(rec));
	assert_int_equal(wt_recorder_losses(rec, &losses), 3);
	assert_string_equal(losses[0].provider, "pmu-profile");
	assert_int_equal(losses[0].count, 12);
	assert_int_equal(losses[0].blind_ns, 100);
	assert_int_equal(losses[0].cpu, 3);
	assert_true(wt_recorder_pending(rec));
	flush_all();
	assert_int_equal(fake->n_written, 4);
	assert_int_equal(fake->events[0].thread, 0);
}

static void put_thread(uint16_t kind, uint64_t time, uint32_t tid)
{
	struct wt_proc_payload p = {
		.pid = 50, .tid = tid, .parent_pid = 50, .uid = UINT32_MAX, .name = wt_str("")};
	struct wt_buf buf = {0};

	wt_proc_put(&buf, &p);
	put(&ring_a, kind_of("proc_thread", kind), time, 50, &buf);
	wt_buf_deinit(&buf);
}

/* The kernel tells the leader's end as any thread's: after a loss, too, the process ends with its last one,
 * once its threads were read again. */
static void test_ends_after_a_loss(void **state)
{
	uint32_t ends[2] = {0}, n = 0;

	(void)state;
	put_proc(&ring_a, k_rundown, 10, 50, 1, "srv");
	put_thread(WT_THREAD_START, 20, 51);
	put_thread(WT_THREAD_START, 21, 52);
	put_lost(&ring_a, 200, "proc_thread,loader", 1, 1);
	put_proc(&ring_a, k_rundown, 300, 50, 1, "srv");
	put_thread(WT_THREAD_RUNDOWN, 301, 51);
	put_image(&ring_a, k_image_rundown, 302, 50, 0x1000, "/bin/srv");
	put_thread(WT_PROC_STOP, 400, 50);
	put_thread(WT_THREAD_STOP, 500, 51);
	round_all();
	flush_all();
	for (uint32_t i = 0; i < fake->n_written; i++)
		if (fake->events[i].time == 400 || fake->events[i].time == 500)
			ends[n++] = fake->events[i].kind;
	assert_int_equal(n, 2);
	assert_int_equal(ends[0], kind_of("proc_thread", WT_THREAD_STOP));
	assert_int_equal(ends[1], k_stop);
}

/* Names alone are in doubt where nothing else was lost. */
static void test_lost_names(void **state)
{
	struct wt_lost_payload p = {.provider = wt_str("proc_thread"),
				    .event = wt_str(WT_LOST_NAMES),
				    .cause = WT_LOSS_RING_FULL,
				    .count = 7,
				    .from = 900,
				    .to = 1000};
	struct wt_buf buf = {0};

	(void)state;
	wt_lost_put(&buf, &p);
	put(&ring_a, k_lost, p.to, 0, &buf);
	wt_buf_deinit(&buf);
	round_all();
	assert_int_equal(wt_recorder_stats(rec)->lost, 7);
	assert_false(wt_recorder_wants_rundown(rec));
	assert_true(wt_recorder_wants_names(rec));
	assert_false(wt_recorder_wants_names(rec));
	flush_all();
	assert_int_equal(lost_in_log(WT_LOSS_RING_FULL, WT_LOST_NAMES), 7);
}

/* Rings that overflow while a write takes long are the disk's fault; those that do so at another time are
 * not. */
static void test_slow_disk(void **state)
{
	uint64_t before, after;

	(void)state;
	recreate((struct wt_recorder_config){.slow_write = 1});
	put_sample(&ring_a, 10, 0, 1);
	round_all();
	before = wt_clock_now();
	flush_all();
	after = wt_clock_now();
	put_lost_span(&ring_a, before - 2000, before - 1000, "pmu-profile", 3, 1);
	put_lost_span(&ring_a, before, after, "pmu-profile", 7, 1);
	round_all();
	flush_all();
	assert_int_equal(lost_in_log(WT_LOSS_RING_FULL, ""), 3);
	assert_int_equal(lost_in_log(WT_LOSS_DISK, ""), 7);
	assert_int_equal(wt_recorder_stats(rec)->lost, 10);
}

/* written + lost = produced, however often the disk is full, and the losses of others are not lost. */
static void test_disk_full(void **state)
{
	const struct wt_recorder_count *counts;
	const struct wt_recorder_loss *losses;
	uint64_t written = 0;

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		put_sample(&ring_a, 10 + i, 0, 1);
	round_all();
	flush_all();
	fake->fail_flush = WT_ERR_NOSPACE;
	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 5; i++)
			put_sample(i % 2 ? &ring_a : &ring_b, 100 + round * 100 + i, 0, 1);
		put_lost(&ring_a, 150 + round * 100, "pmu-profile", 11, 1);
		round_all();
		assert_int_equal(wt_recorder_flush(rec, &err), -1);
		assert_int_equal(err.code, WT_ERR_NOSPACE);
		assert_int_equal(ring_a.released, ring_a.n);
		assert_true(wt_recorder_pending(rec));
	}
	fake->fail_flush = WT_OK;
	put_sample(&ring_a, 1000, 0, 1);
	round_all();
	flush_all();
	for (uint32_t i = 0; i < fake->n_written; i++)
		written += fake->events[i].kind == k_sample;
	assert_int_equal(written, 11);
	assert_int_equal(lost_in_log(WT_LOSS_DISK, "sample"), 15);
	assert_int_equal(lost_in_log(WT_LOSS_RING_FULL, ""), 33);
	assert_int_equal(wt_recorder_stats(rec)->lost, 15 + 33);
	assert_int_equal(wt_recorder_counts(rec, &counts), 3);
	assert_int_equal(counts[0].kind, k_sample);
	assert_int_equal(counts[0].cpu + counts[1].cpu, 1);
	assert_int_equal(counts[0].events + counts[1].events, 11);
	assert_int_equal(wt_recorder_losses(rec, &losses), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(losses[i].taken, losses[i].cause == WT_LOSS_DISK ? losses[i].count : 0);
}

static void test_other_write_failure_keeps_the_batch(void **state)
{
	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_lost(&ring_a, 11, "pmu-profile", 2, 1);
	round_all();
	fake->fail_flush = WT_ERR_SYSTEM;
	assert_int_equal(wt_recorder_flush(rec, &err), -1);
	assert_int_equal(err.code, WT_ERR_SYSTEM);
	assert_int_equal(ring_a.released, 0);
	fake->fail_flush = WT_OK;
	flush_all();
	assert_int_equal(fake->n_written, 2);
	assert_int_equal(lost_in_log(WT_LOSS_RING_FULL, ""), 2);
}

static void test_refused_and_malformed_events(void **state)
{
	struct wt_buf buf = {0};

	(void)state;
	wt_buf_puts(&buf, "short");
	put(&ring_a, k_start, 10, 5, &buf);
	put(&ring_a, k_load, 11, 5, &buf);
	put(&ring_a, k_lost, 12, 5, &buf);
	put(&ring_a, kinds.n, 13, 5, &buf);
	put(&ring_a, UINT32_MAX, 14, 5, &buf);
	wt_buf_deinit(&buf);
	round_all();
	assert_int_equal(fake->n_events, 0);
	fake->fail_event = WT_ERR_FORMAT;
	put_sample(&ring_a, 20, 5, 1);
	round_all();
	fake->fail_event = WT_OK;
	flush_all();
	assert_int_equal(lost_in_log(WT_LOSS_DAMAGED, "sample"), 1);
	assert_int_equal(lost_in_log(WT_LOSS_DAMAGED, ""), 2);
	assert_int_equal(lost_in_log(WT_LOSS_DAMAGED, "process_start"), 1);
	assert_int_equal(wt_recorder_stats(rec)->lost, 6);
}

/* Stacks that never repeat: segments are closed early, and without room for one the rest is counted. */
static void test_memory_bound(void **state)
{
	uint32_t written;

	(void)state;
	recreate((struct wt_recorder_config){.memory_bound = 64 << 10});
	for (uint64_t i = 0; i < 4000; i++)
		put_sample(&ring_a, i + 1, 0, 0x100000 + i * 64);
	round_all();
	flush_all();
	assert_in_range(fake->segment, 1, 10);
	assert_int_equal(fake->n_written, 4000);

	fake->fail_segment = WT_ERR_NOSPACE;
	for (int i = 0; i < 5; i++) {
		ring_a.n = ring_a.next = ring_a.released = 0;
		for (uint64_t j = 0; j < 4000; j++)
			put_sample(&ring_a, 5000, 0, 0x100000 + (uint64_t)i * 400000 + j * 64);
		while (wt_recorder_round(rec, UINT64_MAX, &err))
			assert_int_equal(err.code, WT_ERR_NOSPACE);
		wt_recorder_flush(rec, &err);
	}
	written = fake->n_written;
	fake->fail_segment = WT_OK;
	assert_int_equal(wt_recorder_flush(rec, &err), 0);
	put_sample(&ring_a, 6000, 0, 1);
	round_all();
	flush_all();
	assert_true(fake->n_written > written);
	assert_true(lost_in_log(WT_LOSS_DISK, "sample") > 0);
	written = 0;
	for (uint32_t i = 0; i < fake->n_written; i++)
		written += fake->events[i].kind == k_sample;
	assert_int_equal(written + lost_in_log(WT_LOSS_DISK, "sample"), 24001);
}

static void test_out_of_memory_rows(void **state)
{
	(void)state;
	fake->fail_rows = WT_ERR_NOMEM;
	put_sample(&ring_a, 10, 60, 1);
	put_sample(&ring_a, 11, 60, 1);
	put_lost(&ring_a, 12, "pmu-profile", 3, 1);
	round_all();
	fake->fail_rows = WT_OK;
	put_sample(&ring_a, 13, 60, 1);
	round_all();
	flush_all();
	assert_int_equal(lost_in_log(WT_LOSS_MEMORY, "sample"), 2);
	assert_int_equal(lost_in_log(WT_LOSS_RING_FULL, ""), 3);
}

static void test_remove_source(void **state)
{
	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_sample(&ring_b, 11, 0, 1);
	assert_int_equal(wt_recorder_remove_source(rec, &ring_b.source, &err), 0);
	assert_true(ring_b.destroyed);
	assert_int_equal(fake->n_written, 2);
	assert_int_equal(ring_a.released, 1);
	put_sample(&ring_a, 12, 0, 1);
	round_all();
	flush_all();
	assert_int_equal(fake->n_positions, 1);
	assert_int_equal(fake->positions[0].source, 0);
	ring_b.destroyed = false;
	assert_int_equal(wt_recorder_add_source(rec, &ring_b.source, &err), 0);
	fake->pending_limit = 2;
	fake->fail_flush = WT_ERR_NOSPACE;
	for (uint64_t i = 0; i < 9; i++)
		put_sample(&ring_b, 20 + i, 0, 1);
	assert_int_equal(wt_recorder_remove_source(rec, &ring_b.source, &err), -1);
	assert_int_equal(ring_b.next, ring_b.n);
	fake->fail_flush = WT_OK;
	assert_int_equal(wt_recorder_flush(rec, &err), 0);
	assert_int_equal(lost_in_log(WT_LOSS_DISK, "sample"), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_losses),
		TEST(test_lost_names),
		TEST(test_ends_after_a_loss),
		TEST(test_slow_disk),
		TEST(test_disk_full),
		TEST(test_other_write_failure_keeps_the_batch),
		TEST(test_refused_and_malformed_events),
		TEST(test_memory_bound),
		TEST(test_out_of_memory_rows),
		TEST(test_remove_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
