// SPDX-License-Identifier: MIT
/* Cursors: reads that fail, seeking within what is selected, logs that may not be read together. */
#include "tests/unit/consumers/reader/reader_fixture.h"

#include "tracecore/logfmt/format/block.h"

/* ---- reads that fail ---- */

static const struct fixture_times shapes[] = {
	{.blocks = 4, .n = 5000, .first = 1000, .apart = 50000},              /* one after the other */
	{.blocks = 8, .n = 3000, .first = 1000, .apart = 7, .late = 50000},   /* all but one at once */
	{.blocks = 6, .n = 2000, .first = 1000, .apart = 10000},              /* overlapping by half */
	{.blocks = 6, .n = 2000, .first = 1000, .apart = 20000, .two = true}, /* in two segments */
};
static const uint32_t good[] = {0, 1, 16, 100, 4999, 5000};

enum { N_SHAPES = sizeof(shapes) / sizeof(shapes[0]), N_GOOD = sizeof(good) / sizeof(good[0]) };

/* Goes on to the end of what is in memory, beyond which every call must fail in the same way. */
static void iterate_into_failure(struct wt_log_iter *iter, bool runs)
{
	const struct wt_log_batch *batch;
	struct wt_err err = WT_ERR_INIT;
	uint32_t index, n = 7;
	int rc;

	do
		rc = runs ? wt_log_iter_next_run(iter, &batch, &index, &n, &err)
			  : wt_log_iter_next(iter, &batch, &index, &err);
	while (rc == 0);
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, WT_ERR_SYSTEM);
	for (int again = 0; again < 3; again++) {
		err = (struct wt_err)WT_ERR_INIT;
		n = 7;
		assert_int_equal(wt_log_iter_next_run(iter, &batch, &index, &n, &err), -1);
		assert_int_equal(n, 0);
		assert_int_equal(err.code, WT_ERR_SYSTEM);
		assert_non_null(strstr(err.text, "earlier read"));
	}
}

static void fail_iterator(int log_fd, uint32_t events, uint64_t held, bool runs)
{
	struct wt_log_filter filter = {.held = held};
	const struct wt_log_batch *batch;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log;
	struct wt_log_iter *iter;
	int fd = dup(log_fd), kept;
	uint32_t index;

	assert_ok(wt_log_open_fd(fd, "log", &log, &err), err);
	assert_ok(wt_log_iter_create(log, &filter, &iter, &err), err);
	for (uint32_t i = 0; i < events; i++)
		assert_ok(wt_log_iter_next(iter, &batch, &index, &err), err);
	kept = fixture_break(fd);
	iterate_into_failure(iter, runs);
	wt_log_iter_destroy(iter);
	fixture_mend(fd, kept);
	wt_log_close(log);
}

static void an_iterator_stays_failed(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < N_SHAPES; s++) {
		int fd = fixture_log(&shapes[s]);

		for (uint32_t g = 0; g < N_GOOD; g++) {
			fail_iterator(fd, good[g], 1, false);
			fail_iterator(fd, good[g], 0, true);
		}
		close(fd);
	}
}

static uint32_t count(struct wtr_cursor *cursor, int wanted)
{
	const struct wtr_event *event;
	uint32_t n = 0;
	int rc;

	while ((rc = wtr_next(cursor, &event)) == WTR_OK)
		n += wtr_event_time(event) != 0;
	assert_result(rc, wanted);
	return n;
}

/* After the failure: the same result each time, until seeking begins anew; other cursors go on. */
static void fail_cursor(int log_fd, uint32_t events, uint32_t all)
{
	int fd = fixture_next_fd(), kept;
	struct wtr_trace *trace = fixture_trace(log_fd);
	struct wtr_cursor *cursor = fixture_cursor(trace), *other = fixture_cursor(trace);
	const struct wtr_event *event;

	for (uint32_t i = 0; i < events; i++)
		assert_result(wtr_next(cursor, &event), WTR_OK);
	kept = fixture_break(fd);
	count(cursor, WTR_ERR_SYSTEM);
	for (int again = 0; again < 3; again++) {
		assert_result(wtr_next(cursor, &event), WTR_ERR_SYSTEM);
		assert_non_null(strstr(wtr_error_text(), "earlier read"));
	}
	assert_result(wtr_wait(cursor, 0, &event), WTR_ERR_SYSTEM);
	fixture_mend(fd, kept);
	assert_result(wtr_next(cursor, &event), WTR_ERR_SYSTEM);
	assert_int_equal(count(other, WTR_END), all);
	assert_result(wtr_seek(cursor, 0), WTR_OK);
	assert_int_equal(count(cursor, WTR_END), all);
	wtr_cursor_destroy(other);
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
}

static void a_cursor_stays_failed_until_it_seeks(void **state)
{
	(void)state;
	for (uint32_t s = 0; s < N_SHAPES; s++) {
		int fd = fixture_log(&shapes[s]);

		for (uint32_t g = 0; g < N_GOOD; g++)
			fail_cursor(fd, good[g], shapes[s].blocks * shapes[s].n);
		close(fd);
	}
}

/* ---- seeking ---- */

/* The time of the next event; 0: there is none. */
static uint64_t next_time(struct wtr_cursor *cursor)
{
	const struct wtr_event *event;
	int rc = wtr_next(cursor, &event);

	assert_true(rc == WTR_OK || rc == WTR_END);
	return rc == WTR_OK ? wtr_event_time(event) : 0;
}

static uint64_t sought(struct wtr_cursor *cursor, uint64_t time)
{
	assert_result(wtr_seek(cursor, time), WTR_OK);
	return next_time(cursor);
}

static void seek_in(const struct fixture_times *times)
{
	int fd = fixture_log(times);
	struct wtr_trace *trace = fixture_trace(fd);
	struct wtr_cursor *cursor = fixture_cursor(trace);

	assert_result(wtr_select_time(cursor, 2000, 3000), WTR_OK);
	assert_int_equal(next_time(cursor), 2000);
	assert_int_equal(sought(cursor, 0), 2000);    /* before the selection, before all events */
	assert_int_equal(sought(cursor, 1500), 2000); /* before the selection */
	assert_int_equal(sought(cursor, 2500), 2500);
	assert_int_equal(sought(cursor, 2105), 2110); /* backwards */
	for (int i = 0; i < 20; i++)
		next_time(cursor);
	assert_int_equal(sought(cursor, 1), 2000); /* after reading */
	assert_int_equal(sought(cursor, 2990), 2990);
	assert_int_equal(next_time(cursor), 0);
	assert_int_equal(sought(cursor, 3000), 0); /* the end is not selected */
	assert_int_equal(sought(cursor, UINT64_MAX), 0);
	assert_int_equal(sought(cursor, 0), 2000);
	assert_int_equal(count(cursor, WTR_END), 99);
	assert_result(wtr_select_time(cursor, 0, 0), WTR_ERR_USAGE);
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
	close(fd);
}

static void seeking_keeps_the_selection(void **state)
{
	(void)state;
	seek_in(&(struct fixture_times){.blocks = 1, .n = 400, .first = 1000});
	seek_in(&(struct fixture_times){.blocks = 20, .n = 20, .first = 1000, .apart = 200});
	seek_in(&(struct fixture_times){.blocks = 20, .n = 20, .first = 1000, .apart = 200, .two = true});
}

/* ---- logs that may not be read together ---- */

static void put_fact(struct wt_buf *out, const char *key, const char *value)
{
	wt_buf_put_counted(out, key, strlen(key));
	wt_buf_put_counted(out, value, strlen(value));
}

/* A log of one segment without events, recorded elsewhere. boot "": from before that was a fact. */
static int foreign_log(const char *host, const char *boot)
{
	static const struct fixture_times none = {0};
	struct wt_disk_block_header header = {
		.type = WT_DISK_SEGMENT_BEGIN, .cpu = UINT32_MAX, .kind = UINT32_MAX};
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf file = {0}, raw = {0};
	uint8_t start[64];
	int fd = fixture_log(&none);

	assert_int_equal(pread(fd, start, sizeof(start), 0), sizeof(start));
	close(fd);
	for (int i = 0; i < 4; i++)
		wt_buf_put_u64(&raw, 1000);
	wt_buf_put_u32(&raw, boot[0] ? 3 : 2);
	put_fact(&raw, "host", host);
	put_fact(&raw, "kernel", "6.1");
	if (boot[0])
		put_fact(&raw, "boot", boot);
	wt_buf_put(&file, start, sizeof(start));
	assert_ok(wt_log_pack(NULL, &file, &header, raw.data, raw.len, (struct wt_log_cuts){0}, &err), err);
	fd = fixture_bytes(file.data, file.len);
	wt_buf_deinit(&file);
	wt_buf_deinit(&raw);
	return fd;
}

static int open_both(int a, int b)
{
	const char *paths[] = {fixture_path(a), fixture_path(b)};
	struct wtr_trace *trace = NULL;
	int rc = wtr_open_files(paths, 2, &trace);

	if (rc == WTR_OK)
		wtr_close(trace);
	else
		assert_null(trace);
	return rc;
}

static void logs_of_one_boot_open_together(void **state)
{
	int first = foreign_log("here", "boot-1"), same = foreign_log("renamed", "boot-1");
	int next = foreign_log("here", "boot-2"), old = foreign_log("here", ""),
	    away = foreign_log("away", "");
	struct wtr_trace *trace = fixture_trace(first);

	(void)state;
	assert_string_equal(wtr_fact(trace, "boot"), "boot-1");
	assert_string_equal(wtr_fact(trace, "host"), "here");
	assert_null(wtr_fact(trace, "cpus"));
	wtr_close(trace);
	assert_result(open_both(first, same), WTR_OK);
	assert_result(open_both(first, next), WTR_ERR_USAGE);
	assert_non_null(strstr(wtr_error_text(), "different boots"));
	assert_result(open_both(first, old), WTR_OK);
	assert_result(open_both(first, away), WTR_ERR_USAGE);
	assert_non_null(strstr(wtr_error_text(), "read together"));
	assert_result(wtr_open_files(NULL, 0, &trace), WTR_ERR_USAGE);
	close(first);
	close(same);
	close(next);
	close(old);
	close(away);
}

/* What a foreign log says of itself cannot drive the terminal that shows the error. */
static void error_texts_are_plain(void **state)
{
	int here = foreign_log("here", "boot-1"),
	    evil = foreign_log("evil\033[31m\nhost\xc2\x9b\xff", "boot-2");
	struct wtr_trace *trace;

	(void)state;
	assert_result(open_both(here, evil), WTR_ERR_USAGE);
	assert_non_null(strstr(wtr_error_text(), "(host evil\\x1b[31m\\nhost\\xc2\\x9b\\xff)"));
	assert_result(wtr_open("no\033]0;such\a file", &trace), WTR_ERR_NOTFOUND);
	assert_non_null(strstr(wtr_error_text(), "no\\x1b]0;such\\x07 file"));
	close(here);
	close(evil);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iterator_stays_failed),
		cmocka_unit_test(a_cursor_stays_failed_until_it_seeks),
		cmocka_unit_test(seeking_keeps_the_selection),
		cmocka_unit_test(logs_of_one_boot_open_together),
		cmocka_unit_test(error_texts_are_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
