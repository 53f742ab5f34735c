// SPDX-License-Identifier: MIT
/* A compacted log says what it said before, in fewer and larger blocks. */
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/logfmt/text.h"

#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/rewrite/compact.h"
#include "tracecore/logfmt/format/walk.h"

enum { FLUSHES = 40, SEGMENTS = 3, CPUS = 3 };

static void put_events_of(struct wt_log_writer *log, uint64_t *time, uint64_t *seed, uint32_t each)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	uint8_t id[WT_ACTIVITY_ID] = {1, 2, 3};

	for (uint32_t n = 0; n < each * KIND_COUNT; n++) {
		struct wt_event event = {.kind = n % KIND_COUNT,
					 .cpu = (uint32_t)(fixture_random(seed) % CPUS)};

		fixture_payload(event.kind, seed, &payload);
		event.time = *time += 1 + fixture_random(seed) % 1000;
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		event.activity = fixture_random(seed) % 50 ? NULL : id;
		assert_ok(wt_log_event(log, &event, n & 1, 1 + n % 2, &err), err);
	}
	wt_buf_deinit(&payload);
}

/* How the blocks of one flush after the other are packed. */
struct haste {
	int levels[4];
};
static const struct haste none = {{1, 1, 1, 1}}, varying = {{WT_LOG_LEVEL_STORED, -5, 1, 3}};

static void put_segment(struct wt_log_writer *log, uint64_t *time, uint64_t *seed, uint32_t each,
			const struct haste *haste)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_position position = {7, 0};
	struct wt_log_symbol symbol = {.name = wt_str("f"), .file = wt_str("f.c"), .line = 3};

	fixture_rows(log);
	fixture_stack(log, 1000, 0, 0);
	for (uint32_t i = 0; i < FLUSHES; i++) {
		fixture_stack(log, 1001 + i, i + 1, i);
		put_events_of(log, time, seed, each);
		if (i == 5)
			assert_int_equal(wt_log_drop_pending(log), each * KIND_COUNT);
		position.position = i;
		wt_log_set_level(log, haste->levels[i % 4]);
		assert_ok(wt_log_flush(log, &position, 1, &err), err);
	}
	assert_ok(wt_log_put_symbols(log, wt_log_segment(log), 0, &symbol, 1, &err), err);
	assert_ok(wt_log_put_symbols(log, wt_log_segment(log), 1, &symbol, 1, &err), err);
	assert_ok(wt_log_put_symbols(log, wt_log_segment(log), 9, &symbol, 1, &err), err);
}

/* A complete log of that many events per kind and flush. */
static int make_hasty_log(uint32_t each, const struct haste *haste)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	uint64_t time = 1, seed = each;
	int fd = fixture_file();

	fixture_kinds(&kinds);
	assert_ok(wt_log_create(fd, &kinds, fixture_session, NULL, &log, &err), err);
	for (uint32_t s = 0; s < SEGMENTS; s++) {
		if (s)
			assert_ok(wt_log_next_segment(log, &err), err);
		put_segment(log, &time, &seed, each, haste);
	}
	assert_ok(wt_log_finish(log, &err), err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	return fd;
}

static int make_log(uint32_t each)
{
	return make_hasty_log(each, &none);
}

struct sums {
	uint64_t event_blocks, events, lost;
};

static struct sums sums_of(int fd)
{
	struct wt_log_reader *reader = fixture_open(fd);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_census census;
	struct sums sums = {0};

	assert_ok(wt_log_census_take(reader, &census, &err), err);
	for (uint32_t i = 0; i < census.n; i++) {
		if (census.lines[i].type != WT_DISK_EVENTS)
			continue;
		sums.event_blocks += census.lines[i].blocks;
		sums.events += census.lines[i].count;
		sums.lost += census.lines[i].lost;
	}
	wt_log_census_deinit(&census);
	assert_ok(wt_log_verify(reader, 1, NULL, &err), err);
	assert_int_equal(wt_log_info(reader)->n_damages, 0);
	assert_true(wt_log_info(reader)->complete);
	wt_log_close(reader);
	return sums;
}

static void assert_same_text(int a, int b)
{
	struct wt_buf was = {0}, is = {0};

	put_file(&was, a);
	put_file(&is, b);
	assert_int_equal(was.len, is.len);
	assert_memory_equal(was.data, is.data, is.len);
	wt_buf_deinit(&was);
	wt_buf_deinit(&is);
}

static void a_compacted_log_says_the_same(void **state)
{
	static const uint32_t each[] = {1, 40};

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct wt_err err = WT_ERR_INIT;
		int from = make_log(each[i]), to = fixture_file();
		struct sums was = sums_of(from), is;

		assert_int_equal(wt_log_compact(from, to, &err), 0);
		is = sums_of(to);
		assert_true(is.event_blocks * 4 < was.event_blocks);
		assert_int_equal(is.events, was.events);
		assert_int_equal(is.lost, was.lost);
		assert_int_equal(is.lost, (uint64_t)each[i] * KIND_COUNT * SEGMENTS);
		assert_true(lseek(to, 0, SEEK_END) < lseek(from, 0, SEEK_END));
		assert_same_text(from, to);
		close(from);
		close(to);
	}
}

/* Large blocks without compression. */
static uint32_t n_stored(int fd)
{
	static struct wt_log_walk walk;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_place place;
	uint32_t n = 0;

	wt_log_walk_init(&walk, fd, sizeof(struct wt_disk_file_header), (uint64_t)lseek(fd, 0, SEEK_END));
	while (!wt_log_walk_next(&walk, &place, &err))
		n += place.header.codec == WT_DISK_CODEC_NONE && place.header.raw_size > 4096;
	return n;
}

/* Written under pressure and not, a log reads the same; compacted it takes no more. */
static void a_hasty_log_says_the_same(void **state)
{
	static const uint32_t each[] = {40, 150};

	(void)state;
	for (uint32_t i = 0; i < (extent_whole() ? 2 : 1); i++) {
		struct wt_err err = WT_ERR_INIT;
		int calm = make_log(each[i]), hasty = make_hasty_log(each[i], &varying), to = fixture_file();

		assert_true(n_stored(hasty) >= SEGMENTS);
		assert_int_equal(n_stored(calm), 0);
		assert_same_text(calm, hasty);
		assert_int_equal(wt_log_compact(hasty, to, &err), 0);
		assert_same_text(calm, to);
		assert_int_equal(n_stored(to), 0);
		assert_true(lseek(to, 0, SEEK_END) <= lseek(calm, 0, SEEK_END));
		close(calm);
		close(hasty);
		close(to);
	}
}

/* Segments are put together in slices of their time: half of one has some half of its events. */
static void a_part_of_a_compacted_log_is_of_use(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int from = make_log(40), to = fixture_file();
	struct wt_log_reader *reader;
	uint64_t events;
	off_t size;

	(void)state;
	assert_ok(wt_log_compact(from, to, &err), err);
	events = sums_of(to).events;
	size = lseek(to, 0, SEEK_END);
	assert_int_equal(ftruncate(to, size * 5 / 6), 0);
	reader = fixture_open(to);
	assert_in_range(wt_log_info(reader)->events, events * 3 / 4, events * 9 / 10);
	wt_log_close(reader);
	close(from);
	close(to);
}

static void a_compacted_log_is_left_alone(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int from = make_log(1), once = fixture_file(), twice = fixture_file();

	(void)state;
	assert_int_equal(wt_log_compact(from, once, &err), 0);
	assert_int_equal(wt_log_compact(once, twice, &err), 1);
	close(from);
	close(once);
	close(twice);
}

/* What is cut or damaged anywhere is not made into something that looks whole. */
static void a_damaged_log_is_left_alone(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int from = make_log(1);
	off_t size = lseek(from, 0, SEEK_END);

	(void)state;
	for (off_t at = 64; at < size; at += (off_t)extent_step(7) * 997) {
		int to = fixture_file();
		uint8_t byte, wrong;

		assert_int_equal(pread(from, &byte, 1, at), 1);
		wrong = byte ^ 0x10;
		assert_int_equal(pwrite(from, &wrong, 1, at), 1);
		if (wt_log_compact(from, to, &err) == 0)
			sums_of(to); /* padding, or the old index: the events are whole */
		assert_int_equal(pwrite(from, &byte, 1, at), 1);
		close(to);
	}
	assert_int_equal(ftruncate(from, size - 1), 0);
	assert_int_equal(wt_log_compact(from, fixture_file(), &err), 1);
	close(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_compacted_log_says_the_same),
		cmocka_unit_test(a_hasty_log_says_the_same),
		cmocka_unit_test(a_part_of_a_compacted_log_is_of_use),
		cmocka_unit_test(a_compacted_log_is_left_alone),
		cmocka_unit_test(a_damaged_log_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
