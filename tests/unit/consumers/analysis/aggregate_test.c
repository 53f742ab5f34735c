// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

#include "consumers/analysis/moment.h"

static void expect(const char *const *keys, const char *const *columns, const char *sort, const char *where,
		   const char *want)
{
	struct fixture fix;

	fixture_setup(&fix);
	fixture_run(&fix, keys, columns, sort, where);
	fixture_expect(&fix, want);
	fixture_close(&fix);
}

static void functions_by_source(void **state)
{
	(void)state;
	expect(WORDS("function"), WORDS("count", "overhead"), "count", NULL,
	       "= cpu-clock\n"
	       "leaf:prog 18 60.00\n"
	       "[wtrace recorder] 3 10.00\n"
	       "read:libc.so.6 3 10.00\n"
	       "[unresolved]:prog 2 6.67\n"
	       "do_sys:[kernel] 2 6.67\n"
	       "work:prog 2 6.67\n"
	       "= cycles\n"
	       "main:prog 4 100.00\n");
}

static void other_code_keys(void **state)
{
	(void)state;
	expect(WORDS("module"), WORDS("count"), "count", "!self",
	       "= cpu-clock\nprog 22\nlibc.so.6 3\n[kernel] 2\n= cycles\nprog 4\n");
	expect(WORDS("line"), WORDS("count"), "count", "cpu == 1 && process == 'cc1'",
	       "= cpu-clock\nprog.c:30 6\n[unresolved]:prog (no line) 1\nread:libc.so.6 (no line) 1\n");
	expect(WORDS("address"), WORDS("count"), "key", "module == 'prog'",
	       "= cpu-clock\nprog+0x200 2\nprog+0x300 18\nprog+0x500 2\n= cycles\nprog+0x100 4\n");
}

static void keys_nest(void **state)
{
	(void)state;
	expect(WORDS("process", "function"), WORDS("count"), "count", NULL,
	       "= cpu-clock\n"
	       "make (100) 10\n"
	       ".leaf:prog 6\n"
	       ".do_sys:[kernel] 2\n"
	       ".work:prog 2\n"
	       "cc1 (101) started +0.000000s 9\n"
	       ".leaf:prog 4\n"
	       ".read:libc.so.6 3\n"
	       ".[unresolved]:prog 2\n"
	       "cc1 (101) started +0.000500s 8\n"
	       ".leaf:prog 8\n"
	       "[wtrace recorder] 3\n"
	       ".[wtrace recorder] 3\n"
	       "= cycles\n"
	       "make (100) 4\n"
	       ".main:prog 4\n");
}

static void a_reused_pid_is_another_process(void **state)
{
	(void)state;
	expect(WORDS("pid", "comm"), WORDS("count", "unique:process"), "key", "source == 'cpu-clock'",
	       "= cpu-clock\n7 3 1\n.[wtrace recorder] 3 1\n100 10 1\n.make 10 1\n101 17 2\n.cc1 17 2\n");
	expect(WORDS("thread"), WORDS("count"), "count", "process == 'cc1'",
	       "= cpu-clock\ncc1 (101) started +0.000000s 9\ncc1 (101) started +0.000500s 8\n");
}

static void numbers_and_kinds(void **state)
{
	(void)state;
	expect(WORDS("cpu"), WORDS("count", "weight"), "key", NULL,
	       "= cpu-clock\n0 16 16000\n1 14 14000\n= cycles\n0 2 200\n1 2 200\n");
	expect(WORDS("provider", "event", "level"), WORDS("count"), "count", "tid >= 100",
	       "= cpu-clock\npmu-profile 27\n.pmu-profile/sample 27\n..info 27\n"
	       "= cycles\npmu-profile 4\n.pmu-profile/sample 4\n..info 4\n");
	expect(WORDS("time:10ms"), WORDS("count"), "key", NULL,
	       "= cpu-clock\n+0.00 s 8\n+0.01 s 10\n+0.02 s 2\n+0.03 s 10\n"
	       "= cycles\n+0.02 s 4\n");
	expect(WORDS("self"), WORDS("count"), "key", "time < 22ms", "= cpu-clock\n0 17\n1 3\n");
}

static void inclusive_counts_recursion_once(void **state)
{
	(void)state;
	expect(WORDS("function"), WORDS("inclusive", "exclusive", "overhead-inclusive"), "inclusive",
	       "source == 'cpu-clock'",
	       "= cpu-clock\n"
	       "main:prog 27 0 90.00\n"
	       "work:prog 20 2 66.67\n"
	       "leaf:prog 18 18 60.00\n"
	       "read:libc.so.6 5 3 16.67\n"
	       "[wtrace recorder] 3 3 10.00\n"
	       "[unresolved]:prog 2 2 6.67\n"
	       "do_sys:[kernel] 2 2 6.67\n");
	expect(WORDS("comm", "module"), WORDS("inclusive", "count"), "inclusive", "source == 'cpu-clock'",
	       "= cpu-clock\n"
	       "cc1 17 17\n"
	       ".prog 17 14\n"
	       ".libc.so.6 3 3\n"
	       "make 10 10\n"
	       ".prog 10 8\n"
	       ".libc.so.6 2 0\n"
	       ".[kernel] 2 2\n"
	       "[wtrace recorder] 3 3\n"
	       ".[wtrace recorder] 3 3\n");
}

static void stacks_are_trees(void **state)
{
	(void)state;
	expect(WORDS("comm", "stack"), WORDS("count", "exclusive", "weight"), "count",
	       "source == 'cpu-clock' && comm != 'make'",
	       "= cpu-clock\n"
	       "cc1 17 17 17000\n"
	       ".main:prog 17 0 17000\n"
	       "..work:prog 12 0 12000\n"
	       "...leaf:prog 8 8 8000\n"
	       "...work:prog 4 0 4000\n"
	       "....leaf:prog 4 4 4000\n"
	       "..read:libc.so.6 3 3 3000\n"
	       "..[unresolved]:prog 2 2 2000\n"
	       "[wtrace recorder] 3 3 3000\n"
	       ".[wtrace recorder] 3 3 3000\n");
}

/* A shell becomes a compiler: one process, two names; unknown callers in a row are one. */
static void exec_keeps_the_process(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_frame frames[] = {{0, 0x10}, {0, 0x20}, {1, 0x30}};
	struct wt_log_stack stacks[] = {{.frame = 0}, {.caller = 1, .frame = 1}, {.caller = 2, .frame = 2}};

	(void)state;
	fixture_begin(&fix);
	fixture_process(&fix, 0, 0, "?");
	fixture_process(&fix, 300, FIXTURE_START + 7, "sh");
	fixture_process(&fix, 300, FIXTURE_START + 7, "gcc");
	fixture_thread(&fix, 0, 0, 0, "?");
	fixture_thread(&fix, 1, 300, FIXTURE_START + 7, "sh");
	fixture_thread(&fix, 2, 300, FIXTURE_START + 7, "gcc");
	assert_ok(wt_log_put_image(fix.writer, &(struct wt_log_image){0}, &err), err);
	assert_ok(wt_log_put_image(fix.writer, &(struct wt_log_image){.path = wt_str("/bin/x")}, &err), err);
	for (int i = 0; i < 3; i++) {
		assert_ok(wt_log_put_frame(fix.writer, &frames[i], &err), err);
		assert_ok(wt_log_put_stack(fix.writer, &stacks[i], &err), err);
	}
	fixture_sample(&fix, 1, 3, 0, 2);
	fixture_sample(&fix, 2, 2, 0, 3);
	assert_ok(wt_log_finish(fix.writer, &err), err);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("process", "comm", "stack"), WORDS("count", "exclusive"), "count", NULL);
	fixture_expect(&fix, "= cpu-clock\n"
			     "gcc (300) 5 5\n"
			     ".gcc 3 3\n"
			     "..[unknown] 3 3\n"
			     ".sh 2 2\n"
			     "..[unknown] 2 0\n"
			     "...[unresolved]:x 2 2\n");
	fixture_close(&fix);
}

static void fields_and_columns(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "my-app/io", &err), err);
	fixture_run(&fix, WORDS("op"),
		    WORDS("count", "sum:bytes", "min:delta", "max:delta", "avg:bytes", "p50:bytes",
			  "p99:bytes", "sum:ratio", "unique:path", "first", "last"),
		    "sum:bytes", NULL);
	fixture_expect(&fix, "= \n"
			     "9 1 1000 5 5 1000.000 1000 1000 4.500 1 0.041000000 0.041000000\n"
			     "write 2 60 -2 4 30.000 20 40 5.000 2 0.027000000 0.040000000\n"
			     "read 2 40 -1 3 20.000 10 30 3.000 1 0.026000000 0.028000000\n");
	fixture_close(&fix);
}

/* Sums are divided, not values: rows above divide the sums of the rows below. */
static void sums_are_divided(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "my-app/io", &err), err);
	fixture_run(
		&fix, WORDS("op"),
		WORDS("sum:bytes", "sum:delta", "bytes/delta", "sum:ratio/io.bytes", "my-app/io.delta/bytes"),
		"bytes/delta", NULL);
	fixture_expect(&fix, "= \n"
			     "9 1000 5 200.000 0.0045 0.005\n"
			     "write 60 2 30.000 0.083 0.033\n"
			     "read 40 2 20.000 0.075 0.050\n");
	fixture_close(&fix);
}

static void nothing_is_divided_by_0(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "my-app/io", &err), err);
	fixture_run(&fix, WORDS("event", "delta"), WORDS("bytes/sum:delta", "delta/bytes"), "bytes/sum:delta",
		    "delta <= 3");
	fixture_expect(&fix, "= \n"
			     "my-app/io n/a 0.000\n"
			     ".3 10.000 0.100\n"
			     ".-2 -10.000 -0.100\n"
			     ".-1 -10.000 -0.100\n");
	fixture_close(&fix);
}

static void field_keys(void **state)
{
	static const struct {
		const char *key, *where, *want;
	} cases[] = {
		{"path", "bytes < 50", "= \n/a 2\n/b,\"c\" 1\nx\n\x1b[31m 1\n"},
		{"delta", NULL, "= \n-2 1\n-1 1\n3 1\n4 1\n5 1\n"},
		{"io.ratio", "my-app/io.ratio > 1.5", "= \n2.5 1\n3.5 1\n4.5 1\n"},
		{"ports", NULL, "= \n[80, 443] 5\n"},
		{"at", "at < 27ms", "= \n+0.026000000 s 1\n"},
		{"bytes", "op == 'read'", "= \n10 1\n30 1\n"},
		{"bytes", "op == 2", "= \n20 1\n40 1\n"},
		{"cpu", "path =~ '^/'", "= \n(none) 3\n"},
		{"function", "delta >= 0 && level == 'warning' && level <= 3", "= \n[no stack] 3\n"},
		{"comm", "event == 'io' && provider == 'my-app' && thread == 'make'", "= \nmake 5\n"},
		{"source", NULL, "= \n(none) 5\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct fixture fix;

		fixture_setup(&fix);
		assert_ok(wt_view_select_add(&fix.select, "IO", &err), err);
		fixture_run(&fix, WORDS(cases[i].key), WORDS("count"), "key", cases[i].where);
		fixture_expect(&fix, cases[i].want);
		fixture_close(&fix);
	}
}

/* What is not there is neither equal nor different, less nor more. */
static void what_an_event_lacks_passes_no_comparison(void **state)
{
	static const char *const lacking[][2] = {
		{"IO", "cpu > 1"},
		{"IO", "cpu != 0"},
		{"IO", "cpu == 4294967295"},
		{"IO", "cpu >= 0"},
		{"lost", "pid == 4294967295"},
		{"lost", "pid != 1"},
		{"lost", "tid > 5"},
		{"lost", "cpu < 10 || pid > 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lacking) / sizeof(*lacking); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct fixture fix;

		fixture_setup(&fix);
		assert_ok(wt_view_select_add(&fix.select, lacking[i][0], &err), err);
		fixture_run(&fix, WORDS("event"), WORDS("count"), "key", lacking[i][1]);
		fixture_expect(&fix, "");
		fixture_close(&fix);
	}
}

static void sources_and_samples_mix_with_events(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "cycles", &err), err);
	assert_ok(wt_view_select_add(&fix.select, "io", &err), err);
	assert_ok(wt_view_filter_sources(&fix.filter, fix.select.sources, fix.select.n_sources, &err), err);
	fixture_run(&fix, WORDS("comm"), WORDS("count"), "count", NULL);
	fixture_expect(&fix, "= \nmake 5\n= cycles\nmake 4\n");
	fixture_close(&fix);
}

static void the_recorder_can_be_left_out(void **state)
{
	struct fixture fix;

	(void)state;
	fixture_setup(&fix);
	fix.filter.no_self = true;
	fixture_run(&fix, WORDS("pid"), WORDS("count"), "key", "source == 'cpu-clock'");
	fixture_expect(&fix, "= cpu-clock\n100 10\n101 17\n");
	fixture_close(&fix);
}

static void words_are_checked(void **state)
{
	static const struct {
		const char *key, *column, *word;
	} cases[] = {
		{"functoin", NULL, "unknown key 'functoin'; did you mean 'function'?"},
		{"byts", NULL, "unknown key 'byts'; did you mean 'bytes'?"},
		{"nosuch/io.bytes", NULL, "unknown key 'nosuch/io.bytes'"},
		{"time:5", NULL, "a width with a unit"},
		{"time:0s", NULL, "a width with a unit"},
		{"pid", "cuont", "unknown column 'cuont'; did you mean 'count'?"},
		{"pid", "sum:byts", "unknown field 'byts'; did you mean 'bytes'?"},
		{"pid", "sum:path", "not a number"},
		{"pid", "sum:", "unknown field ''"},
		{"pid", "sum", "unknown column 'sum'"},
		{"pid", "count:", "unknown column 'count:'"},
		{"pid", "unique:pidd", "unknown key 'pidd'; did you mean 'pid'?"},
		{"pid", "unique:stack", "unique:function"},
		{"pid", "inclusive", "needs code"},
	};
	struct fixture fix;

	(void)state;
	fixture_setup(&fix);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wt_err err = WT_ERR_INIT;
		int failed = wt_view_agg_add_key(&fix.agg, cases[i].key, &err);

		if (!failed && cases[i].column)
			failed = wt_view_agg_add_column(&fix.agg, cases[i].column, &err);
		assert_int_equal(failed, -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		if (!strstr(err.text, cases[i].word))
			fail_msg("'%s' is not in '%s'", cases[i].word, err.text);
		fixture_close(&fix);
		fixture_setup(&fix);
	}
	fixture_close(&fix);
}

static void filters_are_checked(void **state)
{
	static const struct {
		const char *where, *word;
	} cases[] = {
		{"stack == 'a'", "stack has 'NAME'"},
		{"stack", "stack has 'NAME'"},
		{"stack has 5", "where a name is expected"},
		{"comm has 'a'", "one value"},
		{"proces == 'a'", "did you mean 'process'"},
		{"process == 1", "is a text"},
		{"pid == 'a'", "is a number"},
		{"time > 1", "unit"},
		{"bytes == 'a'", "is a number"},
		{"path > 1", "is a text"},
		{"at > 5", "unit"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wt_err err = WT_ERR_INIT;
		struct fixture fix;

		fixture_setup(&fix);
		assert_int_equal(wt_view_filter_where(&fix.filter, cases[i].where, NULL, &err), -1);
		assert_int_equal(err.code, WT_ERR_USAGE);
		if (!strstr(err.text, cases[i].word))
			fail_msg("'%s' is not in '%s'", cases[i].word, err.text);
		fixture_close(&fix);
	}
}

static void events_and_moments_are_words(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	uint64_t at;

	(void)state;
	fixture_setup(&fix);
	assert_int_equal(wt_view_select_add(&fix.select, "cpu-clok", &err), -1);
	assert_non_null(strstr(err.text, "unknown event 'cpu-clok'; did you mean 'cpu-clock'?"));
	assert_int_equal(wt_view_select_add(&fix.select, "my-ap", &err), -1);
	assert_non_null(strstr(err.text, "did you mean 'my-app'?"));
	assert_ok(wt_view_moment(&fix.file, "--from", "1.5", &at, &err), err);
	assert_int_equal(at, FIXTURE_START + 1500000000);
	assert_ok(wt_view_moment(&fix.file, "--from", "200ms", &at, &err), err);
	assert_int_equal(at, FIXTURE_START + 200000000);
	assert_ok(wt_view_moment(&fix.file, "--from", "0", &at, &err), err);
	assert_int_equal(at, FIXTURE_START);
	assert_int_equal(wt_view_moment(&fix.file, "--from", "soon", &at, &err), -1);
	assert_int_equal(wt_view_moment(&fix.file, "--from", "-1", &at, &err), -1);
	assert_int_equal(wt_view_moment(&fix.file, "--from", "5K", &at, &err), -1);
	assert_int_equal(wt_view_moment(&fix.file, "--from", "", &at, &err), -1);
	assert_non_null(strstr(err.text, "--from"));
	fixture_close(&fix);
}

static void wall_time_is_a_moment(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	const struct wt_clockset *clock;
	struct fixture fix;
	char text[64];
	struct tm tm;
	time_t second;
	uint64_t at;

	(void)state;
	fixture_setup(&fix);
	clock = &wt_log_info(fix.log)->clock;
	second = (time_t)(clock->realtime / WT_NSEC);
	assert_non_null(localtime_r(&second, &tm));
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S.25", &tm);
	assert_ok(wt_view_moment(&fix.file, "--to", text, &at, &err), err);
	assert_int_equal(at, clock->raw + (uint64_t)second * WT_NSEC + 250000000 - clock->realtime);
	assert_int_equal(wt_view_moment(&fix.file, "--to", "2026-01-01T12:00", &at, &err), -1);
	assert_int_equal(wt_view_moment(&fix.file, "--to", "2026-01-01T12:00:00.x", &at, &err), -1);
	fixture_close(&fix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_by_source),
		cmocka_unit_test(other_code_keys),
		cmocka_unit_test(keys_nest),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(numbers_and_kinds),
		cmocka_unit_test(inclusive_counts_recursion_once),
		cmocka_unit_test(stacks_are_trees),
		cmocka_unit_test(exec_keeps_the_process),
		cmocka_unit_test(fields_and_columns),
		cmocka_unit_test(sums_are_divided),
		cmocka_unit_test(nothing_is_divided_by_0),
		cmocka_unit_test(field_keys),
		cmocka_unit_test(what_an_event_lacks_passes_no_comparison),
		cmocka_unit_test(sources_and_samples_mix_with_events),
		cmocka_unit_test(the_recorder_can_be_left_out),
		cmocka_unit_test(words_are_checked),
		cmocka_unit_test(filters_are_checked),
		cmocka_unit_test(events_and_moments_are_words),
		cmocka_unit_test(wall_time_is_a_moment),
	};

	return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}
