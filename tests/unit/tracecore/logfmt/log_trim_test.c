// SPDX-License-Identifier: MIT
/* Old segments go, whole; what stays reads as it did, and writing goes on. */
#include "tests/unit/tracecore/logfmt/log_text.h"

#include "tracecore/logfmt/log_census.h"

enum { SEGMENTS = 8, EVENTS = 20 };

struct trim {
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	int fd;
	uint64_t time;
	int published;
};

static void put_segment(struct trim *t)
{
	struct wt_err err = WT_ERR_INIT;

	fixture_rows(t->log);
	for (int i = 0; i < EVENTS; i++)
		fixture_text_event(t->log, KIND_TEXT, ++t->time, NULL, NULL);
	assert_ok(wt_log_flush(t->log, NULL, 0, &err), err);
}

static int begin(void **state)
{
	struct trim *t = calloc(1, sizeof(*t));
	struct wt_err err = WT_ERR_INIT;

	fixture_kinds(&t->kinds);
	t->fd = fixture_file();
	assert_ok(wt_log_create(t->fd, &t->kinds, fixture_session, NULL, &t->log, &err), err);
	for (int s = 0; s < SEGMENTS; s++) {
		if (s)
			assert_ok(wt_log_next_segment(t->log, &err), err);
		put_segment(t);
	}
	*state = t;
	return 0;
}

static int end(void **state)
{
	struct trim *t = *state;

	wt_log_writer_destroy(t->log);
	wt_kinds_deinit(&t->kinds);
	close(t->fd);
	free(t);
	return 0;
}

static int publish(void *ctx, struct wt_err *err)
{
	int *published = ctx;

	(void)err;
	++*published;
	return 0;
}

static int refuse(void *ctx, struct wt_err *err)
{
	(void)ctx;
	return wt_fail(err, WT_ERR_SYSTEM, "no name");
}

/* Trims to that many bytes; into is closed as the caller would. */
static int trim(struct trim *t, uint64_t keep, struct wt_log_trimmed *ret)
{
	struct wt_err err = WT_ERR_INIT;
	int into = fixture_file();
	int rc = wt_log_trim(t->log, keep, into, publish, &t->published, ret, &err);

	close(into);
	return rc;
}

/* First and last time, number of events, of a sound file. */
static void assert_holds(int fd, uint64_t first, uint64_t last, bool complete)
{
	struct wt_log_reader *reader = fixture_open(fd);
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_verify(reader, NULL, NULL, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_int_equal(wt_log_info(reader)->first_time, first);
	assert_int_equal(wt_log_info(reader)->last_time, last);
	assert_int_equal(wt_log_info(reader)->events, last - first + 1);
	assert_int_equal(wt_log_info(reader)->complete, complete);
	wt_log_close(reader);
}

static void the_oldest_segments_go(void **state)
{
	struct trim *t = *state;
	uint64_t bytes = wt_log_writer_stats(t->log)->bytes;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_trimmed trimmed;

	assert_int_equal(trim(t, bytes / 2, &trimmed), 0);
	assert_int_equal(t->published, 1);
	assert_true(wt_log_writer_stats(t->log)->bytes <= bytes / 2);
	assert_int_equal(lseek(t->fd, 0, SEEK_END), wt_log_writer_stats(t->log)->bytes);
	assert_int_equal(trimmed.events, trimmed.segments * EVENTS);
	assert_int_equal(trimmed.kept_from, trimmed.events + 1);
	assert_int_equal(wt_log_writer_stats(t->log)->trimmed_events, trimmed.events);
	assert_holds(t->fd, trimmed.kept_from, t->time, false);
	assert_ok(wt_log_next_segment(t->log, &err), err);
	put_segment(t);
	assert_holds(t->fd, trimmed.kept_from, t->time, false);
	assert_ok(wt_log_finish(t->log, &err), err);
	assert_holds(t->fd, trimmed.kept_from, t->time, true);
}

static void the_current_segment_stays(void **state)
{
	struct trim *t = *state;
	struct wt_log_trimmed trimmed;

	assert_int_equal(trim(t, 1, &trimmed), 0);
	assert_int_equal(trimmed.segments, SEGMENTS - 1);
	assert_holds(t->fd, t->time - EVENTS + 1, t->time, false);
	assert_int_equal(trim(t, 1, &trimmed), 1);
	assert_int_equal(t->published, 1);
}

static void without_a_name_nothing_is_dropped(void **state)
{
	struct trim *t = *state;
	uint64_t bytes = wt_log_writer_stats(t->log)->bytes;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_trimmed trimmed;
	int into = fixture_file();

	assert_int_equal(wt_log_trim(t->log, 1, into, refuse, NULL, &trimmed, &err), -1);
	close(into);
	assert_int_equal(wt_log_writer_stats(t->log)->bytes, bytes);
	assert_holds(t->fd, 1, t->time, false);
	put_segment(t);
	assert_ok(wt_log_finish(t->log, &err), err);
	assert_holds(t->fd, 1, t->time, true);
}

static void a_resumed_log_drops_what_was_before(void **state)
{
	struct trim *t = *state;
	struct wt_log_position *positions;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_trimmed trimmed;
	uint64_t before = t->time;
	size_t n;

	wt_log_writer_destroy(t->log);
	assert_ok(wt_log_resume(t->fd, &t->kinds, NULL, &t->log, &positions, &n, &err), err);
	free(positions);
	put_segment(t);
	assert_int_equal(trim(t, 1, &trimmed), 0);
	assert_int_equal(trimmed.kept_from, before + 1);
	assert_holds(t->fd, before + 1, t->time, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_oldest_segments_go, begin, end),
		cmocka_unit_test_setup_teardown(the_current_segment_stays, begin, end),
		cmocka_unit_test_setup_teardown(without_a_name_nothing_is_dropped, begin, end),
		cmocka_unit_test_setup_teardown(a_resumed_log_drops_what_was_before, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
