// SPDX-License-Identifier: MIT
/* What blocks say of their fields' values is so, and who asks for other values does not read them. */
#include "tests/unit/tracecore/logfmt/text.h"

#include "tracecore/logfmt/rewrite/compact.h"

enum { FLUSHES = 20, SEGMENTS = 3 };

static void put_events(struct wt_log_writer *log, uint64_t *time, uint64_t *seed, uint32_t kinds,
		       uint32_t each)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};

	for (uint32_t n = 0; n < each * kinds; n++) {
		struct wt_event event = {.kind = n % kinds, .cpu = (uint32_t)(fixture_random(seed) % 2)};

		fixture_payload(event.kind, seed, &payload);
		event.time = *time += 1 + fixture_random(seed) % 1000;
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		assert_ok(wt_log_event(log, &event, n & 1, 0, &err), err);
	}
	wt_buf_deinit(&payload);
}

/* A complete log of the first of the kinds, that many events of each in a flush. */
static int make_log(uint32_t kinds_used, uint32_t each, uint32_t ranged)
{
	struct wt_log_options options = {.ranged = ranged};
	struct wt_err err = WT_ERR_INIT;
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	uint64_t time = 1, seed = each;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, &options, &log, &err), err);
	for (uint32_t s = 0; s < SEGMENTS; s++) {
		if (s)
			assert_ok(wt_log_next_segment(log, &err), err);
		fixture_rows(log);
		for (uint32_t i = 0; i < FLUSHES; i++) {
			put_events(log, &time, &seed, kinds_used, each);
			assert_ok(wt_log_flush(log, NULL, 0, &err), err);
		}
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	return fd;
}

struct look {
	struct wt_log_outline outline; /* of the block that is read next */
	uint64_t checked, blocks;
	uint32_t seldom; /* not 0: every so manieth block is wanted */
};

static bool may(void *ctx, const struct wt_log_outline *outline)
{
	struct look *look = ctx;

	look->outline = *outline;
	look->blocks++;
	return !look->seldom || look->blocks % look->seldom == 0;
}

static void check_column(struct look *look, const struct wt_log_batch *batch, uint32_t f)
{
	const uint64_t *values = batch->columns[f].values;
	enum wt_type type = batch->columns[f].field->type;
	int64_t least = INT64_MAX, most = INT64_MIN;
	uint32_t n = 0;

	if (!values || type == WT_TYPE_F32 || type == WT_TYPE_F64)
		return;
	for (uint32_t i = 0; i < batch->n; i++) {
		least = (int64_t)values[i] < least ? (int64_t)values[i] : least;
		most = (int64_t)values[i] > most ? (int64_t)values[i] : most;
	}
	for (uint32_t r = 0; r < look->outline.n_ranges; r++) {
		if (look->outline.ranges[r].field != f)
			continue;
		assert_int_equal(look->outline.ranges[r].least, least);
		assert_int_equal(look->outline.ranges[r].most, most);
		n++;
	}
	assert_int_equal(n, 1);
	look->checked++;
}

static int check_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct look *look = ctx;
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;

	(void)err;
	assert_int_equal(look->outline.kind, batch->kind);
	assert_int_equal(look->outline.count, batch->n);
	assert_true(look->outline.first_time == batch->time[0]);
	assert_true(look->outline.last_time == batch->time[batch->n - 1]);
	for (uint32_t f = 0; f < event->n_fields; f++)
		check_column(look, batch, f);
	return 0;
}

static struct look look_at(int fd, uint32_t seldom, struct wt_log_scanned *scanned)
{
	struct look look = {.seldom = seldom};
	struct wt_log_filter filter = {.may = may, .ctx = &look, .scanned = scanned};
	struct wt_log_reader *reader = fixture_open(fd);
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_scan(reader, &filter, check_batch, &look, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	wt_log_close(reader);
	return look;
}

static void ranges_are_those_of_the_events(void **state)
{
	struct wt_log_scanned all = {0}, some = {0};
	int fd = make_log(KIND_COUNT, 7, 1);
	struct look look = look_at(fd, 0, &all);

	(void)state;
	assert_true(look.checked > FLUSHES * SEGMENTS);
	assert_int_equal(all.blocks, look.blocks);
	assert_int_equal(all.skipped, 0);
	look_at(fd, 3, &some);
	assert_int_equal(some.blocks, all.blocks / 3);
	assert_int_equal(some.blocks + some.skipped, all.blocks);
	close(fd);
}

static bool no_ranges(void *ctx, const struct wt_log_outline *outline)
{
	(void)ctx;
	assert_int_equal(outline->n_ranges, 0);
	return true;
}

static int pass_over(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)err;
	*(uint64_t *)ctx += batch->n;
	return 0;
}

static void small_blocks_have_none(void **state)
{
	uint64_t n = 0;
	struct wt_log_filter filter = {.may = no_ranges};
	struct wt_err err = WT_ERR_INIT;
	int fd = make_log(1, 100, 0);
	struct wt_log_reader *reader = fixture_open(fd);

	(void)state;
	assert_ok(wt_log_scan(reader, &filter, pass_over, &n, &err), err);
	assert_int_equal(n, 100 * FLUSHES * SEGMENTS);
	wt_log_close(reader);
	close(fd);
}

static void compacted_blocks_have_their_own(void **state)
{
	struct wt_log_scanned scanned = {0};
	struct wt_err err = WT_ERR_INIT;
	int from = make_log(1, 500, 1), to = fixture_file();
	struct look look;

	(void)state;
	assert_int_equal(wt_log_compact(from, to, &err), 0);
	look = look_at(to, 0, &scanned);
	/* Two fields; two CPUs. */
	assert_int_equal(look.blocks, 2 * SEGMENTS);
	assert_int_equal(look.checked, 2 * 2 * SEGMENTS);
	close(from);
	close(to);
}

/* Two blocks that look the same from outside: what is known of both holds for each. */
static void twins_share_theirs(void **state)
{
	struct wt_log_range ranges[] = {
		{.time = 5, .kind = 1, .count = 3, .field = 0, .least = 7, .most = 9},
		{.time = 5, .kind = 1, .count = 2, .field = 0, .least = 1, .most = 2},
		{.time = 5, .kind = 1, .count = 3, .field = 0, .least = -1, .most = 2},
		{.time = 4, .kind = 9, .count = 3, .field = 1, .least = 1, .most = 2},
	};
	struct wt_disk_block_header header = {.time_min = 5, .kind = 1, .count = 3};
	const struct wt_log_range *found;
	uint32_t n;

	(void)state;
	wt_log_ranges_sort(ranges, 4);
	found = wt_log_ranges_of(ranges, 4, &header, &n);
	assert_int_equal(n, 2);
	assert_int_equal(found[0].count, 3);
	assert_int_equal(found[1].count, 3);
	header.count = 4;
	wt_log_ranges_of(ranges, 4, &header, &n);
	assert_int_equal(n, 0);
	wt_log_ranges_of(NULL, 0, &header, &n);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_those_of_the_events),
		cmocka_unit_test(small_blocks_have_none),
		cmocka_unit_test(compacted_blocks_have_their_own),
		cmocka_unit_test(twins_share_theirs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
