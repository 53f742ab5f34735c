// SPDX-License-Identifier: MIT
#include "tests/unit/tracecore/logfmt/fixture.h"

#include "tracecore/logfmt/format/cols.h"
#include "tracecore/logfmt/format/column.h"
#include "tracecore/logfmt/format/items.h"
#include "tracecore/logfmt/format/ticks.h"

struct room {
	struct wt_log_column_scratch *scratch;
	struct wt_log_column_room get;
	uint64_t *words;
	struct wt_str *strs;
	uint32_t *offsets;
};

static struct room room;

static int make_room(void **state)
{
	(void)state;
	room.scratch = calloc(1, sizeof(*room.scratch));
	room.words = malloc(WT_DISK_MAX_ROWS * sizeof(*room.words));
	room.strs = malloc(WT_DISK_MAX_ROWS * sizeof(*room.strs));
	room.offsets = malloc((WT_DISK_MAX_ROWS + 1) * sizeof(*room.offsets));
	return room.scratch && room.words && room.strs && room.offsets &&
			       wt_log_column_room(&room.get, WT_DISK_MAX_ROWS)
		       ? 0
		       : -1;
}

static int free_room(void **state)
{
	(void)state;
	wt_log_column_scratch_deinit(room.scratch);
	free(room.scratch);
	wt_log_column_room_deinit(&room.get);
	free(room.words);
	free(room.strs);
	free(room.offsets);
	return 0;
}

static struct wt_log_column_view only_column(const struct wt_buf *buf, uint16_t id)
{
	struct wt_cursor payload = wt_cursor(buf->data, buf->len);
	struct wt_log_column_view view, none;

	assert_int_equal(wt_log_column_next(&payload, &view), 0);
	assert_int_equal(view.id, id);
	assert_int_equal(wt_log_column_next(&payload, &none), 1);
	return view;
}

/* Any prefix of a column's data must be refused, and so must any more rows than it has. */
static void refuse_all_but_whole(const struct wt_log_column_view *view, uint32_t n)
{
	struct wt_log_column_view cut = *view;

	for (size_t len = 0; len < wt_cur_left(&view->data); len++) {
		cut.data = wt_cursor(view->data.pos, len);
		assert_int_equal(wt_log_get_ints(&cut, n, room.words), -1);
	}
	if (view->width)
		assert_int_equal(wt_log_get_ints(view, n + 1, room.words), -1);
	assert_int_equal(wt_log_get_ints(view, 0, room.words), -1);
}

static void check_ints(const uint64_t *values, uint32_t n, int encoding, int width)
{
	struct wt_buf buf = {0};
	struct wt_log_column_view view;

	wt_log_put_ints(&buf, 9, values, n, room.scratch);
	assert_false(buf.failed);
	view = only_column(&buf, 9);
	if (encoding) {
		assert_int_equal(view.encoding, encoding);
		assert_int_equal(view.width, width);
	}
	assert_int_equal(wt_log_get_ints(&view, n, room.words), 0);
	assert_memory_equal(room.words, values, n * sizeof(*values));
	if (n < 100)
		refuse_all_but_whole(&view, n);
	wt_buf_deinit(&buf);
}

static void every_width_comes_back(void **state)
{
	uint64_t values[64], seed = 5;

	(void)state;
	for (unsigned width = 0; width <= 8; width++) {
		uint64_t mask = width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;

		for (unsigned i = 0; i < 64; i++)
			values[i] = 1000 + (fixture_random(&seed) & mask);
		values[3] = 1000;
		values[4] = 1000 + mask;
		/* the largest step is as wide as the values, or a byte wider: never cheaper */
		check_ints(values, 64, width == 8 ? 0 : WT_DISK_FOR, (int)width);
	}
	check_ints(values, 1, WT_DISK_FOR, 0);
}

static void rising_values_become_deltas(void **state)
{
	uint64_t values[5000], seed = 6;

	(void)state;
	values[0] = UINT64_C(1) << 60;
	for (unsigned i = 1; i < 5000; i++)
		values[i] = values[i - 1] + 70000 + fixture_random(&seed) % 200;
	check_ints(values, 5000, WT_DISK_DELTA, 1);
	for (unsigned i = 0; i < 5000; i++)
		values[i] = 40 - (uint64_t)i * 1000;
	check_ints(values, 5000, WT_DISK_DELTA, 0);
	for (unsigned i = 0; i < 5000; i++)
		values[i] = i % 2 ? UINT64_MAX : 0; /* -1 and 0: narrow when taken as signed */
	check_ints(values, 5000, WT_DISK_FOR, 1);
	for (unsigned i = 0; i < 90; i++)
		values[i] = i % 3 ? (uint64_t)INT64_MIN : INT64_MAX;
	check_ints(values, 90, 0, 0);
}

static void few_wide_values_become_a_dictionary(void **state)
{
	static uint64_t values[WT_DISK_MAX_ROWS];
	uint64_t seed = 7;

	(void)state;
	for (unsigned i = 0; i < WT_DISK_MAX_ROWS; i++)
		values[i] = (fixture_random(&seed) % 200) * UINT64_C(0x123456789abcde);
	check_ints(values, WT_DISK_MAX_ROWS, WT_DISK_DICT, 1);
	check_ints(values, 20, 0, 0);
	for (unsigned i = 0; i < WT_DISK_MAX_ROWS; i++)
		values[i] = (fixture_random(&seed) % 4000) * UINT64_C(0x123456789abcde);
	check_ints(values, WT_DISK_MAX_ROWS, WT_DISK_DICT, 2);
	for (unsigned i = 0; i < WT_DISK_MAX_ROWS; i++)
		values[i] = fixture_random(&seed);
	check_ints(values, WT_DISK_MAX_ROWS, WT_DISK_FOR, 8);
}

/* n items of `distinct` different contents and lengths up to most. */
static void check_items(uint32_t n, uint32_t distinct, uint32_t most, uint32_t least, int encoding)
{
	struct wt_buf bytes = {0}, buf = {0}, store = {0};
	uint64_t *ends = malloc(n * sizeof(*ends));
	struct wt_log_column_view view;
	size_t left = WT_DISK_MAX_ITEMS;
	const uint8_t *got;

	assert_non_null(ends);
	wt_buf_puts(&bytes, "before");
	for (uint32_t i = 0; i < n; i++) {
		uint64_t seed = i * UINT64_C(2654435761) % distinct;

		fixture_put_random(&bytes, &seed,
				   least + (most > least ? fixture_random(&seed) % (most - least) : 0));
		ends[i] = bytes.len;
	}
	wt_log_put_items(&buf, 3, bytes.data, 6, ends, n, room.scratch);
	assert_false(buf.failed);
	view = only_column(&buf, 3);
	assert_int_equal(view.encoding, encoding);
	assert_int_equal(wt_log_get_items(&view, n, room.offsets, &got, &store, &left, &room.get), 0);
	assert_int_equal(room.offsets[n], bytes.len - 6);
	assert_int_equal(left, WT_DISK_MAX_ITEMS - (bytes.len - 6));
	assert_memory_equal(got, bytes.data + 6, bytes.len - 6);
	assert_int_equal(wt_log_get_strs(&view, n, room.strs, &room.get), 0);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(room.offsets[i + 1], ends[i] - 6);
		assert_int_equal(room.strs[i].len, room.offsets[i + 1] - room.offsets[i]);
		assert_memory_equal(room.strs[i].p, got + room.offsets[i], room.strs[i].len);
	}
	left = bytes.len > 7 ? bytes.len - 7 : 0;
	if (bytes.len > 6)
		assert_int_equal(wt_log_get_items(&view, n, room.offsets, &got, &store, &left, &room.get),
				 -1);
	for (size_t len = 0; len < wt_cur_left(&view.data); len += 1 + len / 8) {
		struct wt_log_column_view cut = view;

		cut.data = wt_cursor(view.data.pos, len);
		assert_int_equal(wt_log_get_strs(&cut, n, room.strs, &room.get), -1);
	}
	free(ends);
	wt_buf_deinit(&bytes);
	wt_buf_deinit(&buf);
	wt_buf_deinit(&store);
}

static void items_come_back(void **state)
{
	(void)state;
	check_items(1000, 1000, 16, 16, WT_DISK_FIXED);
	check_items(1000, 1000, 40, 1, WT_DISK_BYTES);
	check_items(1000, 1000, 300, 300, WT_DISK_BYTES);
	check_items(1000, 30, 40, 1, WT_DISK_BYTES_DICT);
	check_items(1000, 30, 300, 300, WT_DISK_BYTES_DICT);
	check_items(1000, 1, 1, 0, WT_DISK_FIXED);
	check_items(1, 1, 5, 5, WT_DISK_FIXED);
	check_items(3, 3, 70000, 1, WT_DISK_BYTES);
}

static void put_column(struct wt_buf *buf, uint8_t encoding, uint8_t width, uint32_t length)
{
	wt_buf_put_u16(buf, 0);
	wt_buf_put_u8(buf, encoding);
	wt_buf_put_u8(buf, width);
	wt_buf_put_u32(buf, length);
}

static void refused(struct wt_buf *buf, uint32_t n)
{
	struct wt_log_column_view view = only_column(buf, 0);
	struct wt_buf store = {0};
	size_t left = WT_DISK_MAX_ITEMS;
	const uint8_t *bytes;

	assert_int_equal(wt_log_get_ints(&view, n, room.words), -1);
	assert_int_equal(wt_log_get_strs(&view, n, room.strs, &room.get), -1);
	assert_int_equal(wt_log_get_items(&view, n, room.offsets, &bytes, &store, &left, &room.get), -1);
	wt_buf_deinit(&store);
	wt_buf_clear(buf);
}

static void malformed_columns_are_refused(void **state)
{
	struct wt_buf buf = {0};
	struct wt_cursor payload;
	struct wt_log_column_view view;

	(void)state;
	put_column(&buf, 0, 0, 0);
	refused(&buf, 1);
	put_column(&buf, 7, 0, 0);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_FOR, 9, 17); /* wider than a word */
	fixture_put_random(&buf, &(uint64_t){1}, 17);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_FOR, 0, 9); /* a byte too many */
	fixture_put_random(&buf, &(uint64_t){1}, 9);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_DICT, 1, 13); /* index 1 of one entry */
	wt_buf_put_u32(&buf, 1);
	wt_buf_put_u64(&buf, 5);
	wt_buf_put_u8(&buf, 1);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_DICT, 0, 4); /* no entry */
	wt_buf_put_u32(&buf, 0);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_DICT, 0, 4); /* more entries than bytes */
	wt_buf_put_u32(&buf, UINT32_MAX);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_BYTES, 0, 8 + 8 + 1); /* length 2, one byte */
	put_column(&buf, WT_DISK_FOR, 0, 8);
	wt_buf_put_u64(&buf, 2);
	wt_buf_put_u8(&buf, 0);
	refused(&buf, 1);
	put_column(&buf, WT_DISK_BYTES, 0, 8 + 8); /* lengths whose sum wraps */
	put_column(&buf, WT_DISK_FOR, 0, 8);
	wt_buf_put_u64(&buf, UINT64_C(1) << 63);
	refused(&buf, 2);
	put_column(&buf, WT_DISK_BYTES_DICT, 0, 4 + 16 + 8); /* index 1 of one entry */
	wt_buf_put_u32(&buf, 1);
	put_column(&buf, WT_DISK_FOR, 0, 8);
	wt_buf_put_u64(&buf, 1);
	put_column(&buf, WT_DISK_FIXED, 0, 0);
	refused(&buf, 3);
	put_column(&buf, WT_DISK_FOR, 0, 100);
	payload = wt_cursor(buf.data, buf.len);
	assert_int_equal(wt_log_column_next(&payload, &view), -1);
	payload = wt_cursor(buf.data, 5);
	assert_int_equal(wt_log_column_next(&payload, &view), -1);
	wt_buf_deinit(&buf);
}

/* A tiny dictionary of long items, named often, must not become unbounded memory. */
static void expansion_is_bounded(void **state)
{
	struct wt_buf buf = {0}, store = {0};
	struct wt_log_column_view view;
	size_t left = WT_DISK_MAX_ITEMS;
	const uint8_t *bytes;

	(void)state;
	put_column(&buf, WT_DISK_BYTES_DICT, 0, 4 + 16 + 8 + 255);
	wt_buf_put_u32(&buf, 1);
	put_column(&buf, WT_DISK_FOR, 0, 8);
	wt_buf_put_u64(&buf, 0);
	put_column(&buf, WT_DISK_FIXED, 255, 255);
	fixture_put_random(&buf, &(uint64_t){1}, 255);
	view = only_column(&buf, 0);
	assert_int_equal(
		wt_log_get_items(&view, WT_DISK_MAX_ROWS, room.offsets, &bytes, &store, &left, &room.get), 0);
	assert_int_equal(
		wt_log_get_items(&view, WT_DISK_MAX_ROWS, room.offsets, &bytes, &store, &left, &room.get),
		-1);
	assert_int_equal(wt_log_get_strs(&view, WT_DISK_MAX_ROWS, room.strs, &room.get), 0);
	wt_buf_deinit(&buf);
	wt_buf_deinit(&store);
}

/* ---- columns that follow others ---- */

enum { SWITCHES = 300 };

/* What switches between few threads say: the thread before is the next one of the event before, and what
 * belongs to a thread was said with it before. */
static void switches(struct wt_log_cols *set)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t seed = 11, prev = 0;

	assert_ok(wt_log_cols_init(set, 5, &err), err);
	for (uint32_t i = 0; i < SWITCHES; i++) {
		uint64_t next = fixture_random(&seed) % 9;

		assert_ok(wt_log_cols_room(set, &err), err);
		set->cols[0].words[i] = 1000 * i;
		set->cols[1].words[i] = i % 40 == 20 ? 4 : prev;
		set->cols[2].words[i] = next * 7;
		set->cols[3].words[i] = next * UINT64_C(0x1111222233334444) + (i > 150 && next == 3);
		set->cols[4].words[i] = UINT64_MAX - set->cols[1].words[i];
		set->n++;
		prev = next * 7;
	}
}

static void put_switches(const struct wt_log_cols *set, struct wt_buf *buf)
{
	room.scratch->keys = calloc(1, sizeof(*room.scratch->keys));
	assert_non_null(room.scratch->keys);
	room.scratch->keys->wanted = true;
	wt_log_cols_put(set, 0, SWITCHES, buf, room.scratch);
	free(room.scratch->keys);
	room.scratch->keys = NULL;
	assert_false(buf->failed);
}

static uint32_t read_switches(const uint8_t *bytes, size_t len, const struct wt_log_cols *set)
{
	struct wt_cursor payload = wt_cursor(bytes, len);
	struct wt_log_column_view view;
	uint32_t following = 0;

	while (wt_log_column_next(&payload, &view) == 0) {
		following |= view.encoding < 32 ? 1u << view.encoding : 0;
		if (wt_log_get_words(&view, SWITCHES, room.words, &room.get))
			return 0;
		if (set)
			assert_memory_equal(room.words, set->cols[view.id].words,
					    SWITCHES * sizeof(*room.words));
	}
	return following;
}

static void following_columns_come_back(void **state)
{
	struct wt_log_cols set;
	struct wt_buf buf = {0}, plain = {0};

	(void)state;
	switches(&set);
	put_switches(&set, &buf);
	wt_log_cols_put(&set, 0, SWITCHES, &plain, room.scratch);
	assert_true(buf.len < plain.len - 2 * SWITCHES);
	assert_int_equal(read_switches(buf.data, buf.len, &set),
			 1u << WT_DISK_DELTA | 1u << WT_DISK_DICT | 1u << WT_DISK_SAME | 1u << WT_DISK_LAST);
	wt_buf_deinit(&buf);
	wt_buf_deinit(&plain);
	wt_log_cols_deinit(&set);
}

/* Alone, in front of what it follows, cut, with any byte changed: refused or read, never beyond its memory.
 */
static void damaged_following_columns_are_refused(void **state)
{
	struct wt_log_cols set;
	struct wt_buf buf = {0};
	struct wt_cursor payload;
	struct wt_log_column_view view;
	uint64_t seed = 13;

	(void)state;
	switches(&set);
	put_switches(&set, &buf);
	payload = wt_cursor(buf.data, buf.len);
	while (wt_log_column_next(&payload, &view) == 0) {
		struct wt_log_column_view cut = view;

		if (view.encoding < WT_DISK_SAME)
			continue;
		cut.before = wt_cursor(buf.data, 0);
		assert_int_equal(wt_log_get_words(&cut, SWITCHES, room.words, &room.get), -1);
		cut = view;
		assert_int_equal(wt_log_get_words(&cut, SWITCHES - 1, room.words, &room.get), -1);
		for (size_t len = 0; len < wt_cur_left(&view.data); len++) {
			cut.data = wt_cursor(view.data.pos, len);
			assert_int_equal(wt_log_get_words(&cut, SWITCHES, room.words, &room.get), -1);
		}
	}
	for (size_t at = 0; at < buf.len; at++) {
		uint8_t was = buf.data[at];

		buf.data[at] = (uint8_t)fixture_random(&seed);
		read_switches(buf.data, buf.len, NULL);
		buf.data[at] = was;
	}
	wt_buf_deinit(&buf);
	wt_log_cols_deinit(&set);
}

/* ---- ticks of a clock ---- */

enum { TICKED = 500 };

/* Times of a clock that steps every `tick` ns, corrected by some tenth of a nanosecond every 64 rows, with a
 * pause after the first half. */
static void ticked(uint64_t *times, double tick, uint64_t *seed)
{
	uint64_t ticks = UINT64_C(1) << 40;

	for (uint32_t i = 0; i < TICKED; i++) {
		ticks += 15 + fixture_random(seed) % 70 + (i == TICKED / 2 ? 40000000 : 0);
		times[i] = (uint64_t)((double)(ticks - (UINT64_C(1) << 40)) * tick + 0.3 * (i / 64)) +
			   (UINT64_C(1) << 50);
	}
}

static bool put_ticked(struct wt_buf *buf, const uint64_t *times, uint32_t n)
{
	bool put;

	room.scratch->keys = calloc(1, sizeof(*room.scratch->keys));
	assert_non_null(room.scratch->keys);
	put = wt_log_put_ticks(buf, 7, times, n, room.scratch);
	free(room.scratch->keys);
	room.scratch->keys = NULL;
	assert_int_equal(put, buf->len != 0);
	return put;
}

static void ticks_come_back(void **state)
{
	static const double lengths[] = {7.03, 10.0, 10.0149, 40.0, 1e9 / 24e6, 52.083};
	struct wt_buf buf = {0};
	uint64_t times[TICKED], seed = 23;

	(void)state;
	for (uint32_t t = 0; t < sizeof(lengths) / sizeof(lengths[0]); t++) {
		struct wt_log_column_view view;

		ticked(times, lengths[t], &seed);
		wt_buf_clear(&buf);
		assert_true(put_ticked(&buf, times, TICKED));
		view = only_column(&buf, 7);
		assert_int_equal(view.encoding, WT_DISK_TICKS);
		assert_int_equal(wt_log_get_words(&view, TICKED, room.words, &room.get), 0);
		assert_memory_equal(room.words, times, sizeof(times));
	}
	wt_buf_deinit(&buf);
}

/* Times without such a clock, too few of them, steps that need no bits: left to the other encodings. */
static void other_times_are_no_ticks(void **state)
{
	uint64_t times[TICKED], seed = 29;
	struct wt_buf buf = {0};

	(void)state;
	ticked(times, 1.0, &seed);
	assert_false(put_ticked(&buf, times, TICKED));
	ticked(times, 10.0, &seed);
	assert_false(put_ticked(&buf, times, 20));
	for (uint32_t i = 0; i < TICKED; i++)
		times[i] = 640 * i;
	assert_false(put_ticked(&buf, times, TICKED));
	for (uint32_t i = 0; i < TICKED; i++)
		times[i] = i ? times[i - 1] + (fixture_random(&seed) >> (1 + fixture_random(&seed) % 60)) /
						      TICKED
			     : 0;
	assert_false(put_ticked(&buf, times, TICKED));
	wt_buf_deinit(&buf);
}

static void damaged_ticks_are_refused(void **state)
{
	struct wt_log_column_view view, cut;
	uint64_t times[TICKED], seed = 31;
	struct wt_buf buf = {0};

	(void)state;
	ticked(times, 10.0149, &seed);
	assert_true(put_ticked(&buf, times, TICKED));
	view = cut = only_column(&buf, 7);
	assert_int_equal(wt_log_get_ints(&view, TICKED, room.words), -1);
	assert_int_equal(wt_log_get_words(&view, TICKED - 1, room.words, &room.get), -1);
	for (size_t len = 0; len < wt_cur_left(&view.data); len++) {
		cut.data = wt_cursor(view.data.pos, len);
		assert_int_equal(wt_log_get_words(&cut, TICKED, room.words, &room.get), -1);
	}
	for (size_t at = 8; at < buf.len; at++) {
		uint8_t was = buf.data[at];

		buf.data[at] = (uint8_t)fixture_random(&seed);
		wt_log_get_words(&view, TICKED, room.words, &room.get);
		buf.data[at] = was;
	}
	wt_buf_deinit(&buf);
}

static const char *const numbered[] = {
	"page 7 of 12",       "page 0 of 4095",      "",          "x",  "007", "1234567890123456789012 9",
	"999999999999999999", "9999999999999999999", "a1b22c333", "00", "0x0"};
enum { NUMBERED = 200, N_NUMBERED = sizeof(numbered) / sizeof(numbered[0]) };

static void put_numbered(struct wt_buf *bytes, uint64_t *ends)
{
	for (uint32_t i = 0; i < NUMBERED; i++) {
		if (i < N_NUMBERED)
			wt_buf_puts(bytes, numbered[i]);
		else
			wt_buf_printf(bytes, "page %u of %u", i * 31, i % 7);
		ends[i] = bytes->len;
	}
}

static void numbered_items_come_back(void **state)
{
	struct wt_buf bytes = {0}, buf = {0}, store = {0};
	size_t left = WT_DISK_MAX_ITEMS;
	struct wt_log_column_view view;
	uint64_t ends[NUMBERED], seed = 17;
	const uint8_t *got;

	(void)state;
	put_numbered(&bytes, ends);
	assert_true(wt_log_put_numbered(&buf, 3, bytes.data, 0, ends, NUMBERED, room.scratch));
	view = only_column(&buf, 3);
	assert_int_equal(view.encoding, WT_DISK_NUMBERED);
	assert_int_equal(wt_log_get_items(&view, NUMBERED, room.offsets, &got, &store, &left, &room.get), 0);
	assert_int_equal(room.offsets[NUMBERED], bytes.len);
	assert_memory_equal(got, bytes.data, bytes.len);
	assert_int_equal(left, WT_DISK_MAX_ITEMS - bytes.len);
	left = bytes.len - 1;
	assert_int_equal(wt_log_get_items(&view, NUMBERED, room.offsets, &got, &store, &left, &room.get), -1);
	assert_int_equal(wt_log_get_strs(&view, NUMBERED, room.strs, &room.get), 0);
	for (uint32_t i = 0; i < NUMBERED; i++)
		assert_int_equal(room.strs[i].len, ends[i] - (i ? ends[i - 1] : 0));
	for (size_t len = 0; len < wt_cur_left(&view.data); len++) {
		struct wt_log_column_view cut = view;

		cut.data = wt_cursor(view.data.pos, len);
		assert_int_equal(wt_log_get_strs(&cut, NUMBERED, room.strs, &room.get), -1);
	}
	for (size_t at = 8; at < buf.len; at++) {
		uint8_t was = buf.data[at];

		buf.data[at] = (uint8_t)fixture_random(&seed);
		wt_log_get_strs(&view, NUMBERED, room.strs, &room.get);
		buf.data[at] = was;
	}
	bytes.data[3] = WT_DISK_GAP;
	wt_buf_clear(&buf);
	assert_false(wt_log_put_numbered(&buf, 3, bytes.data, 0, ends, NUMBERED, room.scratch));
	assert_int_equal(buf.len, 0);
	wt_buf_deinit(&bytes);
	wt_buf_deinit(&buf);
	wt_buf_deinit(&store);
}

static void add_row(struct wt_log_cols *set, uint64_t key, const char *text)
{
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_cols_room(set, &err), err);
	wt_buf_puts(&set->cols[1].bytes, text);
	set->cols[0].words[set->n] = key;
	set->cols[1].words[set->n] = set->cols[1].bytes.len;
	set->cols[2].words[set->n] = set->n;
	set->n++;
}

static void sorting_is_stable(void **state)
{
	struct wt_log_cols set;
	struct wt_err err = WT_ERR_INIT;
	uint64_t seed = 3, start = 0;

	(void)state;
	assert_ok(wt_log_cols_init(&set, 3, &err), err);
	set.cols[1].items = true;
	for (uint32_t i = 0; i < 1000; i++) {
		char text[32];
		uint64_t key = fixture_random(&seed) % 50;

		snprintf(text, sizeof(text), "%u-%u", (unsigned)key, i);
		add_row(&set, key, i % 10 ? text : "");
	}
	assert_ok(wt_log_cols_sort(&set, &err), err);
	for (uint32_t i = 0; i < set.n; i++) {
		const uint64_t *key = set.cols[0].words, *order = set.cols[2].words;
		char text[32];
		size_t len = (size_t)snprintf(text, sizeof(text), "%u-%u", (unsigned)key[i],
					      (unsigned)order[i]);

		len = order[i] % 10 ? len : 0;
		assert_true(i == 0 || key[i - 1] < key[i] ||
			    (key[i - 1] == key[i] && order[i - 1] < order[i]));
		assert_int_equal(set.cols[1].words[i] - start, len);
		assert_memory_equal(set.cols[1].bytes.data + start, text, len);
		start = set.cols[1].words[i];
	}
	wt_log_cols_deinit(&set);
}

static void runs_keep_the_bounds_of_a_block(void **state)
{
	struct wt_log_cols set;
	struct wt_err err = WT_ERR_INIT;
	static char text[100001];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	assert_ok(wt_log_cols_init(&set, 3, &err), err);
	set.cols[1].items = true;
	for (uint32_t i = 0; i < 100; i++)
		add_row(&set, i, text);
	for (uint32_t i = 0; i < 2 * WT_DISK_MAX_ROWS; i++)
		add_row(&set, i, "");
	for (uint32_t from = 0, to, runs = 0; from < set.n; from = to, runs++) {
		to = wt_log_cols_run(&set, from);
		assert_true(to > from && to - from <= WT_DISK_MAX_ROWS);
		if (runs == 0)
			assert_true(to >= 40 && to <= 42);
	}
	wt_log_cols_deinit(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_width_comes_back),
		cmocka_unit_test(rising_values_become_deltas),
		cmocka_unit_test(few_wide_values_become_a_dictionary),
		cmocka_unit_test(items_come_back),
		cmocka_unit_test(malformed_columns_are_refused),
		cmocka_unit_test(expansion_is_bounded),
		cmocka_unit_test(following_columns_come_back),
		cmocka_unit_test(damaged_following_columns_are_refused),
		cmocka_unit_test(ticks_come_back),
		cmocka_unit_test(other_times_are_no_ticks),
		cmocka_unit_test(damaged_ticks_are_refused),
		cmocka_unit_test(numbered_items_come_back),
		cmocka_unit_test(sorting_is_stable),
		cmocka_unit_test(runs_keep_the_bounds_of_a_block),
	};

	return cmocka_run_group_tests(tests, make_room, free_room);
}
