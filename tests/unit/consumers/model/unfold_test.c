// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/model/unfold.h"
#include "tracecore/logfmt/format/inlined.h"

enum { FRAMES = 3, STACKS = 4 };

/* main calls outer, where middle and in it leaf are inlined, and outer calls last. */
static struct {
	struct wt_log_frame frames[FRAMES];
	struct wt_log_symbol symbols[FRAMES];
	struct wt_log_stack stacks[STACKS];
	struct wt_log_segment tables;
	struct wt_buf chain;
} it;

static int begin(void **state)
{
	const struct wt_log_inlined leaf = {wt_str("leaf"), wt_str("middle.c"), 20};
	const struct wt_log_inlined middle = {wt_str("middle"), wt_str("outer.c"), 30};

	(void)state;
	memset(&it, 0, sizeof(it));
	for (uint32_t i = 0; i < FRAMES; i++)
		it.frames[i] = (struct wt_log_frame){1, 0x1000 + i};
	if (!wt_log_inlined_put(&it.chain, &leaf) || !wt_log_inlined_put(&it.chain, &middle))
		return -1;
	it.symbols[0] = (struct wt_log_symbol){.name = wt_str("main"), .file = wt_str("main.c"), .line = 1};
	it.symbols[1] = (struct wt_log_symbol){.name = wt_str("outer"),
					       .file = wt_str("leaf.c"),
					       .line = 10,
					       .symbol_offset = 5,
					       .inlined = wt_str_of(it.chain.data, it.chain.len)};
	it.symbols[2] = (struct wt_log_symbol){.name = wt_str("last")};
	it.stacks[0] = (struct wt_log_stack){0, 0, false, WT_STACK_COMPLETE};
	it.stacks[1] = (struct wt_log_stack){1, 1, false, WT_STACK_PROBABLE};
	it.stacks[2] = (struct wt_log_stack){2, 2, true, WT_STACK_COMPLETE};
	it.stacks[3] = (struct wt_log_stack){2, 1, false, WT_STACK_COMPLETE};
	it.tables = (struct wt_log_segment){.frames = it.frames,
					    .n_frames = FRAMES,
					    .symbols = it.symbols,
					    .stacks = it.stacks,
					    .n_stacks = STACKS};
	return 0;
}

static int end(void **state)
{
	(void)state;
	wt_buf_deinit(&it.chain);
	return 0;
}

struct want {
	const char *name, *file;
	uint32_t line;
};

static void expect(const struct wt_log_segment *segment, uint32_t stack, const struct want *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct wt_log_stack *node = &segment->stacks[stack - 1];
		const struct wt_log_symbol *symbol = &segment->symbols[node->frame];

		assert_in_range(stack, 1, segment->n_stacks);
		assert_in_range(node->frame, 0, segment->n_frames - 1);
		assert_int_equal(symbol->name.len, strlen(want[i].name));
		assert_memory_equal(symbol->name.p, want[i].name, symbol->name.len);
		assert_int_equal(symbol->file.len, strlen(want[i].file));
		assert_memory_equal(symbol->file.p, want[i].file, symbol->file.len);
		assert_int_equal(symbol->line, want[i].line);
		stack = node->caller;
	}
	assert_int_equal(stack, 0);
}

static void stacks_go_through_inlined_functions(void **state)
{
	const struct want all[] = {{"last", "", 0},
				   {"leaf (inlined)", "leaf.c", 10},
				   {"middle (inlined)", "middle.c", 20},
				   {"outer", "outer.c", 30},
				   {"main", "main.c", 1}};
	const struct want twice[] = {all[1], all[2], all[3], all[1], all[2], all[3], all[4]};
	struct wt_unfolded unfolded;
	struct wt_err err = WT_ERR_INIT;
	bool failed;

	(void)state;
	assert_true(wt_unfold(&it.tables, &unfolded, &failed, &err));
	assert_false(unfolded.cut);
	assert_int_equal(unfolded.segment.n_frames, FRAMES + 2);
	assert_int_equal(unfolded.segment.n_stacks, STACKS + 4);
	expect(&unfolded.segment, 1, all + 4, 1);
	expect(&unfolded.segment, 2, all + 1, 4);
	expect(&unfolded.segment, 3, all, 5);
	expect(&unfolded.segment, 4, twice, 7);
	/* A stack is as far to be trusted as before, and of the same code. */
	assert_int_equal(unfolded.segment.stacks[1].status, WT_STACK_PROBABLE);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(unfolded.segment.frames[FRAMES + i].offset, 0x1001);
	assert_int_equal(unfolded.segment.symbols[1].symbol_offset, 5);
	/* The log's tables are as they were. */
	assert_int_equal(it.stacks[1].frame, 1);
	assert_int_equal(it.symbols[1].line, 10);
	wt_unfolded_deinit(&unfolded);
}

static void nothing_to_unfold(void **state)
{
	struct wt_unfolded unfolded;
	struct wt_err err = WT_ERR_INIT;
	bool failed;

	(void)state;
	/* A call that is not whole is none. */
	it.symbols[1].inlined.len = 3;
	if (wt_unfold(&it.tables, &unfolded, &failed, &err)) {
		assert_int_equal(unfolded.segment.n_stacks, STACKS);
		wt_unfolded_deinit(&unfolded);
	}
	it.symbols[1].inlined.len = 0;
	assert_false(wt_unfold(&it.tables, &unfolded, &failed, &err));
	assert_false(failed);
	it.tables.symbols = NULL;
	assert_false(wt_unfold(&it.tables, &unfolded, &failed, &err));
	assert_false(failed);
}

/* Chains of a log that no compiler made do not take the memory of all. */
static void there_is_a_bound(void **state)
{
	enum { MANY = 400000, DEEP = 60 };
	struct wt_log_stack *stacks = calloc(MANY, sizeof(*stacks));
	const struct wt_log_inlined call = {wt_str("f"), wt_str(""), 0};
	struct wt_unfolded unfolded;
	struct wt_err err = WT_ERR_INIT;
	bool failed;

	(void)state;
	assert_non_null(stacks);
	for (unsigned i = 2; i < DEEP; i++)
		assert_true(wt_log_inlined_put(&it.chain, &call));
	it.symbols[1].inlined = wt_str_of(it.chain.data, it.chain.len);
	for (uint32_t i = 0; i < MANY; i++)
		stacks[i] = (struct wt_log_stack){.caller = i, .frame = 1};
	it.tables.stacks = stacks;
	it.tables.n_stacks = MANY;
	assert_true(wt_unfold(&it.tables, &unfolded, &failed, &err));
	assert_true(unfolded.cut);
	assert_in_range(unfolded.segment.n_stacks, MANY, 20 * MANY);
	for (uint32_t i = 0; i < unfolded.segment.n_stacks; i++) {
		assert_in_range(unfolded.segment.stacks[i].caller, 0, unfolded.segment.n_stacks);
		assert_in_range(unfolded.segment.stacks[i].frame, 0, unfolded.segment.n_frames - 1);
	}
	wt_unfolded_deinit(&unfolded);
	free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stacks_go_through_inlined_functions, begin, end),
		cmocka_unit_test_setup_teardown(nothing_to_unfold, begin, end),
		cmocka_unit_test_setup_teardown(there_is_a_bound, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
