// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/pairing.h"
#include "tracecore/base/buf.h"

/* Regions as text, in the order they are given out: "NAME FROM-TO self N [marks]". */
struct outcome {
	struct wt_pairing pairing;
	struct wt_buf text;
	uint64_t n, total, self, marked;
	bool silent;
};

static const char *state(const struct wt_region *region)
{
	return region->state == WT_REGION_UNFINISHED ? " unfinished"
	       : region->state == WT_REGION_UNBEGUN  ? " unbegun"
						     : "";
}

static int tell(void *ctx, const struct wt_region *region, struct wt_err *err)
{
	struct outcome *outcome = ctx;
	bool begun = region->state != WT_REGION_UNBEGUN, ended = region->state != WT_REGION_UNFINISHED;

	(void)err;
	outcome->n++;
	outcome->total += begun && ended ? region->end.time - region->begin.time : 0;
	outcome->self += region->self;
	outcome->marked += !begun || !ended || region->overlapping;
	if (outcome->silent)
		return 0;
	wt_buf_printf(&outcome->text, "%c ", (char)region->name);
	wt_buf_printf(&outcome->text, begun ? "%llu" : "?", (unsigned long long)region->begin.time);
	wt_buf_printf(&outcome->text, ended ? "-%llu" : "-?", (unsigned long long)region->end.time);
	if (begun && ended)
		wt_buf_printf(&outcome->text, " self %llu", (unsigned long long)region->self);
	if (region->around != WT_REGION_NONE)
		wt_buf_printf(&outcome->text, " in %c", (char)region->around);
	wt_buf_printf(&outcome->text, "%s%s%s\n", state(region), region->overlapping ? " overlapping" : "",
		      region->doubtful ? " doubtful" : "");
	return 0;
}

static struct wt_region_event event(enum wt_region_owner owner, char name, uint64_t time, uint32_t thread,
				    const char *activity)
{
	static uint8_t ids[2][WT_ACTIVITY_ID];
	static int turn;
	uint8_t *id = ids[turn ^= 1];

	memset(id, 0, WT_ACTIVITY_ID);
	if (activity)
		memcpy(id, activity, strlen(activity));
	return (struct wt_region_event){
		.side = {.time = time, .thread = thread, .cpu = thread % 2, .tid = 100 + thread},
		.activity = activity ? id : NULL,
		.owner = owner,
		.class = (uint32_t)name,
		.group = 7,
		.name = (uint32_t)name,
	};
}

static void begin(struct outcome *outcome, char name, uint64_t time, uint32_t thread, const char *activity)
{
	struct wt_region_event one = event(WT_OWNER_WORK, name, time, thread, activity);

	assert_int_equal(wt_pairing_begin(&outcome->pairing, &one, "payload", 7, NULL), 0);
}

static void end(struct outcome *outcome, char name, uint64_t time, uint32_t thread, const char *activity)
{
	struct wt_region_event one = event(WT_OWNER_WORK, name, time, thread, activity);

	assert_int_equal(wt_pairing_end(&outcome->pairing, &one, NULL), 0);
}

static void start(struct outcome *outcome)
{
	*outcome = (struct outcome){.pairing = {.fn = tell}};
	outcome->pairing.ctx = outcome;
}

static void expect(struct outcome *outcome, const char *want)
{
	assert_int_equal(wt_pairing_finish(&outcome->pairing, NULL), 0);
	assert_int_equal(outcome->pairing.open, 0);
	assert_string_equal(wt_buf_cstr(&outcome->text), want);
	wt_buf_deinit(&outcome->text);
	wt_pairing_deinit(&outcome->pairing);
}

static void regions_nest_by_thread(void **state_)
{
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 10, 1, NULL);
	begin(&outcome, 'p', 20, 1, NULL);
	begin(&outcome, 'r', 15, 2, NULL);
	end(&outcome, 'p', 50, 1, NULL);
	begin(&outcome, 's', 60, 1, NULL);
	begin(&outcome, 's', 70, 1, NULL);
	end(&outcome, 's', 80, 1, NULL);
	end(&outcome, 's', 100, 1, NULL);
	end(&outcome, 'r', 110, 1, NULL);
	end(&outcome, 'r', 115, 2, NULL);
	expect(&outcome, "p 20-50 self 30 in r\n"
			 "s 70-80 self 10 in s\n"
			 "s 60-100 self 30 in r\n"
			 "r 10-110 self 30\n"
			 "r 15-115 self 100\n");
}

static void activities_go_over_threads(void **state_)
{
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 10, 1, "A");
	begin(&outcome, 'r', 12, 1, "B");
	begin(&outcome, 'p', 20, 2, "A");
	begin(&outcome, 'q', 25, 1, "B");
	end(&outcome, 'r', 40, 2, "B");
	end(&outcome, 'p', 50, 3, "A");
	end(&outcome, 'r', 60, 3, "A");
	end(&outcome, 'q', 70, 1, "B");
	expect(&outcome, "r 12-40 self 13 overlapping\n"
			 "p 20-50 self 30 in r\n"
			 "r 10-60 self 20\n"
			 "q 25-70 self 45 in r overlapping\n");
}

static void a_side_without_activity_goes_by_thread(void **state_)
{
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 10, 1, NULL);
	end(&outcome, 'r', 20, 1, "A");
	begin(&outcome, 'r', 30, 1, "A");
	end(&outcome, 'r', 40, 1, NULL);
	begin(&outcome, 'r', 50, 1, "A");
	end(&outcome, 'r', 60, 1, "B");
	expect(&outcome, "r 10-20 self 10\nr 30-40 self 10\nr ?-60 unbegun\nr 50-? unfinished\n");
}

static void what_does_not_nest_is_marked(void **state_)
{
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	end(&outcome, 'x', 5, 1, NULL);
	begin(&outcome, 'a', 10, 1, NULL);
	begin(&outcome, 'b', 20, 1, NULL);
	end(&outcome, 'a', 30, 1, NULL);
	end(&outcome, 'b', 40, 1, NULL);
	begin(&outcome, 'c', 50, 1, NULL);
	begin(&outcome, 'd', 60, 1, NULL);
	expect(&outcome, "x ?-5 unbegun\n"
			 "a 10-30 self 10 overlapping\n"
			 "b 20-40 self 20 in a overlapping\n"
			 "c 50-? unfinished\n"
			 "d 60-? in c unfinished\n");
}

static void time_inside_counts_once(void **state_)
{
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 0, 1, NULL);
	begin(&outcome, 'a', 10, 1, "A");
	begin(&outcome, 'b', 20, 1, "B");
	end(&outcome, 'a', 30, 1, "A");
	end(&outcome, 'b', 40, 1, "B");
	end(&outcome, 'r', 100, 1, NULL);
	expect(&outcome, "a 10-30 self 20 in r\nb 20-40 self 20 in r\nr 0-100 self 70\n");
}

static void a_thread_is_in_one_call(void **state_)
{
	struct wt_region_event one;
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 0, 1, "A");
	one = event(WT_OWNER_CALL, 'i', 10, 1, NULL);
	assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
	one = event(WT_OWNER_CALL, 'o', 20, 1, NULL);
	assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
	one.side.time = 30;
	assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	one = event(WT_OWNER_CALL, 'i', 40, 1, NULL);
	assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	end(&outcome, 'r', 50, 1, "A");
	expect(&outcome, "i 10-? in r unfinished\n"
			 "o 20-30 self 10 in r\n"
			 "i ?-40 unbegun\n"
			 "r 0-50 self 30 overlapping\n");
}

/* A call whose number is forgotten before it returns. */
static void an_end_may_have_another_name(void **state_)
{
	const uint32_t other = 's';
	struct wt_region_event one;
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	for (int i = 0; i < 3; i++) {
		one = event(WT_OWNER_CALL, "sux"[i], 10 * (uint64_t)i + 1, 1, NULL);
		assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
		one = event(WT_OWNER_CALL, 'x', 10 * (uint64_t)i + 2, 1, NULL);
		one.or_name = &other;
		assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	}
	expect(&outcome, "s 1-2 self 1\n"
			 "x ?-12 unbegun\n"
			 "u 11-? unfinished\n"
			 "x 21-22 self 1\n");
}

static void keys_pair_anywhere(void **state_)
{
	struct wt_region_event one = event(WT_OWNER_KEY, 'k', 10, 1, NULL);
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	one.key = "12";
	one.key_len = 2;
	assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
	one.key = "1";
	one.key_len = 1;
	one.side.time = 11;
	assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
	one.side.thread = 2;
	one.side.time = 20;
	assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	one.key = "12";
	one.key_len = 2;
	one.side.time = 30;
	assert_int_equal(wt_pairing_begin(&outcome.pairing, &one, NULL, 0, NULL), 0);
	expect(&outcome, "k 11-20 self 9\nk 10-? unfinished\nk 30-? unfinished\n");
}

static void a_loose_end_closes_the_last_of_its_group(void **state_)
{
	struct wt_region_event one = event(WT_OWNER_WORK, 'z', 30, 1, NULL);
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'a', 10, 1, NULL);
	begin(&outcome, 'b', 20, 1, NULL);
	one.loose = true;
	assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	one.group = 8;
	one.doubtful = true;
	assert_int_equal(wt_pairing_end(&outcome.pairing, &one, NULL), 0);
	end(&outcome, 'a', 40, 1, NULL);
	expect(&outcome, "b 20-30 self 10 in a\nz ?-30 unbegun doubtful\na 10-40 self 20\n");
}

/* A random walk of beginnings and ends over threads: times of regions add up, and memory stays that of the
 * open ones. */
static void a_million(void **state_)
{
	enum { THREADS = 50, MOST = 20, STEPS = 2000000 };
	uint32_t depth[THREADS] = {0}, seed = 1;
	uint64_t since[THREADS][MOST], total = 0, busy = 0, begun[THREADS] = {0}, n = 0;
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	outcome.silent = true;
	for (uint64_t time = 1; time <= STEPS || n; time++) {
		uint32_t thread = (seed = seed * 1664525 + 1013904223) >> 16 & 31;
		bool open = time <= STEPS && depth[thread] < MOST && (seed >> 8 & 1);

		if (open) {
			begun[thread] = depth[thread] ? begun[thread] : time;
			since[thread][depth[thread]] = time;
			begin(&outcome, (char)('a' + depth[thread]++), time, thread, NULL);
			n++;
		} else if (depth[thread]) {
			total += time - since[thread][--depth[thread]];
			end(&outcome, (char)('a' + depth[thread]), time, thread, NULL);
			busy += depth[thread] ? 0 : time - begun[thread];
			n--;
		}
	}
	assert_true(outcome.n > 900000);
	assert_int_equal(outcome.total, total);
	assert_int_equal(outcome.self, busy);
	assert_int_equal(outcome.marked, 0);
	assert_true(outcome.pairing.most <= 32 * MOST);
	assert_int_equal(outcome.pairing.n_lists, 0);
	expect(&outcome, "");
}

/* Threads of one activity end their own regions; an end by another thread belongs to the only one there is,
 * and where there are several, or it is another process's, nobody knows. */
static void threads_share_an_activity(void **state_)
{
	struct wt_region_event late;
	struct outcome outcome;

	(void)state_;
	start(&outcome);
	begin(&outcome, 'r', 10, 1, "A");
	begin(&outcome, 'p', 20, 1, "A");
	begin(&outcome, 'p', 30, 2, "A"); /* a neighbour, not within */
	begin(&outcome, 'q', 40, 1, "A");
	end(&outcome, 'p', 50, 2, "A");
	end(&outcome, 'q', 60, 1, "A");
	end(&outcome, 'p', 70, 1, "A");
	end(&outcome, 'r', 80, 1, "A");
	begin(&outcome, 'h', 100, 1, "B");
	end(&outcome, 'h', 110, 2, "B");
	begin(&outcome, 's', 200, 1, "B");
	begin(&outcome, 's', 210, 2, "B");
	end(&outcome, 's', 220, 3, "B");
	end(&outcome, 's', 230, 1, "B");
	begin(&outcome, 's', 300, 1, "B");
	end(&outcome, 's', 310, 1, "B");
	begin(&outcome, 'h', 700, 1, "C");
	late = event(WT_OWNER_WORK, 'h', 800, 3, "C");
	late.side.process = 9;
	assert_int_equal(wt_pairing_end(&outcome.pairing, &late, NULL), 0);
	expect(&outcome, "p 30-50 self 20 in r\n"
			 "q 40-60 self 20 in p\n"
			 "p 20-70 self 30 in r\n"
			 "r 10-80 self 20\n"
			 "h 100-110 self 10\n"
			 "s 210-220 self 10 doubtful\n"
			 "s 200-230 self 30 doubtful\n"
			 "s 300-310 self 10\n"
			 "h 700-800 self 100 doubtful\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_nest_by_thread),
		cmocka_unit_test(threads_share_an_activity),
		cmocka_unit_test(activities_go_over_threads),
		cmocka_unit_test(a_side_without_activity_goes_by_thread),
		cmocka_unit_test(what_does_not_nest_is_marked),
		cmocka_unit_test(time_inside_counts_once),
		cmocka_unit_test(a_thread_is_in_one_call),
		cmocka_unit_test(an_end_may_have_another_name),
		cmocka_unit_test(keys_pair_anywhere),
		cmocka_unit_test(a_loose_end_closes_the_last_of_its_group),
		cmocka_unit_test(a_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
