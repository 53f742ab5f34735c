// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/recorder_fixture.h"

/* Each sample must be named by what was true at its time, whatever ring tells of it. */
static void test_names_in_time_order(void **state)
{
	(void)state;
	put_proc(&ring_a, k_rundown, 10, 50, 1, "sh");
	put_image(&ring_a, k_image_rundown, 11, 50, 0x1000, "/bin/sh");
	put_proc(&ring_a, k_start, 20, 60, 50, "");
	put_proc(&ring_a, k_exec, 30, 60, 50, "ls");
	put_image(&ring_a, k_load, 31, 60, 0x1000, "/bin/ls");
	put_proc(&ring_a, k_stop, 50, 60, 50, "");
	put_sample(&ring_b, 15, 50, 0x1010);
	put_sample(&ring_b, 25, 60, 0x1010);
	put_sample(&ring_b, 35, 60, 0x1010);
	put_sample(&ring_b, 51, 60, 0x1010);
	round_all();
	assert_int_equal(fake->n_events, 10);
	for (uint32_t i = 1; i < 10; i++)
		assert_true(fake->events[i - 1].time <= fake->events[i].time);
	assert_string_equal(process_of(&fake->events[2]), "sh");
	assert_string_equal(path_of(&fake->events[2]), "/bin/sh");
	assert_int_equal(fake->events[4].time, 25);
	assert_string_equal(process_of(&fake->events[4]), "sh");
	assert_string_equal(path_of(&fake->events[4]), "/bin/sh");
	assert_int_equal(fake->events[7].time, 35);
	assert_string_equal(process_of(&fake->events[7]), "ls");
	assert_string_equal(path_of(&fake->events[7]), "/bin/ls");
	assert_int_equal(fake->events[9].time, 51);
	assert_string_equal(process_of(&fake->events[9]), "ls");
	assert_string_equal(path_of(&fake->events[9]), "/bin/ls");
	assert_int_equal(wt_recorder_stats(rec)->events, 10);
	assert_int_equal(wt_recorder_stats(rec)->processes, 1);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
}

/* An event that changes what is known of its own thread is named by what it says, also behind another event
 * of the thread on its CPU. */
static void test_news_name_themselves(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 10, 60, 50, "sh");
	put_sample(&ring_a, 20, 60, 0x1010);
	put_proc(&ring_a, k_exec, 30, 60, 50, "ls");
	round_all();
	assert_int_equal(fake->n_events, 3);
	assert_string_equal(process_of(&fake->events[1]), "sh");
	assert_int_equal(fake->events[2].time, 30);
	assert_string_equal(process_of(&fake->events[2]), "ls");
}

static void test_horizon(void **state)
{
	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_sample(&ring_a, 20, 0, 1);
	put_sample(&ring_b, 30, 0, 1);
	assert_int_equal(wt_recorder_round(rec, 20, &err), 0);
	assert_int_equal(fake->n_events, 1);
	put_sample(&ring_b, 31, 0, 1);
	assert_int_equal(wt_recorder_round(rec, 31, &err), 0);
	assert_int_equal(fake->n_events, 3);
	put_sample(&ring_a, 25, 0, 1);
	round_all();
	assert_int_equal(fake->n_events, 5);
	assert_int_equal(wt_recorder_stats(rec)->late, 1);
}

/* A round that lasts too long stops; the next goes on where it was, and nothing is missed or told twice. */
static void test_long_rounds_stop(void **state)
{
	unsigned stops = 0;
	int rc;

	(void)state;
	recreate((struct wt_recorder_config){.long_round = 1});
	for (uint32_t i = 0; i < 2000; i++)
		put_sample(&ring_a, 10 + i, 0, 1);
	while ((rc = wt_recorder_round(rec, UINT64_MAX, &err)) == 1)
		stops++;
	assert_int_equal(rc, 0);
	assert_in_range(stops, 1, 2000);
	assert_int_equal(fake->n_events, 2000);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
	for (uint32_t i = 0; i < 2000; i++)
		assert_int_equal(fake->events[i].time, 10 + i);
}

/* Kinds that came after the recorder was made: damage until they are adopted. */
static void test_kinds_may_grow(void **state)
{
	struct wt_provider *late;
	uint32_t first;

	(void)state;
	assert_int_equal(wt_builtin_provider("wtrace", &late, &err), 0);
	assert_int_equal(wt_kinds_append(&kinds, late, &first, &err), 0);
	put(&ring_a, first, 10, 0, NULL);
	round_all();
	assert_int_equal(wt_recorder_stats(rec)->lost, 1);
	fake->fail_kinds = WT_ERR_LIMIT;
	assert_int_equal(wt_recorder_adopt_kinds(rec, NULL, &err), -1);
	fake->fail_kinds = WT_OK;
	assert_int_equal(wt_recorder_adopt_kinds(rec, NULL, &err), 0);
	put(&ring_a, first, 20, 0, NULL);
	put_sample(&ring_b, 21, 0, 1);
	round_all();
	assert_int_equal(fake->events[fake->n_events - 2].kind, first);
	assert_int_equal(fake->events[fake->n_events - 1].time, 21);
	assert_int_equal(wt_recorder_stats(rec)->lost, 1);
}

/* Bytes may be overwritten only when they are in the log, with the position behind them. */
static void test_release_after_flush(void **state)
{
	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_sample(&ring_a, 90, 0, 1);
	put_sample(&ring_b, 20, 0, 1);
	assert_int_equal(wt_recorder_round(rec, 50, &err), 0);
	assert_true(wt_recorder_pending(rec));
	assert_int_equal(ring_a.released + ring_b.released, 0);
	flush_all();
	assert_int_equal(ring_a.released, 1);
	assert_int_equal(ring_b.released, 1);
	assert_int_equal(fake->n_positions, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(fake->positions[i].position, 1);
	assert_int_not_equal(fake->positions[0].source, fake->positions[1].source);
}

static void test_flush_when_batch_is_full(void **state)
{
	(void)state;
	fake->pending_limit = 10;
	for (uint64_t i = 0; i < 85; i++)
		put_sample(&ring_a, i + 1, 0, 1);
	round_all();
	/* The 16 that wait go with the batch that is full. */
	assert_int_equal(fake->flushes, 3);
	assert_int_equal(ring_a.released, 78);
	assert_int_equal(fake->positions[0].position, 78);
	assert_int_equal(fake->n_events, 85);
}

static void test_injected(void **state)
{
	const uint8_t payload[] = {1, 0, 'x', 0, 0, 0, 0};
	struct wt_event mark = {.time = 15,
				.kind = k_mark,
				.cpu = WT_CPU_NONE,
				.pid = SELF,
				.tid = SELF,
				.payload = payload,
				.payload_len = sizeof(payload)};

	(void)state;
	put_sample(&ring_a, 10, 0, 1);
	put_sample(&ring_a, 20, KEEPER, 1);
	put_sample(&ring_a, 21, 77777777, 1);
	assert_false(wt_recorder_pending(rec));
	assert_int_equal(wt_recorder_inject(rec, &mark, &err), 0);
	assert_true(wt_recorder_pending(rec));
	round_all();
	assert_int_equal(fake->n_events, 4);
	assert_int_equal(fake->events[1].kind, k_mark);
	assert_int_equal(fake->events[1].flags & WT_EVENT_SELF, WT_EVENT_SELF);
	assert_memory_equal(fake->events[1].payload, payload, sizeof(payload));
	assert_int_equal(fake->events[2].flags & WT_EVENT_SELF, WT_EVENT_SELF);
	assert_true(fake->processes[fake->threads[fake->events[2].thread].process].row.self);
	assert_int_equal(fake->events[3].flags & WT_EVENT_SELF, 0);
	assert_string_equal(process_of(&fake->events[3]), "?");
	flush_all();
	assert_int_equal(fake->n_positions, 2);
}

static void test_no_doubles(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 10, 60, 1, "x");
	put_image(&ring_a, k_load, 11, 60, 0x1000, "/x");
	put_proc(&ring_b, k_rundown, 12, 60, 1, "x");
	put_image(&ring_b, k_image_rundown, 13, 60, 0x1000, "/x");
	put_image(&ring_b, k_image_rundown, 14, 60, 0x5000, "/y");
	put_proc(&ring_b, k_rundown, 15, 61, 1, "z");
	put_proc(&ring_b, k_rundown, 16, 61, 1, "z");
	round_all();
	assert_int_equal(fake->n_events, 4);
	assert_int_equal(fake->events[2].time, 14);
	assert_int_equal(fake->events[3].time, 15);
}

/* The start time is part of a process's identity: events and tables must agree on it. */
static void test_one_start_time(void **state)
{
	struct wt_proc_payload p = {.pid = 60, .tid = 60, .start_time = 5, .name = wt_str("x")};
	struct wt_buf buf = {0};

	(void)state;
	put_proc(&ring_a, k_start, 10, 60, 1, "x");
	wt_proc_put(&buf, &p);
	put(&ring_a, kind_of("proc_thread", WT_PROC_RUNDOWN_END), 20, 60, &buf);
	wt_buf_deinit(&buf);
	round_all();
	assert_int_equal(fake->n_events, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(wt_proc_get(fake->events[i].payload, fake->events[i].payload_len, &p), 0);
		assert_int_equal(p.start_time, 10);
		assert_int_equal(p.pid, 60);
	}
	assert_int_equal(fake->processes[fake->n_processes - 1].row.start_time, 10);
}

static void test_quiet_and_disabled(void **state)
{
	static bool enabled[256];

	(void)state;
	memset(enabled, 1, sizeof(enabled));
	enabled[k_load] = false;
	recreate((struct wt_recorder_config){.enabled = enabled});
	put_proc(&ring_a, k_start, 10, 60, 1, "x");
	ring_a.events[0].flags = WT_EVENT_QUIET;
	put_image(&ring_a, k_load, 11, 60, 0x1000, "/x");
	put_sample(&ring_a, 12, 60, 0x1010);
	round_all();
	assert_int_equal(fake->n_events, 1);
	assert_string_equal(process_of(&fake->events[0]), "x");
	assert_string_equal(path_of(&fake->events[0]), "/x");
	flush_all();
	assert_int_equal(ring_a.released, 3);
}

static void test_new_segment(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 10, 60, 1, "x");
	put_image(&ring_a, k_load, 11, 60, 0x1000, "/x");
	put_sample(&ring_a, 12, 60, 0x1010);
	round_all();
	fake->full = true;
	flush_all();
	assert_int_equal(fake->segment, 1);
	put_sample(&ring_a, 20, 60, 0x1010);
	round_all();
	assert_int_equal(fake->events[3].segment, 1);
	assert_string_equal(process_of(&fake->events[3]), "x");
	assert_string_equal(path_of(&fake->events[3]), "/x");
	/* The next cannot begin: the current one goes on, and the flush says so. */
	fake->full = true;
	fake->fail_segment = WT_ERR_NOSPACE;
	assert_int_equal(wt_recorder_flush(rec, &err), -1);
	put_sample(&ring_a, 30, 60, 0x1010);
	round_all();
	fake->fail_segment = WT_OK;
	flush_all();
	assert_int_equal(fake->segment, 2);
	assert_int_equal(fake->n_written, 5);
}

static void test_kinds_are_needed(void **state)
{
	struct wt_kinds none = {0};
	struct wt_recorder_config config = {.log = fake, .kinds = &none};
	struct wt_recorder *ret;

	(void)state;
	assert_int_equal(wt_recorder_create(&config, &ret, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
}

/* What the recorder has others do for it is its own, for as long as they live. */
static void test_children_are_self(void **state)
{
	(void)state;
	put_proc(&ring_a, k_start, 10, 500, SELF, "wtrace-builder");
	put_sample(&ring_a, 11, 500, 1);
	put_proc(&ring_a, k_start, 12, 501, 500, "other");
	put_sample(&ring_a, 13, 501, 1);
	put_proc(&ring_a, k_stop, 14, 500, SELF, "wtrace-builder");
	put_proc(&ring_a, k_start, 15, 500, 1, "reused");
	put_sample(&ring_a, 16, 500, 1);
	round_all();
	assert_int_equal(fake->n_events, 7);
	assert_int_equal(fake->events[1].flags & WT_EVENT_SELF, WT_EVENT_SELF);
	assert_true(fake->processes[fake->threads[fake->events[1].thread].process].row.self);
	assert_int_equal(fake->events[3].flags & WT_EVENT_SELF, 0);
	assert_int_equal(fake->events[6].flags & WT_EVENT_SELF, 0);
	assert_false(fake->processes[fake->threads[fake->events[6].thread].process].row.self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_in_time_order),
		TEST(test_news_name_themselves),
		TEST(test_horizon),
		TEST(test_long_rounds_stop),
		TEST(test_kinds_may_grow),
		TEST(test_release_after_flush),
		TEST(test_flush_when_batch_is_full),
		TEST(test_injected),
		TEST(test_children_are_self),
		TEST(test_no_doubles),
		TEST(test_one_start_time),
		TEST(test_quiet_and_disabled),
		TEST(test_new_segment),
		TEST(test_kinds_are_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
