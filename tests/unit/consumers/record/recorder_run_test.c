// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/recorder_fixture.h"

static struct wt_run_event run_events[WT_RUN_MAX];
static uint64_t strip_times[WT_STRIP_MAX];
static uint32_t runs_asked, strips_asked, strips_given;

/* What the fixture's rings lack: they give runs of all events without a stack. */
static void ring_run(struct wt_source *source, uint64_t before, struct wt_run *ret)
{
	struct ring *ring = (struct ring *)source;

	*ret = (struct wt_run){.events = run_events, .cpu = ring->events[ring->next].cpu};
	runs_asked++;
	for (uint32_t i = ring->next; i < ring->visible && ret->n < WT_RUN_MAX; i++) {
		const struct wt_event *event = &ring->events[i];

		if (event->time >= before || event->stack.n_user)
			break;
		run_events[ret->n++] = (struct wt_run_event){.time = event->time,
							     .payload = event->payload,
							     .payload_len = event->payload_len,
							     .kind = event->kind,
							     .pid = event->pid,
							     .tid = event->tid};
	}
}

static void ring_pop_run(struct wt_source *source, uint32_t n)
{
	struct ring *ring = (struct ring *)source;

	assert_true(n > 0 && n <= WT_RUN_MAX);
	ring->next += n;
}

static bool alike(const struct wt_event *a, const struct wt_event *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->pid == b->pid && a->tid == b->tid &&
	       a->payload_len == b->payload_len;
}

/* Every second time there is none: runs have their turn too. */
static void ring_strip(struct wt_source *source, uint64_t before, struct wt_strip *ret)
{
	struct ring *ring = (struct ring *)source;
	const struct wt_event *first = &ring->events[ring->next];
	uint32_t n = 0;

	ret->n = 0;
	if (strips_asked++ % 2)
		return;
	while (n < WT_STRIP_MAX && ring->next + n < ring->visible && first[n].time < before &&
	       !first[n].stack.n_user && alike(first, &first[n])) {
		strip_times[n] = first[n].time;
		n++;
	}
	strips_given += n > 0;
	*ret = (struct wt_strip){.times = strip_times,
				 .payload = first->payload,
				 .stride = sizeof(ring->payloads[0]),
				 .payload_len = first->payload_len,
				 .n = n,
				 .kind = first->kind,
				 .cpu = first->cpu,
				 .pid = first->pid,
				 .tid = first->tid};
}

static void ring_pop_strip(struct wt_source *source, uint32_t n)
{
	struct ring *ring = (struct ring *)source;

	assert_true(n > 0 && n <= WT_STRIP_MAX);
	ring->next += n;
}

static void give_runs(struct ring *ring)
{
	static struct wt_source_ops ops;

	ops = ring_ops;
	ops.run = ring_run;
	ops.pop_run = ring_pop_run;
	ops.strip = ring_strip;
	ops.pop_strip = ring_pop_strip;
	ring->source.ops = &ops;
}

static void put_marks(struct ring *ring, uint64_t from, uint32_t n, uint32_t pid)
{
	struct wt_buf payload = {0};

	wt_buf_put_counted(&payload, "m", 1);
	for (uint32_t i = 0; i < n; i++)
		put(ring, k_mark, from + i, pid, &payload);
	wt_buf_deinit(&payload);
}

static uint32_t count_of(uint32_t kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < fake->n_events; i++)
		n += fake->events[i].kind == kind;
	return n;
}

/* A process that starts in the middle of a run of another source is known from there on. */
static void test_names_hold(void **state)
{
	(void)state;
	give_runs(&ring_a);
	put_proc(&ring_b, k_start, 50, 7, 1, "old");
	put_proc(&ring_b, k_exec, 1100, 7, 1, "new");
	put_marks(&ring_a, 1000, 200, 7);
	round_all();
	assert_int_equal(count_of(k_mark), 200);
	for (uint32_t i = 0; i < fake->n_events; i++) {
		const struct fake_event *event = &fake->events[i];

		if (event->kind != k_mark)
			continue;
		assert_int_equal(event->cpu, ring_a.source.id);
		assert_string_equal(process_of(event), event->time <= 1100 ? "old" : "new");
	}
	assert_int_equal(ring_a.next, 200);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
	assert_int_equal(wt_recorder_stats(rec)->events, 202);
	assert_true(runs_asked > 0);
	assert_true(strips_given > 0);
}

/* Two rings that give runs: everything is there, nothing counts as late, the horizon holds. */
static void test_two_rings(void **state)
{
	(void)state;
	give_runs(&ring_a);
	give_runs(&ring_b);
	put_marks(&ring_a, 1000, 1000, 7);
	put_marks(&ring_b, 1000, 1000, SELF);
	assert_int_equal(wt_recorder_round(rec, 1500, &err), 0);
	assert_int_equal(count_of(k_mark), 1000);
	round_all();
	assert_int_equal(count_of(k_mark), 2000);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
	for (uint32_t i = 0; i < fake->n_events; i++)
		assert_int_equal(fake->events[i].flags & WT_EVENT_SELF,
				 fake->events[i].cpu == 1 ? WT_EVENT_SELF : 0);
	flush_all();
	assert_int_equal(ring_a.released, 1000);
	assert_int_equal(ring_b.released, 1000);
}

/* Two programs on one CPU: what goes into that CPU's blocks is in order. */
static void test_one_cpu(void **state)
{
	(void)state;
	give_runs(&ring_a);
	give_runs(&ring_b);
	for (uint64_t turn = 0; turn < 20; turn++)
		put_marks(turn % 2 ? &ring_a : &ring_b, 1000 + turn * 40, 40, 7);
	for (uint32_t i = 0; i < ring_b.n; i++)
		ring_b.events[i].cpu = ring_a.source.id;
	round_all();
	assert_int_equal(count_of(k_mark), 800);
	for (uint32_t i = 1; i < fake->n_events; i++)
		assert_true(fake->events[i].time > fake->events[i - 1].time);
}

/* Two threads in turn: each one's events are there, in order, under its name. */
static void test_mixed(void **state)
{
	uint32_t n[2] = {0};

	(void)state;
	give_runs(&ring_a);
	put_proc(&ring_b, k_start, 50, 7, 1, "seven");
	put_proc(&ring_b, k_start, 51, 8, 1, "eight");
	for (uint64_t i = 0; i < 300; i++)
		put_marks(&ring_a, 1000 + i, 1, i % 3 ? 7 : 8);
	round_all();
	assert_int_equal(count_of(k_mark), 300);
	for (uint32_t i = 0; i < fake->n_events; i++) {
		const struct fake_event *event = &fake->events[i];
		bool eight;

		if (event->kind != k_mark)
			continue;
		eight = !strcmp(process_of(event), "eight");
		assert_int_equal((event->time - 1000) % 3 == 0, eight);
		assert_int_equal(event->time, 1000 + (eight ? n[1] * 3 : n[0] / 2 * 3 + n[0] % 2 + 1));
		n[eight]++;
	}
	assert_int_equal(n[1], 100);
	assert_int_equal(wt_recorder_stats(rec)->late, 0);
	assert_int_equal(ring_a.next, 300);
}

/* A batch that fills up in the middle of a run is written with the position of what was taken. */
static void test_full_batch(void **state)
{
	(void)state;
	give_runs(&ring_a);
	fake->pending_limit = 30;
	put_marks(&ring_a, 1000, 100, 7);
	round_all();
	assert_int_equal(fake->n_events, 100);
	assert_int_equal(fake->flushes, 3);
	assert_int_equal(fake->positions[0].position, 90);
}

/* What the log refuses becomes a loss, event by event; kinds the session did not ask for are left out. */
static void test_refused_and_unwanted(void **state)
{
	bool enabled[64] = {false};

	(void)state;
	give_runs(&ring_a);
	fake->fail_event = WT_ERR_FORMAT;
	put_marks(&ring_a, 1000, 5, 7);
	round_all();
	fake->fail_event = WT_OK;
	assert_int_equal(wt_recorder_stats(rec)->lost, 5);
	assert_int_equal(count_of(k_mark), 0);
	assert_int_equal(wt_recorder_adopt_kinds(rec, enabled, &err), 0);
	put_marks(&ring_a, 2000, 5, 7);
	round_all();
	assert_int_equal(count_of(k_mark), 0);
	assert_int_equal(ring_a.next, 10);
}

/* Events the recorder itself understands are taken one by one, wherever they come from. */
static void test_roles(void **state)
{
	(void)state;
	give_runs(&ring_a);
	put_proc(&ring_a, k_start, 50, 7, 1, "first");
	put_marks(&ring_a, 100, 3, 7);
	put_lost(&ring_a, 200, "x", 4, 1);
	put_proc(&ring_a, k_exec, 250, 7, 1, "second");
	put_marks(&ring_a, 300, 3, 7);
	round_all();
	assert_int_equal(wt_recorder_stats(rec)->lost, 4);
	assert_string_equal(process_of(&fake->events[1]), "first");
	assert_string_equal(process_of(&fake->events[fake->n_events - 1]), "second");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_hold), TEST(test_two_rings),  TEST(test_one_cpu),
		TEST(test_mixed),      TEST(test_full_batch), TEST(test_refused_and_unwanted),
		TEST(test_roles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
