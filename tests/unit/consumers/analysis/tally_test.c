// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

/* Stack 2 * s + 1 has one frame, in libc, and stack 2 * s + 2 has leaf on top of it; both have status s. */
static void write_statuses(struct fixture *fix, uint32_t n)
{
	struct wt_err err = WT_ERR_INIT;

	fixture_begin(fix);
	fixture_rows(fix, FIXTURE_START + 20);
	for (uint32_t s = 0; s < n; s++) {
		struct wt_log_stack outer = {.frame = 3, .status = (uint8_t)s};
		struct wt_log_stack inner = {.frame = 2, .status = (uint8_t)s, .caller = 9 + 2 * s};

		assert_ok(wt_log_put_stack(fix->writer, &outer, &err), err);
		assert_ok(wt_log_put_stack(fix->writer, &inner, &err), err);
		fixture_sample(fix, FIXTURE_MAKE, 10 + 2 * s, 0, s + 1);
	}
}

static void every_status_is_counted_for_itself(void **state)
{
	struct fixture fix;
	uint64_t sum = 0;

	(void)state;
	write_statuses(&fix, WT_N_STACK_STATUSES + 1);
	fixture_finish(&fix);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("pid"), WORDS("count"), "count", NULL);
	for (uint32_t s = 0; s < WT_N_STACK_STATUSES; s++) {
		/* a status of a newer recorder counts as lost */
		uint64_t want = s == WT_STACK_LOST ? s + 1 + WT_N_STACK_STATUSES + 1 : s + 1;

		assert_int_equal(fix.facts.statuses[s], want);
		assert_non_null(wt_stack_status_names[s]);
		sum += want;
	}
	assert_int_equal(fix.facts.stacks, sum);
	assert_int_equal(fix.facts.local, 0);
	assert_int_equal(fix.facts.reasons[WT_RESOLVED], sum);
	fixture_close(&fix);
}

static void statuses_are_a_key(void **state)
{
	struct fixture fix;

	(void)state;
	write_statuses(&fix, 4);
	fixture_finish(&fix);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("stack_status"), WORDS("count"), "count", "stack_status != 'complete'");
	fixture_expect(&fix,
		       "= cpu-clock\ncut at the depth limit 4\nby frame pointers 2\nnone asked for 1\n");
	fixture_close(&fix);
}

static void the_order_has_every_status_once(void **state)
{
	bool seen[WT_N_STACK_STATUSES] = {false};

	(void)state;
	for (int i = 0; i < WT_N_STACK_STATUSES; i++) {
		assert_false(seen[wt_view_status_order[i]]);
		seen[wt_view_status_order[i]] = true;
	}
}

/* Three samples end in libc, the outermost frame, two in the file without a name, and one in the kernel. */
static void no_unwind_data_names_the_modules(void **state)
{
	struct wt_log_stack rows[] = {
		{.frame = 3, .status = WT_STACK_NO_DATA},
		{.frame = 2, .caller = 9, .status = WT_STACK_NO_DATA},
		{.frame = 4, .status = WT_STACK_NO_DATA},
		{.frame = 5, .status = WT_STACK_NO_DATA},
		{.frame = 2, .caller = 1, .status = WT_STACK_COMPLETE},
	};
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char *text;

	(void)state;
	fixture_begin(&fix);
	fixture_rows(&fix, FIXTURE_START + 20);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_ok(wt_log_put_stack(fix.writer, &rows[i], &err), err);
	fixture_sample(&fix, FIXTURE_MAKE, 9, 0, 1);
	fixture_sample(&fix, FIXTURE_MAKE, 10, 0, 2);
	fixture_sample(&fix, FIXTURE_MAKE, 11, 0, 2);
	fixture_sample(&fix, FIXTURE_MAKE, 12, 0, 1);
	fixture_sample(&fix, FIXTURE_MAKE, 13, 0, 4);
	fixture_finish(&fix);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("pid"), WORDS("count"), "count", NULL);
	wt_view_facts_sort_ends(&fix.facts);
	text = fixture_render(&fix, wt_view_text_out);
	assert_non_null(strstr(text, "\nstacks      40.00 % complete, 60.00 % no unwind data (30.00 % in "
				     "libc.so.6, 20.00 % in prog, 10.00 % in [kernel])\n"));
	free(text);
	text = fixture_render(&fix, wt_view_json_out);
	assert_non_null(strstr(text, "\"stacks\":{\"complete\":4,\"no unwind data\":6},\"no_unwind_data\":["
				     "{\"module\":\"/usr/lib/libc.so.6\",\"count\":3},"));
	free(text);
	fixture_close(&fix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_status_is_counted_for_itself),
		cmocka_unit_test(statuses_are_a_key),
		cmocka_unit_test(the_order_has_every_status_once),
		cmocka_unit_test(no_unwind_data_names_the_modules),
	};

	return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
