/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the tests of the reader library share: logs in memory, opened by their path below /proc/self/fd, and a
 * way to make reading them fail.
 */
#ifndef TESTS_UNIT_CONSUMERS_READER_READER_FIXTURE_H
#define TESTS_UNIT_CONSUMERS_READER_READER_FIXTURE_H

#include "tests/unit/tracecore/logfmt/fixture.h"

#include <errno.h>
#include <fcntl.h>

#include "consumers/reader/wtrace_reader.h"

#define assert_result(call, wanted)                                                               \
	do {                                                                                      \
		int result_ = (call);                                                             \
		if (result_ != (wanted))                                                          \
			fail_msg("%s: %d, not %d: %s", #call, result_, wanted, wtr_error_text()); \
	} while (0)

/** The path of an open file. */
static inline const char *fixture_path(int fd)
{
	static char paths[4][32];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "/proc/self/fd/%d", fd);
	return path;
}

static inline struct wtr_trace *fixture_trace(int fd)
{
	struct wtr_trace *trace;

	assert_result(wtr_open(fixture_path(fd), &trace), WTR_OK);
	return trace;
}

static inline struct wtr_cursor *fixture_cursor(struct wtr_trace *trace)
{
	struct wtr_cursor *cursor;

	assert_result(wtr_cursor_create(trace, &cursor), WTR_OK);
	return cursor;
}

/** A file with these bytes, in memory. */
static inline int fixture_bytes(const void *bytes, size_t len)
{
	int fd = fixture_file();

	assert_int_equal(pwrite(fd, bytes, len, 0), len);
	return fd;
}

/** The number the next file that is opened will get. */
static inline int fixture_next_fd(void)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD, 0);

	if (fd < 0)
		fd = open("/dev/null", O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	return fd;
}

/** Puts a directory in the place of the file: reading it fails with EISDIR until fixture_mend. Returns what
 * to give to that. */
static inline int fixture_break(int fd)
{
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, 100), directory = open("/", O_RDONLY | O_DIRECTORY);

	assert_true(kept >= 0 && directory >= 0);
	assert_int_equal(dup2(directory, fd), fd);
	close(directory);
	return kept;
}

static inline void fixture_mend(int fd, int kept)
{
	assert_int_equal(dup2(kept, fd), fd);
	close(kept);
}

/** Samples at the times first, first + 10, ...: n of them in each of so many blocks, each block of another
 * CPU; blocks overlap when they are begun before the one before ends. Two segments when `two`. */
struct fixture_times {
	uint32_t blocks, n;
	uint64_t first, apart; /**< from the start of one block to that of the next */
	uint64_t late;         /**< so much more to that of the last */
	bool two;
};

static inline int fixture_log(const struct fixture_times *times)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_writer *log;
	struct wt_kinds kinds;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	for (uint32_t b = 0; b < times->blocks; b++) {
		if (times->two && b == times->blocks / 2) {
			assert_ok(wt_log_next_segment(log, &err), err);
			fixture_rows(log);
		}
		for (uint32_t i = 0; i < times->n; i++) {
			struct wt_event event = {.kind = KIND_SAMPLE, .cpu = b % 4};

			event.time = times->first + b * times->apart + i * 10 +
				     (b + 1 == times->blocks ? times->late : 0);
			wt_buf_clear(&payload);
			wt_buf_put_u8(&payload, b & 3);
			wt_buf_put_u64(&payload, event.time);
			event.payload = payload.data;
			event.payload_len = (uint32_t)payload.len;
			assert_true(wt_log_event(log, &event, 1, 0, &err) >= 0);
		}
		assert_ok(wt_log_flush(log, NULL, 0, &err), err);
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&payload);
	return fd;
}

#endif
