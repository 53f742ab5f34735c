// SPDX-License-Identifier: MIT
#include "tests/unit/tools/view/view_fixture.h"

/* Stacks written as words, "a;b;c" from the outermost frame to the innermost: each letter is a function of
 * its own in prog, upper case in libc, digits in the kernel. A segment gets the rows it needs and no others,
 * so that ids differ between segments. */

enum { LETTERS = 128 };

struct words {
	struct fixture fix;
	uint32_t frame_of[LETTERS], n_frames, n_stacks;
	char letters[LETTERS];
	struct {
		uint32_t caller;
		char letter;
	} rows[8192];
};

static void begin_segment(struct words *w)
{
	static const char *const names[] = {"?", "make", "cc1", "wtrace"};

	for (uint32_t i = 0; i < 4; i++) {
		fixture_process(&w->fix, i ? 99 + i : 0, i ? FIXTURE_START + i : 0, names[i]);
		fixture_thread(&w->fix, i, i ? 99 + i : 0, i ? FIXTURE_START + i : 0, names[i]);
	}
	fixture_images(&w->fix);
	memset(w->frame_of, 0xff, sizeof(w->frame_of));
	w->n_frames = w->n_stacks = 0;
}

static uint32_t frame_of(struct words *w, char letter)
{
	struct wt_err err = WT_ERR_INIT;
	uint32_t *id = &w->frame_of[(unsigned char)letter % LETTERS];
	uint32_t image = letter >= 'a' ? 1 : letter >= 'A' ? 2 : letter == '?' ? 0 : 3;
	struct wt_log_frame row = {.image = image, .offset = (uint64_t)letter << 8};

	if (*id == UINT32_MAX) {
		assert_ok(wt_log_put_frame(w->fix.writer, &row, &err), err);
		w->letters[w->n_frames] = letter;
		*id = w->n_frames++;
	}
	return *id;
}

static uint32_t stack_of(struct words *w, const char *word)
{
	uint32_t id = 0;

	for (; *word; word += word[1] ? 2 : 1) {
		struct wt_log_stack row = {.caller = id,
					   .frame = frame_of(w, *word),
					   .kernel = *word < 'A',
					   .status = WT_STACK_COMPLETE};
		struct wt_err err = WT_ERR_INIT;
		uint32_t i = 0;

		while (i < w->n_stacks && (w->rows[i].caller != id || w->rows[i].letter != *word))
			i++;
		if (i == w->n_stacks) {
			assert_true(i < sizeof(w->rows) / sizeof(*w->rows));
			assert_ok(wt_log_put_stack(w->fix.writer, &row, &err), err);
			w->rows[w->n_stacks++].letter = *word;
			w->rows[i].caller = id;
		}
		id = i + 1;
	}
	return id;
}

static void sample(struct words *w, uint32_t thread, const char *word, uint32_t n)
{
	fixture_sample(&w->fix, thread, stack_of(w, word), 0, n);
}

static void put_symbols(struct words *w)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0; i < w->n_frames; i++) {
		char name[] = {w->letters[i], 0}, raw[] = {'_', 'Z', w->letters[i], 0};
		struct wt_log_symbol row = {.name = wt_str(name), .raw_name = wt_str(raw)};

		if (*name == '?')
			row = (struct wt_log_symbol){.reason = WT_UNRESOLVED_NO_IMAGE};
		assert_ok(wt_log_put_symbols(w->fix.writer, wt_log_segment(w->fix.writer), i, &row, 1, &err),
			  err);
	}
}

static void next_segment(struct words *w)
{
	put_symbols(w);
	fixture_next_segment(&w->fix);
	begin_segment(w);
}

/* Two programs in two segments: shared prefixes, recursion of one and of two functions, the kernel below a
 * program, a stack without frames, the recorder. */
static void setup(struct words *w)
{
	memset(w, 0, sizeof(*w));
	fixture_begin(&w->fix);
	begin_segment(w);
	sample(w, FIXTURE_MAKE, "m;a;b", 4);
	sample(w, FIXTURE_MAKE, "m;a;a;b", 3);
	sample(w, FIXTURE_MAKE, "m;a;b;a;b", 2);
	sample(w, FIXTURE_MAKE, "m", 1);
	sample(w, FIXTURE_CC, "m;R;1;2", 5);
	sample(w, FIXTURE_SELF, "m;a", 2);
	next_segment(w);
	sample(w, FIXTURE_CC, "s;R;1", 1);
	sample(w, FIXTURE_CC, "m;R;1;2", 6);
	sample(w, FIXTURE_MAKE, "m;a;b", 7);
	sample(w, FIXTURE_MAKE, "", 2);
	put_symbols(w);
	assert_int_equal(wt_log_finish(w->fix.writer, &(struct wt_err){0}), 0);
	fixture_open(&w->fix);
}

struct ask {
	const char *const *keys, *const *columns;
	const char *where;
	enum wt_view_order order;
	enum wt_view_focus focus;
	const char *name;
	double min;
};

static void expect(const struct ask *ask, const char *want)
{
	struct words *w = malloc(sizeof(*w));

	assert_non_null(w);
	setup(w);
	w->fix.agg.order = ask->order;
	w->fix.agg.focus = ask->focus;
	w->fix.agg.focus_name = ask->name;
	w->fix.agg.min = ask->min;
	fixture_run(&w->fix, ask->keys, ask->columns, *ask->columns, ask->where);
	fixture_expect(&w->fix, want);
	fixture_close(&w->fix);
	free(w);
}

#define STACK .keys = WORDS("stack"), .columns = WORDS("count")

static void from_the_root(void **state)
{
	(void)state;
	expect(&(struct ask){.keys = WORDS("stack"), .columns = WORDS("count", "exclusive")},
	       "= cpu-clock\n"
	       "m:prog 28 1\n"
	       ".a:prog 16 0\n"
	       "..b:prog 13 11\n"
	       "...a:prog 2 0\n"
	       "....b:prog 2 2\n"
	       "..a:prog 3 0\n"
	       "...b:prog 3 3\n"
	       ".R:libc.so.6 11 0\n"
	       "..1:[kernel] 11 0\n"
	       "...2:[kernel] 11 11\n"
	       "[no stack] 2 2\n"
	       "[wtrace recorder] 2 2\n"
	       "s:prog 1 0\n"
	       ".R:libc.so.6 1 0\n"
	       "..1:[kernel] 1 1\n");
}

static void from_the_leaf(void **state)
{
	(void)state;
	expect(&(struct ask){STACK, .order = WT_ORDER_LEAF}, "= cpu-clock\n"
							     "b:prog 16\n"
							     ".a:prog 16\n"
							     "..m:prog 11\n"
							     "..a:prog 3\n"
							     "...m:prog 3\n"
							     "..b:prog 2\n"
							     "...a:prog 2\n"
							     "....m:prog 2\n"
							     "2:[kernel] 11\n"
							     ".1:[kernel] 11\n"
							     "..R:libc.so.6 11\n"
							     "...m:prog 11\n"
							     "[no stack] 2\n"
							     "[wtrace recorder] 2\n"
							     "1:[kernel] 1\n"
							     ".R:libc.so.6 1\n"
							     "..s:prog 1\n"
							     "m:prog 1\n");
	/* small rows stay, without their callers; what other columns have gathered moves with the events */
	expect(&(struct ask){.keys = WORDS("comm", "stack"),
			     .columns = WORDS("count", "weight", "unique:cpu"),
			     .order = WT_ORDER_LEAF,
			     .min = 10},
	       "= cpu-clock\n"
	       "make 19 19000 2\n"
	       ".b:prog 16 16000 2\n"
	       "..a:prog 16 16000 2\n"
	       "...m:prog 11 11000 2\n"
	       "...a:prog 3 3000 2\n"
	       "...b:prog 2 2000 2\n"
	       ".[no stack] 2 2000 2\n"
	       ".m:prog 1 1000 1\n"
	       "cc1 12 12000 2\n"
	       ".2:[kernel] 11 11000 2\n"
	       "..1:[kernel] 11 11000 2\n"
	       "...R:libc.so.6 11 11000 2\n"
	       "....m:prog 11 11000 2\n"
	       ".1:[kernel] 1 1000 1\n"
	       "[wtrace recorder] 2 2000 2\n"
	       ".[wtrace recorder] 2 2000 2\n");
}

static void above_and_below_a_function(void **state)
{
	(void)state;
	expect(&(struct ask){STACK, .focus = WT_FOCUS_CALLERS, .name = "b"},
	       "= cpu-clock\nb:prog 16\n.a:prog 16\n..m:prog 13\n..a:prog 3\n...m:prog 3\n");
	expect(&(struct ask){.keys = WORDS("stack"),
			     .columns = WORDS("count", "exclusive", "overhead", "weight"),
			     .focus = WT_FOCUS_CALLEES,
			     .name = "a:prog"},
	       "= cpu-clock\n"
	       "a:prog 16 0 48.48 16000\n"
	       ".b:prog 13 11 39.39 13000\n"
	       "..a:prog 2 0 6.06 2000\n"
	       "...b:prog 2 2 6.06 2000\n"
	       ".a:prog 3 0 9.09 3000\n"
	       "..b:prog 3 3 9.09 3000\n");
	/* by its mangled name, below other keys: processes without it have no row */
	expect(&(struct ask){.keys = WORDS("comm", "stack"),
			     .columns = WORDS("count"),
			     .focus = WT_FOCUS_CALLERS,
			     .name = "_Z1"},
	       "= cpu-clock\n"
	       "cc1 12\n"
	       ".1:[kernel] 12\n"
	       "..R:libc.so.6 12\n"
	       "...m:prog 11\n"
	       "...s:prog 1\n");
}

static void an_unknown_function_is_an_error(void **state)
{
	struct words *w = malloc(sizeof(*w));
	struct wt_log_filter range = {0};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_non_null(w);
	setup(w);
	w->fix.select.mode = WT_SELECT_SAMPLES;
	w->fix.agg.focus = WT_FOCUS_CALLEES;
	w->fix.agg.focus_name = "R:libc";
	range.want = wt_view_select_want;
	range.ctx = &w->fix.select;
	assert_ok(wt_view_agg_add_key(&w->fix.agg, "stack", &err), err);
	assert_ok(wt_view_agg_add_column(&w->fix.agg, "count", &err), err);
	assert_ok(wt_log_scan(w->fix.log, &range, fixture_batch, &w->fix, &err), err);
	assert_int_equal(wt_view_agg_finish(&w->fix.agg, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "no stack counted here has the function 'R:libc'"));
	fixture_close(&w->fix);
	free(w);
}

static void callers_have_nothing_exclusive(void **state)
{
	struct fixture fix;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	fixture_setup(&fix);
	fix.agg.order = WT_ORDER_LEAF;
	assert_ok(wt_view_agg_add_key(&fix.agg, "stack", &err), err);
	assert_int_equal(wt_view_agg_add_column(&fix.agg, "exclusive", &err), -1);
	assert_non_null(strstr(err.text, "its callers"));
	fixture_close(&fix);
}

static void recursion_counts_once(void **state)
{
	(void)state;
	expect(&(struct ask){.keys = WORDS("function"), .columns = WORDS("inclusive", "exclusive")},
	       "= cpu-clock\n"
	       "m:prog 28 1\n"
	       "a:prog 16 0\n"
	       "b:prog 16 16\n"
	       "1:[kernel] 12 1\n"
	       "R:libc.so.6 12 0\n"
	       "2:[kernel] 11 11\n"
	       "[no stack] 2 2\n"
	       "[wtrace recorder] 2 2\n"
	       "s:prog 1 0\n");
	expect(&(struct ask){.keys = WORDS("module"), .columns = WORDS("inclusive", "count")},
	       "= cpu-clock\n"
	       "prog 29 17\n"
	       "libc.so.6 12 0\n"
	       "[kernel] 12 12\n"
	       "[no stack] 2 2\n"
	       "[wtrace recorder] 2 2\n");
}

/* Several keys of code describe one frame; the others hold for the event, wherever they stand. */
static void keys_of_code_go_together(void **state)
{
	(void)state;
	expect(&(struct ask){.keys = WORDS("module", "function"), .columns = WORDS("inclusive", "count")},
	       "= cpu-clock\n"
	       "prog 29 17\n"
	       ".m:prog 28 1\n"
	       ".a:prog 16 0\n"
	       ".b:prog 16 16\n"
	       ".s:prog 1 0\n"
	       "libc.so.6 12 0\n"
	       ".R:libc.so.6 12 0\n"
	       "[kernel] 12 12\n"
	       ".1:[kernel] 12 1\n"
	       ".2:[kernel] 11 11\n"
	       "[no stack] 2 2\n"
	       ".[no stack] 2 2\n"
	       "[wtrace recorder] 2 2\n"
	       ".[wtrace recorder] 2 2\n");
	expect(&(struct ask){.keys = WORDS("module", "comm", "function"),
			     .columns = WORDS("inclusive"),
			     .where = "!self && stack =~ '[RS]'"},
	       "= cpu-clock\n"
	       "prog 12\n"
	       ".cc1 12\n"
	       "..m:prog 11\n"
	       "..s:prog 1\n"
	       "libc.so.6 12\n"
	       ".cc1 12\n"
	       "..R:libc.so.6 12\n"
	       "[kernel] 12\n"
	       ".cc1 12\n"
	       "..1:[kernel] 12\n"
	       "..2:[kernel] 11\n");
	expect(&(struct ask){.keys = WORDS("function", "comm"),
			     .columns = WORDS("inclusive", "count"),
			     .where = "stack has m"},
	       "= cpu-clock\n"
	       "m:prog 28 1\n"
	       ".make 17 1\n"
	       ".cc1 11 0\n"
	       "a:prog 16 0\n"
	       ".make 16 0\n"
	       "b:prog 16 16\n"
	       ".make 16 16\n"
	       "1:[kernel] 11 0\n"
	       ".cc1 11 0\n"
	       "2:[kernel] 11 11\n"
	       ".cc1 11 11\n"
	       "R:libc.so.6 11 0\n"
	       ".cc1 11 0\n"
	       "[wtrace recorder] 2 2\n"
	       ".[wtrace recorder] 2 2\n");
}

static void stacks_are_asked_for_functions(void **state)
{
	static const struct {
		const char *where;
		int events;
	} cases[] = {
		{"stack has 'a'", 18}, /* two are the recorder's own */
		{"stack has a", 18},
		{"stack has 'b:prog'", 16},
		{"stack has b:prog", 16},
		{"stack has 'b:libc.so.6'", 0},
		{"stack has '_Z2'", 11},
		{"stack has _Z2", 11},
		{"stack has '2'", 11},
		{"stack has 'A'", 0},
		{"stack has ''", 0},
		{"stack =~ '^[12]$'", 12},
		{"stack =~ ':libc'", 12},
		{"stack =~ '^_Zs'", 1},
		{"stack has '[no stack]'", 2},
		{"stack has '[wtrace recorder]'", 2},
		{"!(stack has m)", 3},
		{"stack has a && !self", 16},
		{"stack has m && !(stack has a)", 12},
		{"stack has s || stack has R", 12},
		{"comm == 'make' && stack has 'a'", 16},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char want[64] = "";

		if (cases[i].events)
			snprintf(want, sizeof(want), "= cpu-clock\n+0 s %d\n", cases[i].events);
		expect(&(struct ask){.keys = WORDS("time:100s"),
				     .columns = WORDS("count"),
				     .where = cases[i].where},
		       want);
	}
}

/* A thousand frames of a program below the kernel's, and, in the second segment, more than any walker gives.
 */
static void deep_stacks(void **state)
{
	static const struct ask asks[] = {
		{.order = WT_ORDER_ROOT},
		{.order = WT_ORDER_LEAF},
		{.focus = WT_FOCUS_CALLERS, .name = "2"},
		{.focus = WT_FOCUS_CALLEES, .name = "m"},
	};
	static char word[2 * 5000 + 8];

	(void)state;
	for (size_t i = 0; i < sizeof(asks) / sizeof(*asks); i++) {
		struct words *w = calloc(1, sizeof(*w));
		uint32_t node, n, depth = 0;

		assert_non_null(w);
		fixture_begin(&w->fix);
		for (uint32_t frames = 1024; frames <= 5000; frames += 5000 - 1024) {
			begin_segment(w);
			memcpy(word, "m;", 2);
			for (uint32_t f = 1; f < frames; f++)
				memcpy(word + 2 * f, f & 1 ? "a;" : "b;", 2);
			memcpy(word + 2 * frames, "1;2", 4);
			sample(w, FIXTURE_MAKE, word, 1);
			put_symbols(w);
			if (frames == 1024)
				fixture_next_segment(&w->fix);
		}
		assert_int_equal(wt_log_finish(w->fix.writer, &(struct wt_err){0}), 0);
		fixture_open(&w->fix);
		w->fix.agg.order = asks[i].order;
		w->fix.agg.focus = asks[i].focus;
		w->fix.agg.focus_name = asks[i].name;
		fixture_run(&w->fix, WORDS("stack"), WORDS("count"), "count", NULL);
		node = w->fix.agg.children.roots[0];
		assert_int_equal(w->fix.agg.rows.nodes[node].total, 2);
		for (; wt_view_agg_children(&w->fix.agg, node, &n) && n; depth++)
			node = wt_view_agg_children(&w->fix.agg, node, &n)[0];
		assert_in_range(depth, 1026, WT_MAX_FRAMES);
		free(fixture_render(&w->fix, wt_view_text_out));
		free(fixture_render(&w->fix, wt_view_json_out));
		free(fixture_render(&w->fix, wt_view_csv_out));
		free(fixture_render(&w->fix, wt_view_folded_out));
		fixture_close(&w->fix);
		free(w);
	}
}

static void folded_lines(void **state)
{
	struct words *w = malloc(sizeof(*w));
	char *text;

	(void)state;
	assert_non_null(w);
	setup(w);
	fixture_run(&w->fix, WORDS("comm", "stack"), WORDS("count"), "key", NULL);
	text = fixture_render(&w->fix, wt_view_folded_out);
	assert_string_equal(text, "[wtrace recorder];[wtrace recorder] 2\n"
				  "cc1;m:prog;R:libc.so.6;1:[kernel];2:[kernel] 11\n"
				  "cc1;s:prog;R:libc.so.6;1:[kernel] 1\n"
				  "make;[no stack] 2\n"
				  "make;m:prog 1\n"
				  "make;m:prog;a:prog;a:prog;b:prog 3\n"
				  "make;m:prog;a:prog;b:prog 11\n"
				  "make;m:prog;a:prog;b:prog;a:prog;b:prog 2\n");
	free(text);
	fixture_close(&w->fix);
	setup(w);
	fixture_run(&w->fix, WORDS("stack"), WORDS("weight"), "key", "comm == 'cc1'");
	text = fixture_render(&w->fix, wt_view_folded_out);
	assert_string_equal(text, "m:prog;R:libc.so.6;1:[kernel];2:[kernel] 11000\n"
				  "s:prog;R:libc.so.6;1:[kernel] 1000\n");
	free(text);
	fixture_close(&w->fix);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_root),
		cmocka_unit_test(from_the_leaf),
		cmocka_unit_test(above_and_below_a_function),
		cmocka_unit_test(an_unknown_function_is_an_error),
		cmocka_unit_test(callers_have_nothing_exclusive),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(keys_of_code_go_together),
		cmocka_unit_test(stacks_are_asked_for_functions),
		cmocka_unit_test(deep_stacks),
		cmocka_unit_test(folded_lines),
	};

	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
