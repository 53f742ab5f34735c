// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/logfmt/fixture.h"
#include "tracecore/logfmt/rewrite/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static struct wt_kinds kinds;

static int make_kinds(void **state)
{
	(void)state;
	fixture_kinds(&kinds);
	return 0;
}

static int free_kinds(void **state)
{
	(void)state;
	wt_kinds_deinit(&kinds);
	return 0;
}

static struct wt_log_writer *create(int fd, const struct wt_log_options *options)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;

	assert_ok(wt_log_create(fd, &kinds, fixture_session, options, &log, &err), err);
	fixture_rows(log);
	return log;
}

static int put_text(struct wt_log_writer *log, uint64_t time, const char *text, struct wt_err *err)
{
	struct wt_buf payload = {0};
	struct wt_event event = {.time = time, .kind = KIND_TEXT};
	int rc;

	wt_buf_put_counted(&payload, text, strlen(text));
	event.payload = payload.data;
	event.payload_len = (uint32_t)payload.len;
	rc = wt_log_event(log, &event, 1, 0, err);
	wt_buf_deinit(&payload);
	return rc;
}

static void put_texts(struct wt_log_writer *log, uint64_t from, uint64_t to)
{
	struct wt_err err = WT_ERR_INIT;
	char text[32];

	for (; from < to; from++) {
		snprintf(text, sizeof(text), "event %llu", (unsigned long long)from);
		assert_true(put_text(log, from, text, &err) >= 0);
	}
}

struct times {
	uint64_t first, next, n;
};

static int count(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct times *times = ctx;

	(void)err;
	if (times->n == 0)
		times->first = times->next = batch->time[0];
	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_value value;
		char text[32];

		assert_int_equal(batch->time[i], times->next++);
		assert_int_equal(wt_log_value(batch, i, 0, &value), 0);
		snprintf(text, sizeof(text), "event %llu", (unsigned long long)batch->time[i]);
		assert_int_equal(value.len, strlen(text));
		assert_memory_equal(value.bytes, text, value.len);
	}
	times->n += batch->n;
	return 0;
}

/* The events of the file are put_texts(first ...), n of them, without a gap. */
static uint64_t count_texts(int fd, uint64_t first)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader = fixture_open(fd);
	struct times times = {0};

	assert_ok(wt_log_scan(reader, NULL, count, &times, &err), err);
	if (times.n)
		assert_int_equal(times.first, first);
	wt_log_close(reader);
	return times.n;
}

static int put_raw(struct wt_log_writer *log, uint32_t kind, const void *bytes, uint32_t len, uint32_t thread,
		   uint32_t stack)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.time = 5, .kind = kind, .payload = bytes, .payload_len = len};
	int rc = wt_log_event(log, &event, thread, stack, &err);

	if (rc < 0)
		assert_int_equal(err.code, WT_ERR_FORMAT);
	return rc;
}

static void malformed_events_are_refused(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);
	struct wt_buf good = {0};
	uint64_t seed = 4;
	uint32_t taken = 0;

	(void)state;
	for (int round = 0; round < 20; round++) {
		fixture_payload(KIND_EVERY, &seed, &good);
		for (uint32_t len = 0; len < good.len; len++)
			assert_int_equal(put_raw(log, KIND_EVERY, good.data, len, 0, 0), -1);
		wt_buf_put_u8(&good, 0);
		assert_int_equal(put_raw(log, KIND_EVERY, good.data, (uint32_t)good.len, 0, 0), -1);
		assert_int_equal(put_raw(log, KIND_EVERY, good.data, (uint32_t)good.len - 1, 0, 0), 0);
		taken++;
	}
	assert_int_equal(put_raw(log, KIND_TEXT, "\5\0abc", 5, 0, 0), -1);
	assert_int_equal(put_raw(log, KIND_BARE, "", 1, 0, 0), -1);
	assert_int_equal(put_raw(log, KIND_COUNT, "", 0, 0, 0), -1);
	assert_int_equal(put_raw(log, KIND_BARE, "", 0, 2, 0), -1);
	assert_int_equal(put_raw(log, KIND_BARE, "", 0, 0, 1), -1);
	assert_int_equal(put_raw(log, KIND_BARE, NULL, 0, 1, 0), 0);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(wt_log_writer_stats(log)->events, taken + 1);
	wt_log_writer_destroy(log);
	wt_buf_deinit(&good);
	close(fd);
}

static void rows_must_name_rows_that_are_there(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);
	struct wt_log_thread thread = {.process = 2};
	struct wt_log_frame frame = {.image = 2};
	struct wt_log_stack stack = {.frame = 0};

	(void)state;
	assert_int_equal(wt_log_put_thread(log, &thread, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(wt_log_put_frame(log, &frame, &err), -1);
	assert_int_equal(wt_log_put_stack(log, &stack, &err), -1);
	frame.image = 1;
	assert_ok(wt_log_put_frame(log, &frame, &err), err);
	stack.caller = 1;
	assert_int_equal(wt_log_put_stack(log, &stack, &err), -1);
	stack.caller = 0;
	assert_ok(wt_log_put_stack(log, &stack, &err), err);
	wt_log_writer_destroy(log);
	close(fd);
}

static void an_empty_flush_writes_nothing(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);
	struct wt_log_position position = {1, 2};
	uint64_t bytes;

	(void)state;
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	bytes = wt_log_writer_stats(log)->bytes;
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_int_equal(wt_log_writer_stats(log)->bytes, bytes);
	wt_log_writer_destroy(log);
	close(fd);
}

static void pending_and_segment_bounds_are_told(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_options options = {.pending_bytes = 2000, .segment_bytes = 3000};
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, &options);
	uint64_t time = 0;

	(void)state;
	while (put_text(log, time, "event", &err) == 0)
		time++;
	assert_true(time > 10 && time < 40);
	assert_int_equal(wt_log_next_segment(log, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	assert_int_equal(put_text(log, time, "event", &err), 0);
	for (int i = 0; i < 100 && !wt_log_segment_full(log); i++) {
		put_texts(log, time, time + 30);
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	}
	assert_true(wt_log_segment_full(log));
	assert_ok(wt_log_next_segment(log, &err), err);
	assert_false(wt_log_segment_full(log));
	assert_int_equal(wt_log_segment(log), 1);
	assert_int_equal(wt_log_writer_stats(log)->segments, 2);
	wt_log_writer_destroy(log);
	close(fd);
}

static void dropped_events_are_counted_and_rows_stay(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);

	(void)state;
	put_texts(log, 1, 101);
	assert_int_equal(wt_log_drop_pending(log), 100);
	assert_int_equal(wt_log_drop_pending(log), 0);
	assert_int_equal(wt_log_writer_stats(log)->events_dropped, 100);
	put_texts(log, 200, 210);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(wt_log_writer_stats(log)->events, 10);
	assert_int_equal(wt_log_writer_stats(log)->first_time, 200);
	assert_int_equal(wt_log_writer_stats(log)->last_time, 209);
	assert_int_equal(count_texts(fd, 200), 10);
	wt_log_writer_destroy(log);
	close(fd);
}

static uint64_t file_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_size;
}

/* A real file whose growth the kernel stops in the middle of a write. */
static void a_full_disk_leaves_whole_flushes(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	char path[] = "/tmp/wt_log_testXXXXXX";
	int fd = mkstemp(path);
	struct rlimit old, limit;
	struct wt_log_writer *log;
	struct wt_log_reader *reader;
	const struct wt_log_segment *segment;
	uint64_t bytes;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	log = create(fd, NULL);
	put_texts(log, 0, 1000);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	bytes = file_size(fd);
	assert_int_equal(wt_log_writer_stats(log)->bytes, bytes);

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = bytes + 300;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	put_texts(log, 1000, 3000);
	assert_int_equal(wt_log_flush(log, NULL, 0, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOSPACE);
	assert_int_equal(file_size(fd), bytes);
	assert_int_equal(count_texts(fd, 0), 1000);
	assert_int_equal(wt_log_finish(log, &err), -1);
	assert_int_equal(wt_log_writer_stats(log)->events, 1000);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	assert_int_equal(count_texts(fd, 0), 3000);
	limit.rlim_cur = file_size(fd) + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(wt_log_next_segment(log, &err), -1);
	assert_int_equal(wt_log_segment(log), 0);
	assert_int_equal(wt_log_finish(log, &err), -1);
	limit.rlim_cur = file_size(fd) + 300; /* the segment's end fits, the index does not */
	bytes = file_size(fd);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(wt_log_finish(log, &err), -1);
	assert_int_equal(file_size(fd), bytes);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	put_texts(log, 3000, 3100);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(count_texts(fd, 0), 3100);
	reader = fixture_open(fd);
	assert_ok(wt_log_load_segment(reader, 0, &segment, &err), err);
	assert_true(wt_log_info(reader)->complete);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	close(fd);
}

static void a_finished_log_takes_nothing_more(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);
	struct wt_log_process process = {0};
	struct wt_log_symbol symbol = {0};
	struct wt_log_reader *reader;

	(void)state;
	put_texts(log, 0, 5);
	assert_int_equal(wt_log_put_symbols(log, 1, 0, &symbol, 1, &err), -1);
	assert_ok(wt_log_finish(log, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(put_text(log, 9, "x", &err), -1);
	assert_int_equal(wt_log_put_process(log, &process, &err), -1);
	assert_int_equal(wt_log_put_symbols(log, 0, 0, &symbol, 1, &err), -1);
	reader = fixture_open(fd);
	assert_true(wt_log_info(reader)->complete);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	close(fd);
}

static void unusable_descriptors_are_refused(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_options options = {.zstd_level = 20};
	struct wt_log_writer *log;
	int fd = fixture_file(), pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(wt_log_create(pipes[1], &kinds, fixture_session, NULL, &log, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_int_equal(wt_log_create(fd, &kinds, fixture_session, &options, &log, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_int_equal(wt_log_create(-1, &kinds, fixture_session, NULL, &log, &err), -1);
	assert_int_equal(err.sys_errno, EBADF);
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

static struct wt_log_writer *resume(int fd, struct wt_log_position **positions, size_t *n)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;

	assert_ok(wt_log_resume(fd, &kinds, NULL, &log, positions, n, &err), err);
	return log;
}

/* Flushes of ten events each, flush f with position f. Sizes of the file behind each to ends. */
static void write_flushes(int fd, uint64_t *ends, unsigned flushes)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log = create(fd, NULL);

	for (unsigned f = 0; f < flushes; f++) {
		struct wt_log_position positions[2] = {{1, f}, {2, UINT64_C(1) << 60}};

		put_texts(log, f * 10, f * 10 + 10);
		assert_ok(wt_log_flush(log, positions, 2, &err), err);
		ends[f] = wt_log_writer_stats(log)->bytes;
	}
	wt_log_writer_destroy(log);
}

static void resume_goes_on_behind_the_last_checkpoint(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t ends[4];
	int whole = fixture_file();
	static uint8_t bytes[1 << 16];

	(void)state;
	write_flushes(whole, ends, 4);
	assert_true(ends[3] < sizeof(bytes));
	assert_int_equal(pread(whole, bytes, sizeof(bytes), 0), ends[3]);
	for (uint64_t cut = 64; cut <= ends[3]; cut += cut % 7 ? 1 : 5) {
		struct wt_log_position *positions;
		struct wt_log_writer *log;
		struct wt_log_reader *reader;
		int fd = fixture_file();
		unsigned kept = 0;
		size_t n;

		while (kept < 4 && ends[kept] <= cut)
			kept++;
		assert_int_equal(pwrite(fd, bytes, cut, 0), cut);
		log = resume(fd, &positions, &n);
		assert_int_equal(n, kept ? 2 : 0);
		if (kept) {
			assert_int_equal(positions[0].position, kept - 1);
			assert_int_equal(positions[1].source, 2);
			assert_int_equal(positions[1].position, UINT64_C(1) << 60);
		}
		assert_int_equal(wt_log_segment(log), kept ? 1 : 0);
		fixture_rows(log);
		put_texts(log, kept * 10, kept * 10 + 7);
		assert_ok(wt_log_finish(log, &err), err);
		assert_int_equal(count_texts(fd, 0), kept * 10 + 7);
		reader = fixture_open(fd);
		assert_true(wt_log_info(reader)->complete);
		assert_int_equal(wt_log_info(reader)->n_damages, 0);
		assert_int_equal(wt_log_info(reader)->n_segments, kept ? 2 : 1);
		assert_memory_equal(wt_log_info(reader)->session_id, fixture_session, 16);
		wt_log_close(reader);
		wt_log_writer_destroy(log);
		free(positions);
		close(fd);
	}
	close(whole);
}

static void resume_refuses_what_is_no_log(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_position *positions;
	struct wt_log_writer *log;
	int fd = fixture_file();
	size_t n;

	(void)state;
	assert_int_equal(wt_log_resume(fd, &kinds, NULL, &log, &positions, &n, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(pwrite(fd, "something else", 14, 0), 14);
	assert_int_equal(wt_log_resume(fd, &kinds, NULL, &log, &positions, &n, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(file_size(fd), 14);
	close(fd);
}

static void resume_of_a_finished_log_opens_it_again(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_position position = {5, 6}, *positions;
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, NULL);
	size_t n;

	(void)state;
	put_texts(log, 0, 10);
	assert_ok(wt_log_flush(log, &position, 1, &err), err);
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	log = resume(fd, &positions, &n);
	assert_int_equal(n, 1);
	fixture_rows(log);
	put_texts(log, 10, 20);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(count_texts(fd, 0), 20);
	free(positions);
	wt_log_writer_destroy(log);
	close(fd);
}

/* More events than one block takes, and more bytes. */
static void large_batches_become_several_blocks(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_options options = {.pending_bytes = UINT64_C(1) << 30};
	int fd = fixture_file();
	struct wt_log_writer *log = create(fd, &options);
	static uint8_t payload[2 + 60000];
	struct wt_log_reader *reader;

	(void)state;
	put_texts(log, 0, 150000);
	wt_store_u16(payload, 60000);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	assert_int_equal(count_texts(fd, 0), 150000);
	for (int i = 0; i < 200; i++)
		assert_int_equal(put_raw(log, KIND_TEXT, payload, sizeof(payload), 0, 0), 0);
	assert_ok(wt_log_finish(log, &err), err);
	reader = fixture_open(fd);
	assert_int_equal(wt_log_info(reader)->events, 150200);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_events_are_refused),
		cmocka_unit_test(rows_must_name_rows_that_are_there),
		cmocka_unit_test(an_empty_flush_writes_nothing),
		cmocka_unit_test(pending_and_segment_bounds_are_told),
		cmocka_unit_test(dropped_events_are_counted_and_rows_stay),
		cmocka_unit_test(a_full_disk_leaves_whole_flushes),
		cmocka_unit_test(a_finished_log_takes_nothing_more),
		cmocka_unit_test(unusable_descriptors_are_refused),
		cmocka_unit_test(resume_goes_on_behind_the_last_checkpoint),
		cmocka_unit_test(resume_refuses_what_is_no_log),
		cmocka_unit_test(resume_of_a_finished_log_opens_it_again),
		cmocka_unit_test(large_batches_become_several_blocks),
	};

	return cmocka_run_group_tests(tests, make_kinds, free_kinds);
}
