/* SPDX-License-Identifier: MIT */
#include "tests/unit/tools/view/view_fixture.h"

#include "consumers/analysis/missing.h"
#include "consumers/analysis/remedy.h"

enum { APP = 1, APP_AGAIN, LIBX, LIBC, CUT, APP_CUT, KERNEL, WHOLE, FREE_CODE, N_STACKS = FREE_CODE };

/* Frames: 0 app without a name, 1 the same elsewhere, 2 libx without, 3 libc with, 4 kernel without, 5 code
 * of libc no symbol covers. */
static void write_code(struct fixture *fix)
{
	static const struct wt_log_frame frames[] = {{1, 0x100}, {1, 0x200}, {2, 0x300},
						     {4, 0x400}, {3, 0x600}, {4, 0x700}};
	static const struct wt_log_stack stacks[] = {{0, 0, false, WT_STACK_COMPLETE},
						     {APP, 1, false, WT_STACK_COMPLETE},
						     {APP_AGAIN, 2, false, WT_STACK_COMPLETE},
						     {APP_AGAIN, 3, false, WT_STACK_COMPLETE},
						     {0, 3, false, WT_STACK_NO_DATA},
						     {CUT, 0, false, WT_STACK_NO_DATA},
						     {APP, 4, true, WT_STACK_FP},
						     {0, 3, false, WT_STACK_COMPLETE},
						     {0, 5, false, WT_STACK_COMPLETE}};
	const struct wt_log_image images[] = {
		{0},
		{.kind = WT_IMAGE_FILE, .build_id = {"\x12\x34\x56", 3}, .path = wt_str("/usr/bin/app")},
		{.kind = WT_IMAGE_FILE, .path = wt_str("/usr/lib/libx.so")},
		{.kind = WT_IMAGE_KERNEL, .path = wt_str("[kernel.kallsyms]")},
		{.kind = WT_IMAGE_FILE, .path = wt_str("/usr/lib/libc.so.6")}};
	struct wt_err err = WT_ERR_INIT;

	fixture_process(fix, 0, 0, "?");
	fixture_process(fix, 100, FIXTURE_START + 10, "app");
	fixture_process(fix, 7, FIXTURE_START + 5, "wtrace");
	fixture_thread(fix, 0, 0, 0, "?");
	fixture_thread(fix, 1, 100, FIXTURE_START + 10, "app");
	fixture_thread(fix, 1, 101, FIXTURE_START + 11, "app");
	fixture_thread(fix, 2, 7, FIXTURE_START + 5, "wtrace");
	for (int i = 0; i < 5; i++)
		assert_ok(wt_log_put_image(fix->writer, &images[i], &err), err);
	for (int i = 0; i < 6; i++)
		assert_ok(wt_log_put_frame(fix->writer, &frames[i], &err), err);
	for (int i = 0; i < N_STACKS; i++)
		assert_ok(wt_log_put_stack(fix->writer, &stacks[i], &err), err);
}

static void write_symbols(struct fixture *fix, uint32_t segment)
{
	const struct wt_log_symbol rows[] = {
		{.reason = WT_UNRESOLVED_STRIPPED},   {.reason = WT_UNRESOLVED_STRIPPED},
		{.reason = WT_UNRESOLVED_NO_SYMBOLS}, {.name = wt_str("malloc")},
		{.reason = WT_UNRESOLVED_KPTR},       {.reason = WT_UNRESOLVED_NO_MATCH}};
	struct wt_err err = WT_ERR_INIT;

	assert_ok(wt_log_put_symbols(fix->writer, segment, 0, rows, 6, &err), err);
}

static void write_package(struct fixture *fix, const char *path, const char *package, const char *source,
			  const char *system)
{
	const char *const texts[] = {path, package, "1:2.3-4", "amd64", source, system};
	struct wt_buf payload = {0};

	for (size_t i = 0; i < 6; i++)
		wt_buf_put_counted(&payload, texts[i], strlen(texts[i]));
	fixture_put(fix, wt_kinds_find(&fix->kinds, "wtrace", "package"), 0, 0, WT_CPU_NONE, &payload);
	wt_buf_deinit(&payload);
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct {
		struct fixture *fix;
		struct wt_view_missing *missing;
	} *both = ctx;

	if (fixture_batch(both->fix, batch, err))
		return -1;
	return wt_view_missing_tally(both->missing, batch, both->fix->agg.leaves, err);
}

/** Two segments with the same stacks and half of the samples each. */
static void setup(struct fixture *fix, struct wt_view_missing *missing, const char *where)
{
	static const struct {
		uint32_t stack, n;
	} samples[] = {{LIBX, 5},    {LIBC, 3},   {APP_AGAIN, 2}, {CUT, 4},
		       {APP_CUT, 1}, {KERNEL, 6}, {WHOLE, 10},    {FREE_CODE, 50}};
	struct {
		struct fixture *fix;
		struct wt_view_missing *missing;
	} both = {fix, missing};
	struct wt_log_filter range = {.want = wt_view_select_want, .ctx = &fix->select};
	struct wt_err err = WT_ERR_INIT;

	fixture_begin(fix);
	for (int segment = 0; segment < 2; segment++) {
		if (segment)
			fixture_next_segment(fix);
		write_code(fix);
		for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
			fixture_sample(fix, 1 + segment, samples[i].stack, 0, samples[i].n);
		fixture_sample(fix, FIXTURE_SELF, LIBX, 0, 2);
	}
	write_package(fix, "/usr/bin/app", "app", "app-src", "debian bookworm");
	write_package(fix, "/usr/lib/libx.so", "libpython3.11", "python3.11", "debian bookworm");
	assert_ok(wt_log_flush(fix->writer, NULL, 0, &err), err);
	write_symbols(fix, 0);
	write_symbols(fix, 1);
	assert_ok(wt_log_finish(fix->writer, &err), err);
	fixture_open(fix);
	wt_view_missing_init(missing, &fix->file);
	assert_ok(wt_view_agg_add_key(&fix->agg, "function", &err), err);
	assert_ok(wt_view_agg_add_column(&fix->agg, "count", &err), err);
	assert_ok(wt_view_agg_set_sort(&fix->agg, "count", &err), err);
	if (where)
		assert_ok(wt_view_filter_where(&fix->filter, where, NULL, &err), err);
	assert_ok(wt_view_facts_read(&fix->facts, &err), err);
	assert_ok(wt_log_scan(fix->log, &range, on_batch, &both, &err), err);
	assert_ok(wt_view_agg_finish(&fix->agg, &err), err);
	assert_ok(wt_view_missing_finish(missing, &err), err);
}

static void teardown(struct fixture *fix, struct wt_view_missing *missing)
{
	wt_view_missing_deinit(missing);
	fixture_close(fix);
}

static void check_row(const struct wt_view_missing *missing, uint32_t i, const char *module,
		      uint64_t affected, uint64_t exclusive, uint64_t inclusive, uint64_t cut)
{
	const struct wt_view_lack *lack = &missing->lacks[i];

	assert_string_equal(wt_strings_get(&missing->file->texts, lack->module, NULL), module);
	assert_int_equal(lack->affected, affected);
	assert_int_equal(lack->exclusive, exclusive);
	assert_int_equal(lack->inclusive, inclusive);
	assert_int_equal(lack->cut, cut);
}

static void modules_by_what_would_help(void **state)
{
	struct wt_view_missing missing;
	struct fixture fix;

	(void)state;
	setup(&fix, &missing, NULL);
	assert_int_equal(missing.keys.count, 4);
	assert_int_equal(missing.modules.count, 4);
	assert_int_equal(missing.events, 162);
	assert_int_equal(missing.affected, 2 * (5 + 3 + 2 + 4 + 1 + 6 + 50));
	/* A module that is twice in a stack counts once. */
	check_row(&missing, 0, "/usr/bin/app", 34, 6, 34, 0);
	check_row(&missing, 1, "[kernel]", 12, 12, 12, 0);
	check_row(&missing, 3, "/usr/lib/libx.so", 10, 10, 10, 0);
	assert_int_equal(missing.lacks[0].reasons[WT_UNRESOLVED_STRIPPED], 34);
	assert_int_equal(missing.lacks[1].reasons[WT_UNRESOLVED_KPTR], 12);
	teardown(&fix, &missing);
}

/** libc has code no symbol covers, which nothing brings, and stacks that end in it. */
static void only_what_helps_counts_for_the_order(void **state)
{
	struct wt_view_missing missing;
	struct fixture fix;

	(void)state;
	setup(&fix, &missing, NULL);
	check_row(&missing, 2, "/usr/lib/libc.so.6", 110, 100, 100, 10);
	assert_int_equal(missing.lacks[2].cuts[WT_STACK_NO_DATA], 10);
	teardown(&fix, &missing);
}

static void filters_hold(void **state)
{
	struct wt_view_missing missing;
	struct fixture fix;

	(void)state;
	setup(&fix, &missing, "tid == 100");
	check_row(&missing, 0, "/usr/bin/app", 17, 3, 17, 0);
	teardown(&fix, &missing);
}

static void check_remedy(const struct wt_view_missing *missing, uint32_t row, unsigned i, const char *want,
			 bool debuginfod)
{
	struct wt_view_remedies remedies;
	struct wt_buf text = {0};
	enum wt_view_remedy what;

	wt_view_remedies_init(&remedies, missing);
	remedies.debuginfod = debuginfod;
	if (want) {
		assert_true(wt_view_remedy(&remedies, &missing->lacks[row], i, &what, &text));
		assert_string_equal(wt_buf_cstr(&text), want);
	} else {
		assert_false(wt_view_remedy(&remedies, &missing->lacks[row], i, &what, &text));
	}
	wt_buf_deinit(&text);
}

static void remedies_are_commands(void **state)
{
	struct wt_view_missing missing;
	struct wt_buf text = {0};
	struct wt_view_remedies remedies;
	struct fixture fix;

	(void)state;
	setup(&fix, &missing, NULL);
	check_remedy(&missing, 0, 0, "apt install app-dbgsym=1:2.3-4", false);
	check_remedy(&missing, 0, 1, NULL, false);
	check_remedy(
		&missing, 0, 1,
		"install -D \"$(debuginfod-find debuginfo 123456)\" /usr/lib/debug/.build-id/12/3456.debug",
		true);
	check_remedy(&missing, 1, 0, "record as root, or with kernel.kptr_restrict=0 (sysctl)", true);
	/* Some sources have a package of their own for it, which is where all others are. */
	check_remedy(&missing, 3, 0, "apt install python3.11-dbg=1:2.3-4", true);
	check_remedy(&missing, 3, 1, NULL, true);
	check_remedy(&missing, 2, 0,
		     "build it with -fasynchronous-unwind-tables and keep .eh_frame, or with "
		     "-fno-omit-frame-pointer",
		     true);
	missing.lacks[0].cuts[WT_STACK_NO_DATA] = 1;
	check_remedy(&missing, 0, 1, NULL, false);
	wt_view_remedies_init(&remedies, &missing);
	assert_true(wt_view_remedy_archive(&remedies, &missing.lacks[0], &text));
	assert_string_equal(wt_buf_cstr(&text), "deb http://deb.debian.org/debian-debug bookworm-debug main");
	wt_buf_clear(&text);
	for (uint32_t i = 1; i < 4; i++)
		assert_false(wt_view_remedy_archive(&remedies, &missing.lacks[i], &text));
	assert_true(wt_view_remedy_session(&fix.facts, 0, &text));
	assert_string_equal(wt_buf_cstr(&text), "12 stacks were walked by frame pointers, which little code "
						"keeps: record with --unwind=tables");
	assert_false(wt_view_remedy_session(&fix.facts, 1, &text));
	/* Another build is on the disk: its package is of another version. */
	missing.lacks[0].reasons[WT_UNRESOLVED_BUILD_ID] = 1;
	check_remedy(&missing, 0, 0, "apt install app-dbgsym", false);
	wt_buf_deinit(&text);
	teardown(&fix, &missing);
}

static struct wt_view_missing *shown;

static int text_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	return wt_view_missing_text_out(show, shown, out, err);
}

static int json_out(const struct wt_view_show *show, struct wt_out *out, struct wt_err *err)
{
	return wt_view_missing_json_out(show, shown, out, err);
}

static void shown_as_text_and_json(void **state)
{
	struct wt_view_missing missing;
	struct fixture fix;
	char *text;

	(void)state;
	setup(&fix, &missing, NULL);
	shown = &missing;
	fix.show.top = 1;
	text = fixture_render(&fix, text_out);
	assert_non_null(strstr(text, "          34   20.99          6         34        0  /usr/bin/app\n"
				     "        no exported symbol there (34)\n"
				     "        $ apt install app-dbgsym=1:2.3-4\n"));
	assert_non_null(strstr(
		text, " 87.65%       142  of 162 stacks lack a name or callers; 1 of 4 modules shown\n"));
	assert_non_null(strstr(text, "debian-debug bookworm-debug main\n"));
	assert_null(strstr(text, "libx.so"));
	free(text);
	text = fixture_render(&fix, json_out);
	assert_non_null(strstr(
		text, "\"missing\":{\"stacks\":162,\"affected\":142,\"modules\":4,\"rows\":[{\"module\":"
		      "\"/usr/bin/app\",\"build_id\":\"123456\",\"affected\":34,\"exclusive\":6,"
		      "\"inclusive\":34,\"cut_off\":0,\"names\":{\"no exported symbol there\":34},"
		      "\"stacks\":{},\"package\":\"app\",\"version\":\"1:2.3-4\""));
	assert_non_null(strstr(text, "],\"rows_not_shown\":3,\"advice\":[\"12 stacks were walked"));
	free(text);
	teardown(&fix, &missing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_by_what_would_help),
		cmocka_unit_test(only_what_helps_counts_for_the_order),
		cmocka_unit_test(filters_hold),
		cmocka_unit_test(remedies_are_commands),
		cmocka_unit_test(shown_as_text_and_json),
	};

	/* What is installed here is no matter. */
	setenv("PATH", "/nonexistent", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
