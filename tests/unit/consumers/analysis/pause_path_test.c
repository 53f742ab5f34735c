// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/pause_blame.h"
#include "consumers/analysis/wait_kind.h"
#include "consumers/analysis/wait_machine.h"
#include "consumers/analysis/wait_source.h"

enum { NONE = (int)WT_PAUSE_NONE, BY_THREAD = WT_WAKER_THREAD + 1, BY_INTERRUPT = WT_WAKER_INTERRUPT + 1 };

static struct wt_pause_path path;

static int teardown(void **state)
{
	(void)state;
	wt_pause_deinit(&path);
	return 0;
}

/* ---- by hand ---- */

static void turn(uint32_t tid, uint64_t from, const uint64_t parts[4], uint32_t cpu, uint32_t waker,
		 uint8_t context, uint8_t kind)
{
	struct wt_pause_turn one = {.tid = tid,
				    .from = from,
				    .blocked = parts[0],
				    .ready = parts[1],
				    .unknown = parts[2],
				    .running = parts[3],
				    .cpu = cpu,
				    .waker = waker,
				    .context = context,
				    .kind = kind,
				    .ready_by = context ? WT_READY_BY_WAKE : WT_READY_BY_PREEMPTION};
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_pause_add(&path, &one, &err), 0);
}

#define PARTS(...) ((const uint64_t[4]){__VA_ARGS__})

static void walk(uint32_t tid, uint64_t from, uint64_t to)
{
	struct wt_err err = WT_ERR_INIT;

	if (!path.runs)
		assert_int_equal(wt_pause_settle(&path, &err), 0);
	assert_int_equal(wt_pause_walk(&path, tid, from, to, &err), 0);
}

static void is(uint32_t i, uint64_t from, uint64_t to, uint32_t tid, uint32_t depth, int cause, uint32_t by)
{
	assert_true(i < path.n_segments);
	assert_int_equal(path.segments[i].from, from);
	assert_int_equal(path.segments[i].to, to);
	assert_int_equal(path.segments[i].tid, tid);
	assert_int_equal(path.segments[i].depth, depth);
	assert_int_equal(path.segments[i].cause, cause);
	assert_int_equal(path.segments[i].by, by);
}

/* Thread 1 waits for a lock of 2, which waits for a lock of 3, which sleeps: the convoy names 3's timer. */
static void test_convoy(void **state)
{
	(void)state;
	turn(1, 0, PARTS(0, 0, 0, 100), 0, WT_PAUSE_NONE, 0, 0);
	turn(1, 100, PARTS(800, 10, 0, 90), 0, 2, BY_THREAD, WT_KIND_LOCK);
	turn(2, 0, PARTS(0, 0, 0, 50), 1, WT_PAUSE_NONE, 0, 0);
	turn(2, 50, PARTS(700, 0, 0, 200), 1, 3, BY_THREAD, WT_KIND_LOCK);
	turn(3, 0, PARTS(0, 0, 0, 40), 2, WT_PAUSE_NONE, 0, 0);
	turn(3, 40, PARTS(600, 20, 0, 300), 2, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_TIMER);
	walk(1, 0, 1000);
	assert_int_equal(path.n_segments, 7);
	is(0, 0, 100, 1, 0, WT_PAUSE_RAN, WT_PAUSE_NONE);
	is(1, 100, 640, 3, 2, WT_PAUSE_TIMER, WT_PAUSE_NONE);
	is(2, 640, 660, 3, 2, WT_PAUSE_CPU_FREE, WT_PAUSE_NONE);
	is(3, 660, 750, 3, 2, WT_PAUSE_RAN, WT_PAUSE_NONE);
	is(4, 750, 900, 2, 1, WT_PAUSE_RAN, WT_PAUSE_NONE);
	is(5, 900, 910, 1, 0, WT_PAUSE_CPU_FREE, WT_PAUSE_NONE);
	is(6, 910, 1000, 1, 0, WT_PAUSE_RAN, WT_PAUSE_NONE);
	assert_int_equal(path.own[WT_PAUSE_BLOCKED], 800);
	assert_int_equal(path.sums[WT_PAUSE_BLOCKED], 540);
}

/* A wake before that of 2 may be missing: what hangs on it is probable, and what thread 1 ran is not. */
static void test_probable(void **state)
{
	(void)state;
	turn(1, 0, PARTS(50, 10, 0, 40), 0, 2, BY_THREAD, WT_KIND_LOCK);
	path.turns[0].probable = true;
	turn(2, 0, PARTS(20, 0, 0, 80), 1, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_TIMER);
	walk(1, 0, 100);
	assert_int_equal(path.n_segments, 4);
	assert_true(path.segments[0].probable && path.segments[1].probable && path.segments[2].probable);
	assert_false(path.segments[3].probable);
	assert_int_equal(path.probable, 60);
	walk(2, 0, 100);
	assert_int_equal(path.probable, 0);
}

/* Who has the CPU while a thread is ready, and a spinner elsewhere that has nothing to do with it. */
static void test_starved(void **state)
{
	(void)state;
	turn(1, 10, PARTS(0, 90, 0, 10), 0, WT_PAUSE_NONE, 0, 0);
	turn(7, 0, PARTS(0, 0, 0, 60), 0, WT_PAUSE_NONE, 0, 0);
	turn(8, 0, PARTS(0, 65, 0, 20), 0, WT_PAUSE_NONE, 0, 0);
	turn(9, 0, PARTS(0, 0, 0, 200), 1, WT_PAUSE_NONE, 0, 0);
	walk(1, 10, 110);
	assert_int_equal(path.n_segments, 5);
	is(0, 10, 60, 1, 0, WT_PAUSE_CPU_TAKEN, 7);
	is(1, 60, 65, 1, 0, WT_PAUSE_CPU_FREE, WT_PAUSE_NONE);
	is(2, 65, 85, 1, 0, WT_PAUSE_CPU_TAKEN, 8);
	is(3, 85, 100, 1, 0, WT_PAUSE_CPU_FREE, WT_PAUSE_NONE);
	is(4, 100, 110, 1, 0, WT_PAUSE_RAN, WT_PAUSE_NONE);
}

static void test_interrupts(void **state)
{
	static const int kinds[][2] = {{WT_KIND_TIMER, WT_PAUSE_TIMER},
				       {WT_KIND_DISK, WT_PAUSE_DISK},
				       {WT_KIND_NET, WT_PAUSE_NETWORK},
				       {WT_KIND_POLL, WT_PAUSE_INTERRUPT}};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		turn(1, 10 * i, PARTS(9, 0, 0, 1), 0, WT_PAUSE_NONE, BY_INTERRUPT, (uint8_t)kinds[i][0]);
	turn(1, 40, PARTS(9, 0, 0, 1), 0, 0, BY_THREAD, WT_KIND_POLL);
	/* A timeout of a wait for something else, and what the wake does not tell. */
	turn(1, 50, PARTS(9, 0, 0, 1), 0, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_LOCK);
	path.turns[5].source = WT_SOURCE_TIMER;
	turn(1, 60, PARTS(9, 0, 0, 1), 0, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_DISK);
	path.turns[6].source = WT_SOURCE_OTHER;
	turn(1, 70, PARTS(9, 0, 0, 1), 0, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_TIMER);
	path.turns[7].source = WT_SOURCE_NET;
	walk(1, 0, 80);
	for (uint32_t i = 0; i < 4; i++)
		is(2 * i, 10 * i, 10 * i + 9, 1, 0, kinds[i][1], WT_PAUSE_NONE);
	is(8, 40, 49, 1, 0, WT_PAUSE_IDLE, WT_PAUSE_NONE);
	is(10, 50, 59, 1, 0, WT_PAUSE_TIMER, WT_PAUSE_NONE);
	is(12, 60, 69, 1, 0, WT_PAUSE_DISK, WT_PAUSE_NONE);
	is(14, 70, 79, 1, 0, WT_PAUSE_NETWORK, WT_PAUSE_NONE);
	walk(1, 2, 7);
	assert_int_equal(path.n_segments, 1);
	is(0, 2, 7, 1, 0, WT_PAUSE_OPEN, WT_PAUSE_NONE);
	walk(1, 7, 7);
	assert_int_equal(path.n_segments, 0);
}

/* A waker of which the record tells nothing, one that was blocked, and two that wait for each other. */
static void test_doubt(void **state)
{
	(void)state;
	turn(1, 0, PARTS(50, 0, 0, 50), 0, 2, BY_THREAD, WT_KIND_PIPE);
	turn(3, 0, PARTS(50, 0, 0, 50), 1, 4, BY_THREAD, WT_KIND_PIPE);
	turn(4, 0, PARTS(80, 0, 0, 20), 2, WT_PAUSE_NONE, BY_INTERRUPT, WT_KIND_TIMER);
	turn(5, 0, PARTS(50, 0, 0, 50), 1, 6, BY_THREAD, WT_KIND_PIPE);
	turn(6, 0, PARTS(50, 0, 0, 50), 2, 5, BY_THREAD, WT_KIND_PIPE);
	walk(1, 0, 100);
	is(0, 0, 50, 2, 1, WT_PAUSE_NO_TURN, WT_PAUSE_NONE);
	walk(3, 0, 100);
	is(0, 0, 50, 3, 0, WT_PAUSE_CONTRADICTION, WT_PAUSE_NONE);
	walk(5, 0, 100);
	is(0, 0, 50, 6, 1, WT_PAUSE_CONTRADICTION, WT_PAUSE_NONE);
	assert_int_equal(path.sums[WT_PAUSE_UNKNOWN], 50);
	walk(99, 0, 100);
	is(0, 0, 100, 99, 0, WT_PAUSE_NO_TURN, WT_PAUSE_NONE);
	assert_int_equal(path.own[WT_PAUSE_UNKNOWN], 100);
}

/* ---- random histories, against what holds at each single moment ---- */

enum { TICKS = 250, THREADS = 9, CPUS = 3 };
enum is { ABSENT, RUN, READY, BLOCKED, UNKNOWN };

/* The state of each thread in each tick [t, t + 1), and what happened at the moment t. */
static struct history {
	uint8_t is[THREADS + 1][TICKS];
	uint8_t cpu[THREADS + 1][TICKS];
	uint8_t begins[THREADS + 1][TICKS + 1]; /* a turn */
	uint8_t born[THREADS + 1][TICKS + 1];
	uint8_t context[THREADS + 1][TICKS + 1], kind[THREADS + 1][TICKS + 1];
	uint8_t waker[THREADS + 1][TICKS + 1];
} history;
static uint64_t seed;

static unsigned chance(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

static void wake(struct history *h, int n, int t, int waker, int context)
{
	h->is[n][t] = READY;
	h->context[n][t] = (uint8_t)context;
	h->waker[n][t] = (uint8_t)waker;
	h->kind[n][t] = (uint8_t)(1 + chance(WT_KIND_OTHER));
}

/* What a thread that ran until t does at t. */
static void act(struct history *h, int n, int t)
{
	int other = 1 + (int)chance(THREADS);

	if (h->is[other][t] == BLOCKED && h->is[other][t - 1] == BLOCKED && chance(2))
		wake(h, other, t, n, BY_THREAD);
	if (h->is[other][t] == ABSENT && h->is[other][t - 1] == ABSENT && !chance(4)) {
		wake(h, other, t, n, BY_THREAD);
		h->born[other][t] = h->begins[other][t] = 1;
	}
	if (!chance(6))
		h->is[n][t] = BLOCKED;
	else if (!chance(8))
		h->is[n][t] = READY;
	else if (!chance(40))
		h->is[n][t] = ABSENT;
	h->begins[n][t] = h->is[n][t] != RUN;
}

static void advance(struct history *h, int t)
{
	bool taken[CPUS] = {false};

	for (int n = 1; n <= THREADS; n++) {
		h->is[n][t] = h->is[n][t - 1];
		h->cpu[n][t] = h->cpu[n][t - 1];
	}
	for (int n = 1; n <= THREADS; n++)
		if (h->is[n][t - 1] == RUN)
			act(h, n, t);
		else if (h->is[n][t] == BLOCKED && h->is[n][t - 1] == BLOCKED && !chance(30))
			wake(h, n, t, 0, chance(3) ? BY_INTERRUPT : BY_THREAD);
		else if (h->is[n][t] == READY && h->is[n][t - 1] == READY && !chance(20))
			h->is[n][t] = UNKNOWN;
	for (int n = 1; n <= THREADS; n++)
		if (h->is[n][t] == RUN)
			taken[h->cpu[n][t]] = true;
	for (int n = 1; n <= THREADS; n++) {
		int cpu = (int)chance(CPUS);

		if ((h->is[n][t] != READY && h->is[n][t] != UNKNOWN) || taken[cpu])
			continue;
		h->is[n][t] = RUN;
		h->cpu[n][t] = (uint8_t)cpu;
		taken[cpu] = true;
	}
}

static void make_history(struct history *h)
{
	memset(h, 0, sizeof(*h));
	for (int n = 1; n <= THREADS; n++) {
		h->is[n][0] = n <= CPUS ? RUN : (uint8_t)chance(5);
		if (n > CPUS && h->is[n][0] == RUN)
			h->is[n][0] = UNKNOWN;
		h->cpu[n][0] = (uint8_t)((n - 1) % CPUS);
		h->begins[n][0] = h->is[n][0] != ABSENT;
	}
	for (int t = 1; t < TICKS; t++)
		advance(h, t);
}

/* The end of the state that the thread has in tick t. */
static int until(const struct history *h, int n, int t)
{
	int end = t + 1;

	while (end < TICKS && h->is[n][end] == h->is[n][t] && !h->begins[n][end])
		end++;
	return end;
}

/* The turn of a thread from tick t on; returns its end. */
static int take_turn(const struct history *h, int n, int t, struct wt_pause_turn *to)
{
	*to = (struct wt_pause_turn){.tid = (uint32_t)n,
				     .from = (uint64_t)t,
				     .cpu = WT_PAUSE_NONE,
				     .waker = WT_PAUSE_NONE,
				     .ready_by = h->born[n][t] ? WT_READY_BY_START : WT_READY_BY_NONE};
	for (int from = t; t < TICKS && h->is[n][t] != ABSENT && (t == from || !h->begins[n][t]); t++) {
		uint64_t *parts[] = {NULL, &to->running, &to->ready, &to->blocked, &to->unknown};

		++*parts[h->is[n][t]];
		if (h->is[n][t] == RUN)
			to->cpu = h->cpu[n][t];
		if (h->context[n][t] && (h->born[n][t] || t > from)) {
			to->context = h->context[n][t];
			to->kind = h->kind[n][t];
			to->waker = to->context == BY_THREAD ? h->waker[n][t] : WT_PAUSE_NONE;
		}
	}
	return t;
}

/* Only what overlaps the stretch, from the last to the first. */
static void add_turns(const struct history *h, int from, int to)
{
	struct wt_err err = WT_ERR_INIT;

	for (int n = THREADS; n; n--)
		for (int t = 0, end; t < TICKS; t = end) {
			struct wt_pause_turn one;

			end = t + 1;
			if (h->is[n][t] == ABSENT)
				continue;
			assert_true(h->begins[n][t]);
			end = take_turn(h, n, t, &one);
			if (t < to && end > from)
				assert_int_equal(wt_pause_add(&path, &one, &err), 0);
		}
	assert_int_equal(wt_pause_settle(&path, &err), 0);
}

static int birth(const struct history *h, int n, int t)
{
	while (t && !h->born[n][t] && h->is[n][t - 1] != ABSENT)
		t--;
	return t;
}

struct moment {
	int tid, depth, cause, by;
};

static struct moment ready_at(const struct history *h, int n, int depth, int t)
{
	int got = t;

	while (got < TICKS && h->is[n][got] != RUN)
		got++;
	if (got == TICKS)
		return (struct moment){n, depth, WT_PAUSE_NO_CPU, NONE};
	for (int other = 1; other <= THREADS; other++)
		if (h->is[other][t] == RUN && h->cpu[other][t] == h->cpu[n][got])
			return (struct moment){n, depth, WT_PAUSE_CPU_TAKEN, other};
	return (struct moment){n, depth, WT_PAUSE_CPU_FREE, NONE};
}

/* Who is responsible for the tick t, asked from the moment `at` of a thread. */
static struct moment at_moment(const struct history *h, int n, int at, int t)
{
	static const uint8_t causes[WT_KIND_OTHER + 1] = {[WT_KIND_TIMER] = WT_PAUSE_TIMER,
							  [WT_KIND_DISK] = WT_PAUSE_DISK,
							  [WT_KIND_NET] = WT_PAUSE_NETWORK};
	int depth = 0, to = at;

	for (;;) {
		int start, end;

		while (at > t + 1 && h->is[n][at - 1] == ABSENT)
			at--;
		if (h->is[n][at - 1] == ABSENT)
			return (struct moment){n, depth, WT_PAUSE_NO_TURN, NONE};
		start = birth(h, n, at - 1);
		if (start > t && h->born[n][start]) {
			n = h->waker[n][start];
			at = start;
			depth++;
			continue;
		}
		if (h->is[n][t] == RUN)
			return (struct moment){n, depth, WT_PAUSE_RAN, NONE};
		if (h->is[n][t] == UNKNOWN)
			return (struct moment){n, depth, WT_PAUSE_NOT_KNOWN, NONE};
		if (h->is[n][t] == READY)
			return ready_at(h, n, depth, t);
		end = until(h, n, t);
		if (end > to || end == TICKS)
			return (struct moment){n, depth, WT_PAUSE_OPEN, NONE};
		if (h->context[n][end] == BY_INTERRUPT) {
			int cause = causes[h->kind[n][end]];

			return (struct moment){n, depth, cause ? cause : WT_PAUSE_INTERRUPT, NONE};
		}
		if (!h->waker[n][end])
			return (struct moment){n, depth, WT_PAUSE_IDLE, NONE};
		n = h->waker[n][end];
		at = end;
		depth++;
	}
}

static void compare(const struct history *h, int n, int from, int to)
{
	uint64_t sum = 0, own = 0;
	uint32_t s = 0;

	for (int t = from; t < to; t++) {
		struct moment want = at_moment(h, n, to, t);
		const struct wt_pause_segment *got;

		while (s < path.n_segments && path.segments[s].to <= (uint64_t)t)
			s++;
		assert_true(s < path.n_segments);
		got = &path.segments[s];
		assert_true(got->from <= (uint64_t)t);
		if ((int)got->tid != want.tid || (int)got->depth != want.depth || got->cause != want.cause ||
		    (int)got->by != want.by)
			fail_msg("thread %d [%d, %d) at %d: %u %u %u %d, not %d %d %d %d", n, from, to, t,
				 got->tid, got->depth, got->cause, (int)got->by, want.tid, want.depth,
				 want.cause, want.by);
	}
	for (uint32_t i = 0; i < path.n_segments; i++) {
		uint32_t link = path.segments[i].link, waiting = 0;

		assert_int_equal(link == WT_PAUSE_NONE ? WT_PAUSE_NONE : path.links[link].turn,
				 path.segments[i].waiter);
		for (; link != WT_PAUSE_NONE; link = path.links[link].up)
			waiting++;
		assert_int_equal(waiting, path.segments[i].depth);
		assert_int_equal(path.segments[i].from, i ? path.segments[i - 1].to : (uint64_t)from);
		sum += path.segments[i].to - path.segments[i].from;
	}
	assert_int_equal(sum, to - from);
	for (int state = 0; state < WT_PAUSE_STATES; state++)
		own += path.own[state];
	assert_int_equal(own, to - from);
}

/* Blame adds up to the stretch, and its shares to 100 %, each within one unit of the true one. */
static void check_blame(int from, int to)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_pause_blame *rows;
	uint64_t length = 0, segments = 0, share = 0, all = (uint64_t)(to - from);
	uint32_t n;

	assert_int_equal(wt_pause_blame(&path, &rows, &n, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t whole = rows[i].length * WT_PAUSE_ALL, shared = rows[i].share * all;

		assert_true(!i || rows[i].length <= rows[i - 1].length);
		assert_true(whole < shared + all && shared < whole + all);
		length += rows[i].length;
		segments += rows[i].segments;
		share += rows[i].share;
	}
	assert_int_equal(length, all);
	assert_int_equal(segments, path.n_segments);
	assert_int_equal(share, WT_PAUSE_ALL);
	free(rows);
}

static void test_random(void **state)
{
	uint32_t deepest = 0, seen = 0;

	(void)state;
	for (uint64_t round = 1; round <= 600; round++) {
		int from, to;

		seed = round * 7919;
		make_history(&history);
		from = (int)chance(TICKS / 2);
		to = from + 1 + (int)chance((unsigned)(TICKS - from - 1));
		wt_pause_deinit(&path);
		add_turns(&history, from, to);
		for (int n = 1; n <= THREADS; n++) {
			walk((uint32_t)n, (uint64_t)from, (uint64_t)to);
			compare(&history, n, from, to);
			check_blame(from, to);
			for (uint32_t i = 0; i < path.n_segments; i++) {
				seen |= 1u << path.segments[i].cause;
				deepest = path.segments[i].depth > deepest ? path.segments[i].depth : deepest;
			}
		}
	}
	assert_true(deepest >= 4);
	/* All but a contradiction, which no true history has. */
	assert_int_equal(seen, (1u << WT_PAUSE_CAUSES) - 1 - (1u << WT_PAUSE_CONTRADICTION));
}

/* Turns that make no sense at all: the path ends, and fills the stretch. */
static void test_nonsense(void **state)
{
	(void)state;
	for (uint64_t round = 1; round <= 600; round++) {
		uint64_t at[5] = {0}, sum = 0;

		seed = round * 104729;
		wt_pause_deinit(&path);
		for (int i = 0; i < 60; i++) {
			uint32_t tid = chance(5);
			uint64_t parts[4] = {chance(9), chance(3), chance(2), chance(4)};

			at[tid] += chance(3);
			turn(tid, at[tid], parts, chance(4) ? chance(2) : WT_PAUSE_NONE,
			     chance(9) ? chance(6) : WT_PAUSE_NONE, (uint8_t)chance(4), (uint8_t)chance(11));
			path.turns[path.n_turns - 1].ready_by = (uint8_t)chance(7);
			at[tid] += parts[0] + parts[1] + parts[2] + parts[3] + !(parts[0] + parts[1]);
		}
		walk(1, 3, 70);
		for (uint32_t i = 0; i < path.n_segments; i++) {
			assert_int_equal(path.segments[i].from, i ? path.segments[i - 1].to : 3);
			sum += path.segments[i].to - path.segments[i].from;
		}
		assert_int_equal(sum, 67);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_convoy, teardown),
		cmocka_unit_test_teardown(test_probable, teardown),
		cmocka_unit_test_teardown(test_starved, teardown),
		cmocka_unit_test_teardown(test_interrupts, teardown),
		cmocka_unit_test_teardown(test_doubt, teardown),
		cmocka_unit_test_teardown(test_random, teardown),
		cmocka_unit_test_teardown(test_nonsense, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
