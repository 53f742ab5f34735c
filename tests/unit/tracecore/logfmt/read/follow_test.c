// SPDX-License-Identifier: MIT
/* A log that grows shows what will stay, and each event once. */
#include "tests/unit/tracecore/logfmt/fixture.h"

enum { EVENTS = 5, FLUSHES = 8, PIECE = 100 };

static void flush_some(struct wt_log_writer *log, uint32_t i)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t n = 0; n < EVENTS; n++)
		fixture_text_event(log, 0, 1 + i * EVENTS + n, NULL, NULL);
	assert_ok(wt_log_flush(log, NULL, 0, &err), err);
}

static struct wt_log_writer *begin(int fd, struct wt_kinds *kinds)
{
	struct wt_provider *provider;
	struct wt_log_writer *log;
	struct wt_err err = WT_ERR_INIT;
	uint32_t first;

	*kinds = (struct wt_kinds){0};
	assert_ok(
		wt_manifest_parse(fixture_manifest2, sizeof(fixture_manifest2) - 1, "test", &provider, &err),
		err);
	assert_ok(wt_kinds_add(kinds, provider, &first, &err), err);
	assert_ok(wt_log_create(fd, kinds, fixture_session, NULL, &log, &err), err);
	fixture_rows(log);
	return log;
}

static struct wt_log_reader *open_growing(int fd, enum wt_log_growth growth)
{
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_open_growing(dup(fd), "test", growth, &reader, &err), err);
	return reader;
}

static int follow(struct wt_log_reader *reader, enum wt_log_growth growth)
{
	struct wt_err err = WT_ERR_INIT;
	int rc = wt_log_follow(reader, growth, &err);

	assert_true(rc >= 0);
	return rc;
}

static void a_recorder_may_take_back_what_is_behind_its_checkpoint(void **state)
{
	int fd = fixture_file();
	struct wt_kinds kinds;
	struct wt_log_writer *log = begin(fd, &kinds);
	struct wt_log_reader *reader = open_growing(fd, WT_LOG_GROWS);

	(void)state;
	for (uint32_t i = 0; i < FLUSHES; i++) {
		flush_some(log, i);
		if (i + 1 == FLUSHES)
			assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - 8), 0);
		assert_int_equal(follow(reader, WT_LOG_GROWS), i + 1 == FLUSHES);
	}
	assert_int_equal(wt_log_info(reader)->events, EVENTS * (FLUSHES - 1));
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_int_equal(follow(reader, WT_LOG_ENDED), 0);
	assert_int_equal(wt_log_info(reader)->events, EVENTS * FLUSHES);
	assert_int_equal(wt_log_info(reader)->n_damages, 1);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(fd);
}

struct seen {
	uint64_t events, last;
};

static int see(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct seen *seen = ctx;

	(void)err;
	assert_true(batch->time[0] > seen->last);
	seen->last = batch->time[batch->n - 1];
	seen->events += batch->n;
	return 0;
}

/* Byte by byte: no cut block is taken for damage, no event comes twice. */
static void a_copy_shows_every_whole_block(void **state)
{
	int from = fixture_file(), to = fixture_file();
	struct wt_kinds kinds;
	struct wt_log_writer *log = begin(from, &kinds);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader = NULL;
	struct seen seen = {0};
	uint64_t rounds = 0;
	uint8_t bytes[PIECE];
	ssize_t n;

	(void)state;
	for (uint32_t i = 0; i < FLUSHES; i++)
		flush_some(log, i);
	assert_ok(wt_log_finish(log, &err), err);
	for (off_t at = 0; (n = pread(from, bytes, sizeof(bytes), at)) > 0; at += n) {
		struct wt_log_filter filter = {.behind = reader ? wt_log_followed(reader) : 0};

		assert_int_equal(pwrite(to, bytes, (size_t)n, at), n);
		if (!reader)
			reader = open_growing(to, WT_LOG_ARRIVES);
		else if (follow(reader, WT_LOG_ARRIVES))
			continue;
		rounds++;
		assert_ok(wt_log_scan(reader, &filter, see, &seen, &err), err);
	}
	assert_true(rounds > FLUSHES);
	assert_int_equal(seen.events, EVENTS * FLUSHES);
	assert_true(wt_log_info(reader)->complete);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	close(from);
	close(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorder_may_take_back_what_is_behind_its_checkpoint),
		cmocka_unit_test(a_copy_shows_every_whole_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
