// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

static void expect_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void the_table_has_its_shape(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fix.show.top = 50;
	fixture_run(&fix, WORDS("function"), WORDS("overhead", "count"), "count", "source == 'cpu-clock'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "\n\n======================== sample source: cpu-clock, top 50 hot functions "
			  "========================\n"
			  "        overhead  count  symbol\n"
			  "        ========  =====  ======\n"
			  "          ~60.00     18  leaf:prog\n"
			  "          ~10.00      3  [wtrace recorder]\n"
			  "          ~10.00      3  read:libc.so.6\n"
			  "           ~6.67      2  [unresolved]:prog\n"
			  "           ~6.67      2  do_sys:[kernel]\n"
			  "           ~6.67      2  work:prog\n"
			  "100.00%        30  top 6 in total\n");
	free(text);
	fixture_close(&fix);
}

/* On a terminal: 5 % and more are hot, 0.5 % and more are warm; only shares have a colour. */
static void terminals_have_colours(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fix.show.colour = true;
	fixture_run(&fix, WORDS("time:1ms"), WORDS("overhead", "count"), "key", "source == 'cpu-clock'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "\n        \033[32m   ~3.33\033[0m      1  +0.002 s\n");
	free(text);
	fixture_close(&fix);
	fixture_setup(&fix);
	fix.show.colour = true;
	fixture_run(&fix, WORDS("comm"), WORDS("overhead", "count"), "count", "source == 'cpu-clock'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "\n        \033[31m  ~56.67\033[0m     17  cc1\n");
	free(text);
	fixture_close(&fix);
}

static void what_is_cut_is_said(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fix.show.top = 1;
	fixture_run(&fix, WORDS("comm", "function"), WORDS("count"), "count", "source == 'cpu-clock'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "======================== sample source: cpu-clock, top 1 by comm, function "
			  "========================\n"
			  "        count  comm / function\n"
			  "        =====  ===============\n"
			  "           17  cc1\n"
			  "           12    leaf:prog\n"
			  "                 (2 more, 5 events)\n"
			  " 56.67%        17  top 1 in total, of 3 rows and 30 events\n");
	free(text);
	fixture_close(&fix);
	fixture_setup(&fix);
	fix.agg.min = 20;
	fixture_run(&fix, WORDS("function"), WORDS("count"), "key", "source == 'cpu-clock'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "all hot functions");
	expect_part(text,
		    "           18  leaf:prog\n 60.00%        18  top 1 in total, of 6 rows and 30 events\n");
	free(text);
	fixture_close(&fix);
}

static void the_header_tells_what_is_missing(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fix.show.where = "cpu >= 0";
	fixture_run(&fix, WORDS("function"), WORDS("count"), "count", "cpu >= 0");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "log         test.etl: ");
	assert_null(strstr(text, "not complete"));
	expect_part(text, " on box");
	expect_part(text, "event       cpu-clock at 997 Hz\n");
	expect_part(text, "filter      cpu >= 0\n");
	expect_part(text, "100 %       the 34 samples counted here, each source for itself, 0.002000 s to ");
	expect_part(text, "lost        5 events; blind for 0.002000 s in 1 span, added over CPUs: events "
			  "lost then are not counted; as counted at the source by 1 of 1 counters\n          "
			  "  pmu-profile/sample, ring full: 5 events, 2 spans, 0.002000 s blind\n");
	expect_part(text, "unresolved  5.88 % of the 34 code addresses: 5.88 % file without symbols\n"
			  "stacks      94.12 % by frame pointers, 5.88 % cut at the depth limit\n"
			  "recorder    3 samples are its own, shown as [wtrace recorder]\n");
	assert_true(wt_view_facts_lossy(&fix.facts));
	free(text);
	fixture_close(&fix);
}

static void whole_logs_are_not_lossy(void **state)
{
	struct fixture fix;
	struct wt_buf missing = {0};
	char *text;

	(void)state;
	fixture_begin(&fix);
	fixture_rows(&fix, FIXTURE_START + 20);
	fixture_sample(&fix, FIXTURE_MAKE, FIXTURE_LEAF, 0, 2);
	fixture_counted(&fix, 10, 8, 2);
	fixture_finish(&fix);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("pid"), WORDS("count"), "count", NULL);
	assert_false(wt_view_facts_lossy(&fix.facts));
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, ", complete\n");
	expect_part(text, "lost        0 events; as counted at the source by 1 of 1 counters\n");
	expect_part(text, "unresolved  0.00 % of the 2 code addresses\n");
	free(text);
	fixture_close(&fix);

	fixture_begin(&fix);
	fixture_rows(&fix, FIXTURE_START + 20);
	fixture_counted(&fix, 10, 8, 1);
	fixture_finish(&fix);
	fixture_open(&fix);
	fixture_run(&fix, WORDS("pid"), WORDS("count"), "count", NULL);
	assert_true(wt_view_facts_lossy(&fix.facts));
	wt_view_facts_missing(&fix.facts, &missing);
	expect_part(wt_buf_cstr(&missing), "incomplete: programs counted 1 event that the log does not have");
	wt_buf_deinit(&missing);
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "no event passes");
	free(text);
	fixture_close(&fix);
}

static void cut_logs_say_so(void **state)
{
	struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char *text;

	(void)state;
	fixture_write(&fix);
	assert_ok(wt_log_flush(fix.writer, NULL, 0, &err), err);
	(void)options;
	fixture_open(&fix);
	fixture_run(&fix, WORDS("function"), WORDS("count"), "count", "source == 'cycles'");
	text = fixture_render(&fix, wt_view_text_out);
	expect_part(text, "not complete");
	expect_part(text, "[unresolved]:prog");
	expect_part(text, "100.00 % no names in the log");
	assert_true(wt_view_facts_lossy(&fix.facts));
	free(text);
	fixture_close(&fix);
}

static void json_nests_rows(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fixture_run(&fix, WORDS("process", "function"), WORDS("count", "overhead", "weight"), "count",
		    "process == 'cc1'");
	text = fixture_render(&fix, wt_view_json_out);
	expect_part(text, "{\"file\":\"test.etl\",\"bytes\":");
	expect_part(text, "\"lost\":5,\"blind_ns\":2000000,");
	expect_part(text,
		    "\"losses\":[{\"provider\":\"pmu-profile\",\"event\":\"sample\",\"cause\":\"ring full\"");
	expect_part(text, "\"info\":[{\"key\":\"host\",\"value\":\"box\"}");
	expect_part(text, "\"resolution\":{\"resolved\":15,\"file without symbols\":2}");
	expect_part(
		text,
		"\"tables\":[{\"source\":\"cpu-clock\",\"count\":17,\"partial\":true,\"group_by\":["
		"\"process\",\"function\"],"
		"\"rows\":[{\"key\":{\"process\":\"cc1\",\"pid\":101,\"start_ns\":20},\"count\":9,"
		"\"overhead\":52.9412,\"weight\":9000,\"rows\":[{\"key\":{\"function\":\"leaf\",\"module\":"
		"\"/usr/bin/prog\"},\"count\":4,");
	expect_part(text, "],\"rows_not_shown\":0}]}\n");
	free(text);
	fixture_close(&fix);
}

static void csv_is_quoted(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "io", &err), err);
	fixture_run(&fix, WORDS("op", "path"), WORDS("count", "avg:ratio"), "key", NULL);
	text = fixture_render(&fix, wt_view_csv_out);
	assert_string_equal(text, "source,op,path,count,avg:ratio\r\n"
				  ",read,/a,2,1.5\r\n"
				  ",write,\"/b,\"\"c\"\"\",1,1.5\r\n"
				  ",write,\"x\\n\\x1b[31m\",1,3.5\r\n"
				  ",9,,1,4.5\r\n");
	free(text);
	fixture_close(&fix);
}

static void csv_joins_stacks(void **state)
{
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	fixture_run(&fix, WORDS("comm", "stack"), WORDS("exclusive"), "count", "comm == 'make'");
	text = fixture_render(&fix, wt_view_csv_out);
	assert_string_equal(text, "source,comm,stack,exclusive\r\n"
				  "cpu-clock,make,main:prog,0\r\n"
				  "cpu-clock,make,main:prog;work:prog,2\r\n"
				  "cpu-clock,make,main:prog;work:prog;leaf:prog,6\r\n"
				  "cpu-clock,make,main:prog;read:libc.so.6,0\r\n"
				  "cpu-clock,make,main:prog;read:libc.so.6;do_sys:[kernel],2\r\n"
				  "cycles,make,main:prog,4\r\n");
	free(text);
	fixture_close(&fix);
}

static void names_are_hostile(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char *text;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "io", &err), err);
	fixture_run(&fix, WORDS("path"), WORDS("count"), "count", "delta == 4");
	fix.show.path = "a\nb\x1b.etl";
	text = fixture_render(&fix, wt_view_text_out);
	assert_null(strchr(text, '\x1b'));
	expect_part(text, "log         a\\nb\\x1b.etl: ");
	expect_part(text, "            1  x\\n\\x1b[31m\n");
	free(text);
	text = fixture_render(&fix, wt_view_json_out);
	assert_null(strchr(text, '\x1b'));
	expect_part(text, "{\"path\":\"x\\n\\u001b[31m\"}");
	free(text);
	fixture_close(&fix);
}

static void a_full_disk_is_told(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_out out = {0};

	(void)state;
	out.stream = fopen("/dev/full", "w");
	assert_non_null(out.stream);
	for (int i = 0; i < 100000; i++)
		wt_buf_puts(&out.buf, "0123456789");
	assert_int_equal(wt_out_flow(&out, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOSPACE);
	assert_non_null(strstr(err.text, "No space left"));
	wt_buf_deinit(&out.buf);
	fclose(out.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_has_its_shape),
		cmocka_unit_test(terminals_have_colours),
		cmocka_unit_test(what_is_cut_is_said),
		cmocka_unit_test(the_header_tells_what_is_missing),
		cmocka_unit_test(whole_logs_are_not_lossy),
		cmocka_unit_test(cut_logs_say_so),
		cmocka_unit_test(json_nests_rows),
		cmocka_unit_test(csv_is_quoted),
		cmocka_unit_test(csv_joins_stacks),
		cmocka_unit_test(names_are_hostile),
		cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
