// SPDX-License-Identifier: MIT
/* Old segments go, whole; what stays reads as it did, and writing goes on. */
#include "tests/unit/tracecore/logfmt/text.h"

#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/rewrite/resume.h"
#include "tracecore/logfmt/rewrite/trim.h"

enum { SEGMENTS = 8, EVENTS = 20 };

struct trim {
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	int fd;
	uint64_t time;
	int published;
	wt_log_tally_by *by;
};

/* Samples are told apart by their source, which has no map here. */
static int by_source(void *ctx, const struct wt_kind *kind)
{
	(void)ctx;
	return strcmp(kind->event->name, "sample") ? WT_LOG_TALLY_EVENT : 0;
}

static int only_text(void *ctx, const struct wt_kind *kind)
{
	(void)ctx;
	return strcmp(kind->event->name, "text") ? WT_LOG_TALLY_NOT : WT_LOG_TALLY_EVENT;
}

static void put_bare(struct trim *t, uint32_t cpu)
{
	struct wt_event event = {.time = ++t->time, .kind = KIND_BARE, .cpu = cpu};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_event(t->log, &event, 0, 0, &err), err);
}

static void put_sample(struct trim *t, uint32_t cpu)
{
	uint8_t payload[9] = {1};
	struct wt_event event = {
		.time = ++t->time, .kind = KIND_SAMPLE, .cpu = cpu, .payload = payload, .payload_len = 9};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_event(t->log, &event, 0, 0, &err), err);
}

/* Bare events on CPUs 0, 1 and none, mixed, and one sample; then the next segment. */
static void put_mixed_segment(struct trim *t)
{
	struct wt_err err = WT_ERR_INIT;

	fixture_rows(t->log);
	for (uint32_t i = 0; i < 6; i++)
		put_bare(t, i % 3 == 2 ? WT_CPU_NONE : i % 3);
	put_sample(t, 1);
	assert_ok(wt_log_flush(t->log, NULL, 0, &err), err);
	assert_ok(wt_log_next_segment(t->log, &err), err);
}

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
	struct wt_log_trimming how = {
		.keep = keep, .into = into, .publish = publish, .ctx = &t->published, .by = t->by};
	int rc = wt_log_trim(t->log, &how, ret, &err);

	close(into);
	return rc;
}

static uint64_t record_size(int fd)
{
	struct wt_disk_block_header header;

	assert_int_equal(pread(fd, &header, sizeof(header), sizeof(struct wt_disk_file_header)),
			 sizeof(header));
	assert_int_equal(header.type, WT_DISK_DROPPED);
	return wt_log_block_extent(&header);
}

/* First and last time, number of events, of a sound file. */
static void assert_holds(int fd, uint64_t first, uint64_t last, bool complete)
{
	struct wt_log_reader *reader = fixture_open(fd);
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_verify(reader, 1, NULL, &err), err);
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
	assert_true(wt_log_writer_stats(t->log)->bytes <= bytes / 2 + record_size(t->fd));
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
	struct wt_log_trimming how = {.keep = 1, .into = fixture_file(), .publish = refuse};

	assert_int_equal(wt_log_trim(t->log, &how, &trimmed, &err), -1);
	close(how.into);
	assert_int_equal(wt_log_writer_dropped(t->log)->segments, 0);
	assert_int_equal(wt_log_writer_stats(t->log)->bytes, bytes);
	assert_holds(t->fd, 1, t->time, false);
	put_segment(t);
	assert_ok(wt_log_finish(t->log, &err), err);
	assert_holds(t->fd, 1, t->time, true);
}

static void resume(struct trim *t)
{
	struct wt_log_position *positions;
	struct wt_err err = WT_ERR_INIT;
	size_t n;

	wt_log_writer_destroy(t->log);
	assert_ok(wt_log_resume(t->fd, &t->kinds, NULL, &t->log, &positions, &n, &err), err);
	free(positions);
}

static void a_resumed_log_drops_what_was_before(void **state)
{
	struct trim *t = *state;
	struct wt_log_trimmed trimmed;
	uint64_t before = t->time;

	resume(t);
	put_segment(t);
	assert_int_equal(trim(t, 1, &trimmed), 0);
	assert_int_equal(trimmed.kept_from, before + 1);
	assert_holds(t->fd, before + 1, t->time, false);
}

/* EVENTS/EARLIER of a name on a CPU. */
static void assert_dropped(const struct wt_log_dropped *dropped, const char *name, uint32_t cpu,
			   uint64_t events, uint64_t earlier)
{
	uint64_t e[2] = {0};

	for (uint32_t i = 0; i < dropped->tally.keys.count; i++) {
		const struct wt_log_tally_line *line = &dropped->tally.lines[i];

		if (line->cpu != cpu || strcmp(wt_log_tally_name(&dropped->tally, line), name))
			continue;
		e[0] += line->events;
		e[1] += line->earlier;
	}
	assert_int_equal(e[0], events);
	assert_int_equal(e[1], earlier);
}

static void read_dropped(int fd, struct wt_log_dropped *ret)
{
	struct wt_log_reader *reader = fixture_open(fd);
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_read_dropped(reader, ret, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
}

static void what_is_dropped_is_counted(void **state)
{
	struct trim *t = *state;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_trimmed trimmed;
	struct wt_log_dropped dropped;

	t->by = by_source;
	assert_ok(wt_log_next_segment(t->log, &err), err);
	put_mixed_segment(t);
	put_mixed_segment(t);
	put_segment(t);
	assert_int_equal(trim(t, 1, &trimmed), 0);
	assert_int_equal(trimmed.segments, SEGMENTS + 2);
	assert_int_equal(trimmed.events, SEGMENTS * EVENTS + 14);
	assert_int_equal(wt_log_writer_stats(t->log)->trimmed_segments, SEGMENTS + 2);
	read_dropped(t->fd, &dropped);
	assert_int_equal(dropped.segments, SEGMENTS + 2);
	assert_int_equal(dropped.events, SEGMENTS * EVENTS + 14);
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		assert_dropped(&dropped, "bare", cpu, 4, 4);
	assert_dropped(&dropped, "bare", WT_CPU_NONE, 4, 4);
	assert_dropped(&dropped, "", 1, 2, 2);
	assert_dropped(&dropped, "text", 0, SEGMENTS * EVENTS, SEGMENTS * EVENTS);
	assert_dropped(wt_log_writer_dropped(t->log), "bare", 1, 4, 0);
	wt_log_dropped_deinit(&dropped);
	assert_holds(t->fd, t->time - EVENTS + 1, t->time, false);
}

/* Dropped before and after the writer died, from segments of both. */
static void the_next_writer_counts_on(void **state)
{
	struct trim *t = *state;
	uint64_t bytes = wt_log_writer_stats(t->log)->bytes;
	const struct wt_log_dropped *dropped;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_trimmed first, second;

	t->by = only_text;
	assert_int_equal(trim(t, bytes / 2, &first), 0);
	resume(t);
	dropped = wt_log_writer_dropped(t->log);
	assert_int_equal(dropped->segments, first.segments);
	assert_int_equal(dropped->events, first.events);
	assert_dropped(dropped, "text", 0, first.events, first.events);
	put_mixed_segment(t);
	put_segment(t);
	assert_ok(wt_log_next_segment(t->log, &err), err);
	put_segment(t);
	assert_int_equal(trim(t, 1, &second), 0);
	assert_int_equal(first.segments + second.segments, SEGMENTS + 2);
	assert_int_equal(first.events + second.events, (SEGMENTS + 1) * EVENTS + 7);
	assert_int_equal(second.kept_from, t->time - EVENTS + 1);
	assert_int_equal(wt_log_writer_stats(t->log)->trimmed_events, second.events);
	assert_int_equal(dropped->events, first.events + second.events);
	assert_dropped(dropped, "text", 0, (SEGMENTS + 1) * EVENTS, SEGMENTS * EVENTS);
	assert_dropped(dropped, "bare", 1, 0, 0);
	assert_ok(wt_log_finish(t->log, &err), err);
	assert_holds(t->fd, t->time - EVENTS + 1, t->time, true);
}

/* A record that cannot be read is one damage, and counts nothing. */
static void a_damaged_record_is_told(void **state)
{
	struct trim *t = *state;
	struct wt_log_dropped dropped;
	struct wt_log_trimmed trimmed;
	struct wt_log_reader *reader;
	struct wt_err err = WT_ERR_INIT;
	off_t at = sizeof(struct wt_disk_file_header) + sizeof(struct wt_disk_block_header) + 8;
	uint8_t byte;

	assert_int_equal(trim(t, 1, &trimmed), 0);
	assert_int_equal(pread(t->fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(t->fd, &byte, 1, at), 1);
	reader = fixture_open(t->fd);
	assert_ok(wt_log_verify(reader, 1, NULL, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 1);
	assert_ok(wt_log_read_dropped(reader, &dropped, &err), err);
	assert_int_equal(dropped.segments, 0);
	wt_log_close(reader);
	resume(t);
	assert_int_equal(wt_log_writer_dropped(t->log)->segments, 0);
}

/* Cut anywhere it is none. */
static void a_cut_record_is_refused(void **state)
{
	struct trim *t = *state;
	struct wt_log_dropped dropped;
	struct wt_log_trimmed trimmed;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf bytes = {0};

	assert_int_equal(trim(t, 1, &trimmed), 0);
	wt_log_dropped_put(wt_log_writer_dropped(t->log), &bytes);
	for (size_t n = 0; n <= bytes.len; n++) {
		uint8_t *copy = malloc(n + 1);
		struct wt_cursor cur = wt_cursor(copy, n);

		memcpy(copy, bytes.data, n);
		assert_int_equal(wt_log_dropped_get(&cur, 1, &dropped, &err), n < bytes.len);
		wt_log_dropped_deinit(&dropped);
		free(copy);
	}
	wt_buf_deinit(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_oldest_segments_go, begin, end),
		cmocka_unit_test_setup_teardown(the_current_segment_stays, begin, end),
		cmocka_unit_test_setup_teardown(without_a_name_nothing_is_dropped, begin, end),
		cmocka_unit_test_setup_teardown(a_resumed_log_drops_what_was_before, begin, end),
		cmocka_unit_test_setup_teardown(what_is_dropped_is_counted, begin, end),
		cmocka_unit_test_setup_teardown(the_next_writer_counts_on, begin, end),
		cmocka_unit_test_setup_teardown(a_damaged_record_is_told, begin, end),
		cmocka_unit_test_setup_teardown(a_cut_record_is_refused, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
