// SPDX-License-Identifier: MIT
#include "tests/unit/extent.h"
#include "tests/unit/tools/view/view_fixture.h"

#include "consumers/export/dump.h"

/* Damaged logs through everything a view does: whatever the reader lets pass must not crash a view, and the
 * rows of a table must add up to what was counted. */

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(seed >> 33) % n;
}

static void check_sums(const struct fixture *fix)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < fix->agg.children.n_roots; i++) {
		uint32_t root = fix->agg.children.roots[i], n;
		const uint32_t *children = wt_view_agg_children(&fix->agg, root, &n);
		uint64_t sum = 0;

		for (uint32_t c = 0; c < n; c++)
			sum += fix->agg.rows.nodes[children[c]].total;
		assert_true(fix->agg.focus != WT_FOCUS_NONE || !fix->agg.rows.nodes[root].self);
		sum += fix->agg.rows.nodes[root].self; /* without the function in focus */
		assert_int_equal(sum, fix->agg.rows.nodes[root].total);
		events += sum;
	}
	assert_int_equal(events, fix->facts.events);
}

/* Every event of a table is in one line. */
static void check_folded(struct fixture *fix)
{
	uint64_t sum = 0;
	char *text, *line, *end;

	if (!wt_view_agg_by_stack(&fix->agg) || fix->agg.children.n_roots > 1 ||
	    fix->agg.focus != WT_FOCUS_NONE)
		return;
	fix->agg.n_shown = 1;
	text = fixture_render(fix, wt_view_folded_out);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		sum += strtoull(strrchr(line, ' ') + 1, NULL, 10);
	}
	assert_int_equal(sum, fix->facts.events);
	free(text);
}

static void dump_all(struct fixture *fix)
{
	struct wt_dump dump = {.file = &fix->file, .stack = true};
	struct wt_log_filter range = {0};
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	struct wt_buf out = {0};
	uint32_t i;

	assert_ok(wt_log_iter_create(fix->log, &range, &iter, &err), err);
	while (!wt_log_iter_next(iter, &batch, &i, &err)) {
		wt_buf_clear(&out);
		assert_ok(wt_dump_text(&dump, batch, i, &out, &err), err);
		assert_ok(wt_dump_json(&dump, batch, i, &out, &err), err);
	}
	wt_log_iter_destroy(iter);
	wt_dump_deinit(&dump);
	wt_buf_deinit(&out);
}

static void view_all(struct fixture *fix, int round)
{
	static const char *const words[] = {"function", "stack", "process", "event", "line", "cpu"};
	static const char *const wheres[] = {NULL, "comm =~ 'c' || cpu > 0", "time < 1s && !self",
					     "stack has 'work' || stack =~ 'r'"};
	struct wt_log_filter range = {0};
	struct wt_err err = WT_ERR_INIT;
	const char *word = words[round % 6], *where = wheres[round / 6 % 4];

	fix->agg.order = round / 24 % 2 ? WT_ORDER_LEAF : WT_ORDER_ROOT;
	fix->agg.focus = round / 48 % 3;
	fix->agg.focus_name = "work";

	assert_ok(wt_view_agg_add_key(&fix->agg, word, &err), err);
	assert_ok(wt_view_agg_add_column(&fix->agg, "count", &err), err);
	assert_ok(wt_view_agg_add_column(&fix->agg, "unique:pid", &err), err);
	if (wt_view_key_is_code(&fix->agg.keys[0]))
		assert_ok(wt_view_agg_add_column(&fix->agg, "inclusive", &err), err);
	assert_ok(wt_view_agg_set_sort(&fix->agg, "first", &err), err);
	if (where)
		assert_ok(wt_view_filter_where(&fix->filter, where, NULL, &err), err);
	assert_ok(wt_view_facts_read(&fix->facts, &err), err);
	assert_ok(wt_log_scan(fix->log, &range, fixture_batch, fix, &err), err);
	if (wt_view_agg_finish(&fix->agg, &err)) {
		/* the function's name or all its events may be among what was damaged */
		assert_int_equal(err.code, WT_ERR_USAGE);
		assert_true(wt_view_agg_by_stack(&fix->agg) && fix->agg.focus != WT_FOCUS_NONE);
		return;
	}
	check_sums(fix);
	free(fixture_render(fix, wt_view_text_out));
	free(fixture_render(fix, wt_view_json_out));
	free(fixture_render(fix, wt_view_csv_out));
	check_folded(fix);
	dump_all(fix);
}

/* Opens the damaged bytes; false when the reader refuses them, which it may. */
static bool open_damaged(struct fixture *fix, const uint8_t *bytes, size_t len)
{
	struct wt_view_options options = {0};
	struct wt_err err = WT_ERR_INIT;

	*fix = (struct fixture){.fd = memfd_create("damaged", MFD_CLOEXEC)};
	assert_int_equal(write(fix->fd, bytes, len), len);
	if (wt_log_open_fd(dup(fix->fd), "damaged", &fix->log, &err)) {
		assert_true(err.text[0]);
		close(fix->fd);
		return false;
	}
	assert_ok(wt_view_file_init(&fix->file, fix->log, &options, &err), err);
	fix->filter.file = fix->agg.file = &fix->file;
	fix->agg.filter = &fix->filter;
	wt_view_facts_init(&fix->facts, &fix->file);
	fix->show = (struct wt_view_show){.path = "damaged", .agg = &fix->agg, .facts = &fix->facts};
	return true;
}

static void close_damaged(struct fixture *fix)
{
	wt_view_agg_deinit(&fix->agg);
	wt_view_facts_deinit(&fix->facts);
	wt_view_filter_deinit(&fix->filter);
	wt_view_file_deinit(&fix->file);
	wt_log_close(fix->log);
	close(fix->fd);
}

static uint8_t *whole_log(size_t *len)
{
	struct fixture fix;
	uint8_t *bytes;

	fixture_setup(&fix);
	*len = (size_t)lseek(fix.fd, 0, SEEK_END);
	bytes = malloc(*len);
	assert_int_equal(pread(fix.fd, bytes, *len, 0), *len);
	fixture_close(&fix);
	return bytes;
}

static void damaged_bytes(void **state)
{
	size_t len;
	uint8_t *whole = whole_log(&len), *bytes = malloc(len);
	int opened = 0, rounds = 600 / (int)extent_step(4);

	(void)state;
	for (int round = 0; round < rounds; round++) {
		struct fixture fix;

		memcpy(bytes, whole, len);
		for (uint32_t n = 1 + below(4); n--;)
			bytes[below((uint32_t)len)] = (uint8_t)below(256);
		if (!open_damaged(&fix, bytes, len))
			continue;
		opened++;
		view_all(&fix, round);
		close_damaged(&fix);
	}
	assert_true(opened > rounds / 2);
	free(bytes);
	free(whole);
}

static void cut_anywhere(void **state)
{
	size_t len;
	uint8_t *whole = whole_log(&len);
	size_t step = 13 * extent_step(3), cuts = 0, opened = 0;

	(void)state;
	for (size_t cut = 0; cut < len; cut += step, cuts++) {
		struct fixture fix;

		if (!open_damaged(&fix, whole, cut))
			continue;
		opened++;
		view_all(&fix, (int)cuts);
		assert_true(wt_view_facts_lossy(&fix.facts));
		close_damaged(&fix);
	}
	assert_true(opened > cuts / 4);
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_bytes),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
