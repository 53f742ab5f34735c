// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

#include "consumers/analysis/counter.h"

enum { ROUNDS = 60, DAMAGED = 5 };

/* What one view asks for, and how it is counted. */
struct plan {
	struct wt_log_reader *log;
	const char *keys[8], *columns[8], *where;
	enum wt_view_select_mode mode;
	bool one_table;
	enum wt_view_order order;
	const char *callers_of, *callees_of;
	uint32_t threads, most_pairs, thread_rows; /* 0: as the command has them */
};

/* Two segments of many blocks: samples with stacks, two processes of one pid, fields of all forms. */
static void write_ranged(struct fixture *fix, uint32_t ranged)
{
	struct wt_err err = WT_ERR_INIT;

	fixture_begin_ranged(fix, ranged);
	for (int segment = 0; segment < 2; segment++) {
		if (segment)
			fixture_next_segment(fix);
		fixture_rows(fix, FIXTURE_START + (segment ? 500000 : 20));
		for (uint32_t i = 0; i < ROUNDS; i++) {
			char path[16];

			snprintf(path, sizeof(path), "/f%u", i * 7 % 31);
			fixture_sample(fix, FIXTURE_MAKE + i % 3, 1 + i * 5 % 8, i % 4 == 3, 1 + i % 5);
			for (uint32_t n = 0; n < 3 + i % 7; n++)
				fixture_io(fix, (uint64_t)(i * n) % 97 * 1000, (uint8_t)(i + n) % 4, path,
					   (int32_t)(i - 3 * n), i / 3.0);
			assert_ok(wt_log_flush(fix->writer, NULL, 0, &err), err);
		}
	}
	fixture_finish(fix);
}

static void write_many(struct fixture *fix)
{
	write_ranged(fix, 0);
}

static int prepare(void *ctx, struct wt_view_counter *counter, struct wt_err *err)
{
	const struct plan *plan = ctx;
	struct wt_view_options options = {0};

	if (wt_view_file_init(&counter->file, plan->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	counter->select.mode = plan->mode;
	counter->agg.all_one_table = plan->one_table;
	counter->agg.order = plan->order;
	counter->agg.focus = plan->callers_of   ? WT_FOCUS_CALLERS
			     : plan->callees_of ? WT_FOCUS_CALLEES
						: WT_FOCUS_NONE;
	counter->agg.focus_name = plan->callers_of ? plan->callers_of : plan->callees_of;
	if (plan->most_pairs)
		counter->most_pairs = plan->most_pairs;
	if (plan->thread_rows)
		counter->thread_rows = plan->thread_rows;
	for (int i = 0; plan->keys[i]; i++)
		if (wt_view_agg_add_key(&counter->agg, plan->keys[i], err))
			return -1;
	for (int i = 0; plan->columns[i]; i++)
		if (wt_view_agg_add_column(&counter->agg, plan->columns[i], err))
			return -1;
	if (plan->where && wt_view_filter_where(&counter->filter, plan->where, NULL, err))
		return -1;
	return wt_view_agg_set_sort(&counter->agg, "count", err);
}

/* The whole view as text and as JSON; how many passes and blocks it took. */
static char *view(const struct fixture *fix, struct plan plan, uint32_t *passes,
		  struct wt_log_scanned *scanned)
{
	struct wt_view_counter counter = {0};
	struct wt_view_crew crew = {.threads = plan.threads, .prepare = prepare, .ctx = &plan};
	struct wt_view_show show = {.path = "x", .agg = &counter.agg, .facts = &counter.facts};
	struct wt_err err = WT_ERR_INIT;
	char *text = NULL;
	size_t len;
	struct wt_out out = {.stream = open_memstream(&text, &len)};

	assert_non_null(out.stream);
	assert_ok(wt_log_open_fd(dup(fix->fd), "test", &plan.log, &err), err);
	assert_ok(prepare(&plan, &counter, &err), err);
	assert_ok(wt_view_count(&counter, &crew, &err), err);
	assert_ok(wt_view_agg_finish(&counter.agg, &err), err);
	wt_view_facts_sort_ends(&counter.facts);
	assert_ok(wt_view_text_out(&show, &out, &err), err);
	assert_ok(wt_view_json_out(&show, &out, &err), err);
	assert_ok(wt_out_end(&out, &err), err);
	fclose(out.stream);
	*passes = counter.passes;
	*scanned = counter.scanned;
	wt_view_counter_deinit(&counter);
	wt_log_close(plan.log);
	return text;
}

static void same_however_counted(const struct fixture *fix, struct plan plan)
{
	struct wt_log_scanned whole, parts;
	uint32_t passes;
	char *one, *other;

	plan.threads = 1;
	one = view(fix, plan, &passes, &whole);
	assert_int_equal(passes, 0);
	assert_non_null(strstr(one, "\"tables\""));
	for (plan.threads = 1; plan.threads <= 5; plan.threads++) {
		for (plan.thread_rows = 0; plan.thread_rows <= 9; plan.thread_rows += 3) {
			other = view(fix, plan, &passes, &parts);
			assert_string_equal(other, one);
			assert_int_equal(parts.blocks, whole.blocks);
			assert_int_equal(parts.skipped, whole.skipped);
			assert_int_equal(parts.columns, whole.columns);
			free(other);
		}
	}
	free(one);
}

static const struct plan plans[] = {
	{.keys = {"process", "function"},
	 .columns = {"count", "overhead", "weight"},
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"module", "thread", "cpu"},
	 .columns = {"count", "first", "last"},
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"line"}, .columns = {"unique:pid", "unique:process", "count"}, .mode = WT_SELECT_SAMPLES},
	{.keys = {"event", "pid"}, .columns = {"count"}, .one_table = true},
	{.keys = {"path", "op"},
	 .columns = {"count", "sum:bytes", "min:delta", "max:at", "unique:bytes", "p50:bytes"},
	 .where = "delta < 40 && op != 'read'"},
	{.keys = {"bytes"}, .columns = {"count", "p99:delta", "unique:path", "p50:ratio"}},
	{.keys = {"stack_status", "time:5ms"}, .columns = {"count", "avg:delta"}},
	{.keys = {"path"}, .columns = {"count", "sum:ratio"}},
	{.keys = {"process", "stack"}, .columns = {"count"}, .mode = WT_SELECT_SAMPLES},
	{.keys = {"stack"},
	 .columns = {"count", "first", "p50:period", "unique:tid"},
	 .order = WT_ORDER_LEAF,
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"cpu", "stack"},
	 .columns = {"count", "weight"},
	 .callers_of = "leaf",
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"thread", "stack"},
	 .columns = {"count", "last"},
	 .callees_of = "work",
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"function"},
	 .columns = {"inclusive", "overhead-inclusive", "count"},
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"module", "cpu", "function", "process", "line"},
	 .columns = {"inclusive", "count", "unique:tid"},
	 .mode = WT_SELECT_SAMPLES},
	{.keys = {"pid", "stack"}, .columns = {"count"}, .one_table = true},
};

static void threads_do_not_change_a_byte(void **state)
{
	struct fixture fix;

	(void)state;
	write_many(&fix);
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		same_however_counted(&fix, plans[i]);
	close(fix.fd);
	wt_log_writer_destroy(fix.writer);
	wt_kinds_deinit(&fix.kinds);
}

/* The payloads of some blocks in the middle. */
static void damage(const struct fixture *fix)
{
	off_t size = lseek(fix->fd, 0, SEEK_END);

	for (int i = 0; i < DAMAGED; i++) {
		off_t at = size / 4 + size / 2 / DAMAGED * i;
		uint8_t byte;

		assert_int_equal(pread(fix->fd, &byte, 1, at), 1);
		byte ^= 0x55;
		assert_int_equal(pwrite(fix->fd, &byte, 1, at), 1);
	}
}

static void nor_does_damage(void **state)
{
	struct fixture fix;

	(void)state;
	write_many(&fix);
	damage(&fix);
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		same_however_counted(&fix, plans[i]);
	close(fix.fd);
	wt_log_writer_destroy(fix.writer);
	wt_kinds_deinit(&fix.kinds);
}

/* The most passes it took. */
static uint32_t same_in_passes(const struct fixture *fix, struct plan plan)
{
	struct wt_log_scanned scanned;
	uint32_t passes, most = 0;
	char *whole;

	plan.threads = 1;
	whole = view(fix, plan, &passes, &scanned);
	assert_int_equal(passes, 0);
	for (plan.most_pairs = 4000; plan.most_pairs >= 30; plan.most_pairs /= 2) {
		for (plan.threads = 1; plan.threads <= 3; plan.threads++) {
			char *parts = view(fix, plan, &passes, &scanned);

			assert_string_equal(parts, whole);
			free(parts);
		}
		most = passes > most ? passes : most;
	}
	free(whole);
	return most;
}

static void passes_give_what_one_gives(void **state)
{
	const struct plan fields = {.keys = {"path", "op"},
				    .columns = {"count", "unique:bytes", "p50:delta", "p99:ratio",
						"unique:at", "p50:at", "p99:delta"}};
	/* Samples have no bytes. */
	const struct plan absent = {
		.keys = {"event", "time:2ms"},
		.columns = {"unique:bytes", "p99:bytes", "unique:path", "p50:bytes", "unique:time:1ms"},
		.one_table = true};
	struct fixture fix;

	(void)state;
	write_many(&fix);
	assert_true(same_in_passes(&fix, fields) > 2);
	assert_true(same_in_passes(&fix, absent) > 2);
	close(fix.fd);
	wt_log_writer_destroy(fix.writer);
	wt_kinds_deinit(&fix.kinds);
}

/* Blocks of other kinds are left out by their headers, columns nobody names are not decoded. */
static void only_what_is_named_is_read(void **state)
{
	struct plan plan = {
		.keys = {"path"}, .columns = {"count"}, .where = "delta > 0 || cpu >= 0", .threads = 1};
	struct wt_log_scanned all, some;
	struct fixture fix;
	uint32_t passes;

	(void)state;
	write_many(&fix);
	free(view(&fix, plan, &passes, &all));
	assert_int_equal(all.skipped, 0);
	/* path and delta of io; source of the samples */
	assert_int_equal(all.blocks, 4 * ROUNDS);
	assert_int_equal(all.columns, 2 * ROUNDS * (2 + 1));
	plan = (struct plan){.keys = {"cpu"}, .columns = {"count"}, .mode = WT_SELECT_SAMPLES, .threads = 1};
	free(view(&fix, plan, &passes, &some));
	assert_int_equal(some.blocks, 2 * ROUNDS);
	assert_int_equal(some.skipped, 2 * ROUNDS);
	assert_int_equal(some.columns, 2 * ROUNDS);
	close(fix.fd);
	wt_log_writer_destroy(fix.writer);
	wt_kinds_deinit(&fix.kinds);
}

/* Without what is each file's own: its size and when it was made. */
static void same_tables(const char *a, const char *b)
{
	const char *end_a = strstr(a, "\n{"), *end_b = strstr(b, "\n{");

	a = strstr(a, "\nlost ");
	b = strstr(b, "\nlost ");
	assert_true(a && b && end_a && end_b);
	assert_int_equal(end_a - a, end_b - b);
	assert_memory_equal(a, b, end_a - a);
	assert_string_equal(strstr(end_a, "\"tables\":"), strstr(end_b, "\"tables\":"));
}

static bool may(void *ctx, const struct wt_log_outline *outline)
{
	return wt_view_filter_may(ctx, outline);
}

/* Events that pass, one by one as dump takes them; how many blocks were left out. */
static uint64_t dumped(const struct fixture *fix, const char *where, bool by_ranges, uint64_t *skipped)
{
	struct wt_view_options options = {0};
	struct wt_view_file file;
	struct wt_view_filter filter = {.file = &file};
	struct wt_log_scanned scanned = {0};
	struct wt_log_filter range = {.may = by_ranges ? may : NULL, .ctx = &filter, .scanned = &scanned};
	struct wt_err err = WT_ERR_INIT;
	const struct wt_log_batch *batch;
	struct wt_log_reader *log;
	struct wt_log_iter *iter;
	uint64_t sum = 0;
	uint32_t i;

	assert_ok(wt_log_open_fd(dup(fix->fd), "test", &log, &err), err);
	assert_ok(wt_view_file_init(&file, log, &options, &err), err);
	assert_ok(wt_view_filter_where(&filter, where, NULL, &err), err);
	assert_ok(wt_log_iter_create(log, &range, &iter, &err), err);
	while (!wt_log_iter_next(iter, &batch, &i, &err)) {
		uint8_t pass;

		assert_ok(wt_view_filter_one(&filter, batch, i, &pass, &err), err);
		sum += pass ? 1 + batch->time[i] * 31 : 0;
	}
	wt_log_iter_destroy(iter);
	wt_view_filter_deinit(&filter);
	wt_view_file_deinit(&file);
	wt_log_close(log);
	*skipped = scanned.skipped;
	return sum;
}

static void events_one_by_one_are_the_same(const struct fixture *fix, const char *where, bool skips)
{
	uint64_t some, none, sum = dumped(fix, where, true, &some);

	assert_true(sum == dumped(fix, where, false, &none));
	assert_int_equal(none, 0);
	assert_int_equal(some > 0, skips);
}

/* Blocks whose values cannot pass are not read, and nothing of the view changes. */
static void what_blocks_say_changes_no_byte(void **state)
{
	static const struct {
		const char *where;
		bool skips;
	} tries[] = {
		{"bytes > 90000", true},
		{"bytes >= 0", true}, /* samples have none */
		{"delta < -20 || bytes == 7000", true},
		{"!(delta >= -20) && op != 'read'", true},
		{"delta > 1000000", true},
		{"!(bytes > 5000)", false},
		{"ratio > 19", true}, /* samples have none; of floats nothing is said */
		{"path == '/f7' || cpu >= 0", false},
		{"at > 1ms || bytes < 1", true},
		{"time > 100ms", true},
		{"cpu == 77", true},
	};
	struct wt_log_scanned plain, ranged;
	struct fixture with, without;
	uint32_t passes;

	(void)state;
	write_ranged(&with, 1);
	write_many(&without);
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		struct plan plan = {.keys = {"event", "path"},
				    .columns = {"count", "sum:bytes", "min:delta", "first"},
				    .where = tries[i].where,
				    .one_table = true,
				    .threads = 1 + i % 2};
		char *a = view(&without, plan, &passes, &plain), *b = view(&with, plan, &passes, &ranged);

		same_tables(a, b);
		assert_int_equal(ranged.skipped > 0, tries[i].skips);
		assert_true(ranged.skipped >= plain.skipped);
		events_one_by_one_are_the_same(&with, tries[i].where, tries[i].skips);
		assert_int_equal(ranged.skipped + ranged.blocks, plain.skipped + plain.blocks);
		free(a);
		free(b);
	}
	close(with.fd);
	wt_log_writer_destroy(with.writer);
	wt_kinds_deinit(&with.kinds);
	close(without.fd);
	wt_log_writer_destroy(without.writer);
	wt_kinds_deinit(&without.kinds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_do_not_change_a_byte),
		cmocka_unit_test(nor_does_damage),
		cmocka_unit_test(passes_give_what_one_gives),
		cmocka_unit_test(only_what_is_named_is_read),
		cmocka_unit_test(what_blocks_say_changes_no_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
