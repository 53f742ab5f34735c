// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

#include "consumers/export/dump.h"

typedef int print_fn(struct wt_dump *, const struct wt_log_batch *, uint32_t, struct wt_buf *,
		     struct wt_err *);

/* Every event through the iterator and, one by one, through the filter. */
static char *dump(struct fixture *fix, struct wt_dump *dump, print_fn *print)
{
	struct wt_log_filter range = {.want = wt_view_select_want, .ctx = &fix->select};
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	struct wt_buf out = {0};
	uint32_t i;
	char *text;

	dump->file = &fix->file;
	dump->clock = &wt_log_info(fix->log)->clock;
	assert_ok(wt_log_iter_create(fix->log, &range, &iter, &err), err);
	while (!wt_log_iter_next(iter, &batch, &i, &err)) {
		uint8_t pass;

		assert_ok(wt_view_filter_one(&fix->filter, batch, i, &pass, &err), err);
		if (pass)
			assert_ok(print(dump, batch, i, &out, &err), err);
	}
	wt_log_iter_destroy(iter);
	wt_dump_deinit(dump);
	text = strdup(wt_buf_cstr(&out));
	wt_buf_deinit(&out);
	return text;
}

static void expect(const char *event, const char *where, struct wt_dump options, print_fn *print,
		   const char *want)
{
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char *text;

	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, event, &err), err);
	assert_ok(wt_view_filter_where(&fix.filter, where, NULL, &err), err);
	text = dump(&fix, &options, print);
	assert_string_equal(text, want);
	free(text);
	fixture_close(&fix);
}

static void lines_of_text(void **state)
{
	struct wt_dump plain = {0}, stack = {.stack = true};

	(void)state;
	expect("io", "bytes <= 20 || bytes == 40", plain, wt_dump_text,
	       "0.026000000     [ - ] make(100)/100 my-app/io bytes=10 op=read path=/a delta=-1 ratio=0.5 "
	       "at=0.026000000 ports=[80, 443]\n"
	       "0.027000000     [ - ] make(100)/100 my-app/io bytes=20 op=write path=/b,\"c\" delta=-2 "
	       "ratio=1.5 at=0.027000000 ports=[80, 443]\n"
	       "0.040000000     [ - ] make(100)/100 my-app/io bytes=40 op=write path=x\\n\\x1b[31m delta=4 "
	       "ratio=3.5 at=0.040000000 ports=[80, 443]\n");
	expect("pmu-profile/sample", "source == 'cycles' && time < 23ms", plain, wt_dump_text,
	       "0.022000000     [000] make(100)/100 pmu-profile/sample source=cycles period=100  "
	       "main+0x4:prog\n");
	expect("sample", "self && cpu == 1", stack, wt_dump_text,
	       "0.020000000     [001] wtrace(7)/7 pmu-profile/sample [recorder] source=cpu-clock "
	       "period=1000\n"
	       "\tdo_sys+0x0:[kernel]\n"
	       "\tread+0x0:libc.so.6\n"
	       "\tmain+0x4:prog  prog.c:10\n");
}

static void lines_of_json(void **state)
{
	struct wt_dump plain = {0};

	(void)state;
	expect("io", "bytes == 40", plain, wt_dump_json,
	       "{\"time\":40000000,\"cpu\":null,\"process\":\"make\",\"pid\":100,\"thread\":\"make\",\"tid\":"
	       "100,"
	       "\"provider\":\"my-app\",\"event\":\"io\",\"fields\":{\"bytes\":40,\"op\":2,\"op_text\":"
	       "\"write\",\"path\":"
	       "\"x\\n\\u001b[31m\",\"delta\":4,\"ratio\":3.5,\"at\":40000000,\"ports\":[80,443]}}\n");
	expect("sample",
	       "source == 'cpu-clock' && module == 'prog' && function == '[unresolved]' && cpu == 0", plain,
	       wt_dump_json,
	       "{\"time\":17000000,\"cpu\":0,\"process\":\"cc1\",\"pid\":101,\"thread\":\"cc1\",\"tid\":101,"
	       "\"provider\":\"pmu-profile\",\"event\":\"sample\",\"fields\":{\"source\":0,\"source_text\":"
	       "\"cpu-clock\","
	       "\"period\":"
	       "1000},\"stack_status\":\"cut at the depth "
	       "limit\",\"stack\":[{\"offset\":0,\"unresolved\":\"file "
	       "without "
	       "symbols\",\"module\":\"/usr/bin/prog\"},{\"offset\":4,\"function\":\"main\",\"module\":"
	       "\"/usr/bin/prog\",\"file\":\"prog.c\",\"line\":10}]}\n");
}

static void wall_time(void **state)
{
	struct wt_dump absolute = {.absolute = true};
	struct wt_err err = WT_ERR_INIT;
	struct fixture fix;
	char want[80], *text;
	uint64_t wall;
	time_t second;
	struct tm tm;

	(void)state;
	fixture_setup(&fix);
	assert_ok(wt_view_select_add(&fix.select, "io", &err), err);
	wall = wt_log_info(fix.log)->clock.realtime +
	       (FIXTURE_START + 26000000 - wt_log_info(fix.log)->clock.raw);
	second = (time_t)(wall / WT_NSEC);
	assert_non_null(localtime_r(&second, &tm));
	strftime(want, 60, "%Y-%m-%d %H:%M:%S.", &tm);
	snprintf(want + strlen(want), 20, "%09llu [ - ]", (unsigned long long)(wall % WT_NSEC));
	text = dump(&fix, &absolute, wt_dump_text);
	assert_memory_equal(text, want, strlen(want));
	free(text);
	text = dump(&fix, &absolute, wt_dump_json);
	snprintf(want, sizeof(want), "{\"time\":26000000,\"realtime\":%llu,", (unsigned long long)wall);
	assert_memory_equal(text, want, strlen(want));
	free(text);
	fixture_close(&fix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_text),
		cmocka_unit_test(lines_of_json),
		cmocka_unit_test(wall_time),
	};

	return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
