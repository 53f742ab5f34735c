// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumers/record/turns.h"

static void counted_from_birth(void **state)
{
	struct wt_turns turns = {0};

	(void)state;
	assert_int_equal(wt_turns_with(&turns, 10, 0), 0);
	wt_turns_leave(&turns, 10, 0);
	assert_int_equal(wt_turns_with(&turns, 20, 0), 0);
	wt_turns_begin(&turns, 0);
	for (uint64_t i = 1; i < 5; i++) {
		assert_int_equal(wt_turns_with(&turns, 20 + i, 0), i);
		wt_turns_leave(&turns, 20 + i, 0);
	}
}

/* The kernel's answer holds for what comes behind it, and for nothing that came while it was asked. */
static void known_by_an_answer(void **state)
{
	struct wt_turns turns = {0};

	(void)state;
	assert_true(wt_turns_may_ask(&turns, 0));
	wt_turns_answer(&turns, 100, 110, 7, 0);
	assert_false(wt_turns_may_ask(&turns, 0));
	assert_int_equal(wt_turns_with(&turns, 99, 0), 0);
	wt_turns_leave(&turns, 99, 0);
	assert_int_equal(wt_turns_with(&turns, 111, 0), 8);
	wt_turns_leave(&turns, 111, 0);
	assert_true(wt_turns_may_ask(&turns, 0));
	assert_int_equal(wt_turns_with(&turns, 112, 0), 9);

	for (uint64_t time = 200; time <= 210; time += 5) {
		turns = (struct wt_turns){0};
		wt_turns_answer(&turns, 200, 210, 7, 0);
		assert_int_equal(wt_turns_with(&turns, time, 0), 0);
		wt_turns_leave(&turns, time, 0);
		assert_int_equal(wt_turns_with(&turns, 300, 0), 0);
		assert_true(wt_turns_may_ask(&turns, 0));
	}
}

/* A count that is too low is put right by an answer; until then it stays as it is. */
static void put_right(void **state)
{
	struct wt_turns turns;

	(void)state;
	wt_turns_begin(&turns, 0);
	wt_turns_leave(&turns, 10, 0);
	wt_turns_answer(&turns, 20, 21, 5, 0);
	assert_int_equal(wt_turns_with(&turns, 19, 0), 2);
	assert_int_equal(wt_turns_with(&turns, 22, 0), 6);
}

/* After a loss, and after a switch that comes too late, nothing is known. */
static void forgotten(void **state)
{
	struct wt_turns turns;

	(void)state;
	wt_turns_begin(&turns, 3);
	wt_turns_leave(&turns, 10, 3);
	assert_int_equal(wt_turns_with(&turns, 20, 3), 2);
	assert_int_equal(wt_turns_with(&turns, 20, 4), 0);
	assert_int_equal(wt_turns_with(&turns, 9, 3), 0);
	wt_turns_answer(&turns, 15, 16, 4, 3);
	assert_true(wt_turns_may_ask(&turns, 4));
	wt_turns_leave(&turns, 20, 4);
	assert_int_equal(wt_turns_with(&turns, 30, 4), 0);

	wt_turns_begin(&turns, 3);
	wt_turns_leave(&turns, 10, 3);
	wt_turns_leave(&turns, 9, 3);
	assert_int_equal(wt_turns_with(&turns, 20, 3), 0);
	/* The late one does not set the time back. */
	wt_turns_answer(&turns, 11, 12, 4, 3);
	assert_int_equal(wt_turns_with(&turns, 9, 3), 0);
}

/* Only a process that never had a second thread is known to be the same thread behind an exec. */
static void another_program(void **state)
{
	struct wt_turns turns;

	(void)state;
	wt_turns_begin(&turns, 0);
	turns.alone = true;
	wt_turns_leave(&turns, 10, 0);
	wt_turns_exec(&turns, 0);
	assert_int_equal(wt_turns_with(&turns, 20, 0), 2);
	turns.alone = false;
	wt_turns_exec(&turns, 0);
	assert_int_equal(wt_turns_with(&turns, 20, 0), 0);
	wt_turns_begin(&turns, 0);
	turns.alone = true;
	wt_turns_exec(&turns, 1);
	assert_int_equal(wt_turns_with(&turns, 20, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_from_birth), cmocka_unit_test(known_by_an_answer),
		cmocka_unit_test(put_right),          cmocka_unit_test(forgotten),
		cmocka_unit_test(another_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
