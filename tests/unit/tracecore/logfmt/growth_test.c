// SPDX-License-Identifier: MIT
/* Kinds that come while a log is being written: guarantees of wt_log_adopt_kinds and wt_recorder_adopt_kinds.
 */
#include "tests/unit/tracecore/logfmt/fixture.h"
#include "tracecore/logfmt/rewrite/resume.h"

#include <signal.h>
#include <sys/resource.h>

struct growing {
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	int fd;
};

static int begin(void **state)
{
	struct growing *g = calloc(1, sizeof(*g));
	struct wt_err err = WT_ERR_INIT;

	fixture_kinds(&g->kinds);
	g->fd = fixture_file();
	assert_ok(wt_log_create(g->fd, &g->kinds, fixture_session, NULL, &g->log, &err), err);
	*state = g;
	return 0;
}

static int end(void **state)
{
	struct growing *g = *state;

	wt_log_writer_destroy(g->log);
	wt_kinds_deinit(&g->kinds);
	close(g->fd);
	free(g);
	return 0;
}

/* Events of each kind name of provider "late" that a reader sees. */
static uint32_t count_late(int fd)
{
	struct wt_log_reader *reader = fixture_open(fd);
	const struct wt_log_batch *batch;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_iter *iter;
	uint32_t index, n = 0;

	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while (wt_log_iter_next(iter, &batch, &index, &err) == 0)
		n += !strcmp(batch->segment->kinds.kinds[batch->kind].provider->name, "late");
	wt_log_iter_destroy(iter);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	return n;
}

static void events_of_kinds_not_adopted_are_refused(void **state)
{
	struct growing *g = *state;
	struct wt_err err = WT_ERR_INIT;
	struct wt_event event = {.kind = KIND_COUNT};

	fixture_add_late(&g->kinds, 1);
	assert_int_equal(wt_log_event(g->log, &event, 0, 0, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_ok(wt_log_adopt_kinds(g->log, &err), err);
	fixture_text_event(g->log, KIND_COUNT, 5, NULL, NULL);
	assert_ok(wt_log_finish(g->log, &err), err);
	assert_int_equal(count_late(g->fd), 1);
}

/* Every prefix of the file reads without damage but the cut: no event stands before its schema. */
static void a_file_cut_anywhere_has_the_schemas_it_needs(void **state)
{
	struct growing *g = *state;
	struct wt_err err = WT_ERR_INIT;
	uint8_t *bytes;
	size_t size;

	fixture_text_event(g->log, KIND_TEXT, 1, NULL, NULL);
	assert_ok(wt_log_flush(g->log, NULL, 0, &err), err);
	for (int i = 1; i <= 3; i++) {
		fixture_add_late(&g->kinds, i);
		assert_ok(wt_log_adopt_kinds(g->log, &err), err);
		fixture_text_event(g->log, KIND_COUNT + (uint32_t)i - 1, 1, NULL, NULL);
		assert_ok(wt_log_flush(g->log, NULL, 0, &err), err);
	}
	size = wt_log_writer_stats(g->log)->bytes;
	bytes = malloc(size);
	assert_int_equal(pread(g->fd, bytes, size, 0), size);
	for (size_t n = 64; n <= size; n += 8) {
		int fd = fixture_file();
		struct wt_log_reader *reader;
		const struct wt_log_segment *segment;

		assert_int_equal(pwrite(fd, bytes, n, 0), n);
		reader = fixture_open(fd);
		for (uint32_t s = 0; s < wt_log_info(reader)->n_segments; s++)
			assert_ok(wt_log_load_segment(reader, s, &segment, &err), err);
		for (uint32_t d = 0; d < wt_log_info(reader)->n_damages; d++)
			assert_non_null(strstr(wt_log_damages(reader)[d].what, "cut"));
		wt_log_close(reader);
		close(fd);
	}
	assert_int_equal(count_late(g->fd), 3);
	free(bytes);
}

/* A flush that fails leaves the schema to the next one. */
static void a_full_disk_does_not_lose_a_schema(void **state)
{
	struct growing *g = *state;
	struct wt_err err = WT_ERR_INIT;
	char path[] = "/tmp/wt_log_growthXXXXXX";
	int fd = mkstemp(path);
	struct rlimit old, limit;
	struct wt_log_writer *log;

	assert_true(fd >= 0);
	unlink(path);
	signal(SIGXFSZ, SIG_IGN);
	assert_ok(wt_log_create(fd, &g->kinds, fixture_session, NULL, &log, &err), err);
	fixture_add_late(&g->kinds, 1);
	assert_ok(wt_log_adopt_kinds(log, &err), err);
	fixture_text_event(log, KIND_COUNT, 1, NULL, NULL);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = wt_log_writer_stats(log)->bytes + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(wt_log_flush(log, NULL, 0, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(wt_log_drop_pending(log), 1);
	fixture_text_event(log, KIND_COUNT, 2, NULL, NULL);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(count_late(fd), 1);
	wt_log_writer_destroy(log);
	close(fd);
}

static void a_resumed_log_has_all_schemas_at_its_begin(void **state)
{
	struct growing *g = *state;
	struct wt_log_position *positions;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	size_t n;

	fixture_add_late(&g->kinds, 1);
	assert_ok(wt_log_adopt_kinds(g->log, &err), err);
	fixture_text_event(g->log, KIND_COUNT, 1, NULL, NULL);
	assert_ok(wt_log_flush(g->log, NULL, 0, &err), err);
	assert_ok(wt_log_resume(g->fd, &g->kinds, NULL, &log, &positions, &n, &err), err);
	fixture_text_event(log, KIND_COUNT, 2, NULL, NULL);
	fixture_add_late(&g->kinds, 2);
	assert_ok(wt_log_adopt_kinds(log, &err), err);
	fixture_text_event(log, KIND_COUNT + 1, 3, NULL, NULL);
	assert_ok(wt_log_finish(log, &err), err);
	assert_int_equal(count_late(g->fd), 3);
	free(positions);
	wt_log_writer_destroy(log);
}

/* Ids of one event of a block do not become another's, and sorting takes them along. */
static void activities_stay_with_their_events(void **state)
{
	static uint8_t ids[100][WT_ACTIVITY_ID];
	struct growing *g = *state;
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_reader *reader;
	struct wt_log_iter *iter;
	uint32_t i, n = 0;

	for (uint32_t k = 0; k < 100; k++)
		memset(ids[k], (int)k + 1, WT_ACTIVITY_ID);
	for (uint32_t k = 0; k < 100; k++) {
		uint32_t t = k * 37 % 100;

		fixture_text_event(g->log, KIND_TEXT, t, t < 20 || t % 3 == 0 ? NULL : ids[t],
				   t % 5 ? NULL : ids[t / 2]);
	}
	assert_ok(wt_log_finish(g->log, &err), err);
	reader = fixture_open(g->fd);
	assert_ok(wt_log_iter_create(reader, NULL, &iter, &err), err);
	while (wt_log_iter_next(iter, &batch, &i, &err) == 0) {
		uint64_t t = batch->time[i];
		const uint8_t *activity = batch->activity + (size_t)i * WT_ACTIVITY_ID;
		const uint8_t *related = batch->related + (size_t)i * WT_ACTIVITY_ID;

		assert_int_equal(t, n++);
		if (t < 20 || t % 3 == 0)
			assert_true(wt_activity_is_none(activity));
		else
			assert_memory_equal(activity, ids[t], WT_ACTIVITY_ID);
		if (t % 5)
			assert_true(wt_activity_is_none(related));
		else
			assert_memory_equal(related, ids[t / 2], WT_ACTIVITY_ID);
	}
	assert_int_equal(n, 100);
	wt_log_iter_destroy(iter);
	wt_log_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(events_of_kinds_not_adopted_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(a_file_cut_anywhere_has_the_schemas_it_needs, begin, end),
		cmocka_unit_test_setup_teardown(a_full_disk_does_not_lose_a_schema, begin, end),
		cmocka_unit_test_setup_teardown(a_resumed_log_has_all_schemas_at_its_begin, begin, end),
		cmocka_unit_test_setup_teardown(activities_stay_with_their_events, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
