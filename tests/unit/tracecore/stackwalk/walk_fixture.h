/* SPDX-License-Identifier: MIT */
/* A module made of rules, a stack made of words, and a walk over both. */
#ifndef TESTS_UNIT_TRACECORE_STACKWALK_WALK_FIXTURE_H
#define TESTS_UNIT_TRACECORE_STACKWALK_WALK_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

#define RULES 0x10000u /* link-time start of the code */
#define BIAS  0x555500000000u
#define STACK 0x7ffd00000000u
#define WORDS 64

enum { RBP = 6, RSP = 7, LR = 30, SP = 31 };

struct fixture {
	struct wt_unwind_writer writer;
	struct wt_unwind_table table;
	struct wt_unwind_view view;
	struct wt_walk_module module;
	struct wt_walk_regs regs;
	uint64_t stack[WORDS];
	uint64_t pc[WT_WALK_MAX];
	struct wt_walk_result result;
	struct wt_walk_input in;
	uint32_t machine;
};

static bool fixture_find(void *ctx, uint64_t address, struct wt_walk_module *ret)
{
	struct fixture *f = ctx;

	*ret = f->module;
	return address >= f->module.start && address < f->module.end;
}

static inline void fixture_init(struct fixture *f, uint32_t machine)
{
	memset(f, 0, sizeof(*f));
	f->machine = machine;
	assert_int_equal(wt_unwind_writer_init(&f->writer, RULES, NULL), 0);
	f->module = (struct wt_walk_module){
		.start = BIAS + RULES, .end = BIAS + RULES + 0x10000, .bias = BIAS, .id = 7};
	f->in = (struct wt_walk_input){.regs = &f->regs,
				       .window = (const uint8_t *)f->stack,
				       .window_at = STACK,
				       .window_size = sizeof(f->stack),
				       .find = fixture_find,
				       .ctx = f,
				       .max = WT_WALK_MAX,
				       .pc = f->pc};
	f->regs.r[machine == WT_ABI_UNWIND_X86_64 ? RSP : SP] = STACK;
}

/* A rule that keeps all registers; x86-64 finds the return address below the CFA, arm64 in x30. */
static inline struct wt_abi_unwind_rule plain(const struct fixture *f, uint8_t reg, int32_t offset)
{
	struct wt_abi_unwind_rule rule = {.cfa = WT_ABI_CFA_REG, .reg = reg, .offset = offset};

	for (unsigned i = 0; i < (f->machine == WT_ABI_UNWIND_X86_64 ? 6u : 12u); i++)
		rule.slot[i] = WT_ABI_SLOT_SAME;
	if (f->machine == WT_ABI_UNWIND_X86_64)
		rule.slot[6] = -1;
	return rule;
}

/* [from, to) of the code. */
static inline void add(struct fixture *f, uint64_t from, uint64_t to, struct wt_abi_unwind_rule rule)
{
	assert_int_equal(wt_unwind_writer_add(&f->writer, RULES + from, RULES + to, &rule, NULL), 0);
}

static inline void add_root(struct fixture *f, uint64_t from, uint64_t to)
{
	add(f, from, to, (struct wt_abi_unwind_rule){.flags = WT_ABI_RULE_END});
}

static inline void finish(struct fixture *f)
{
	const struct wt_abi_unwind facts = {.machine = (uint16_t)f->machine};

	assert_int_equal(wt_unwind_writer_finish(&f->writer, &facts, &f->table, NULL), 0);
	assert_int_equal(wt_unwind_view(f->table.bytes, f->table.size, &f->view, NULL), 0);
	f->module.view = &f->view;
}

static inline uint64_t code(uint64_t offset)
{
	return BIAS + RULES + offset;
}

/* An earlier walk, to be a trail. */
struct earlier {
	uint64_t pc[WT_WALK_MAX], sp[WT_WALK_MAX], word[WT_WALK_MAX];
};

static inline struct wt_walk_trail trail_of(const struct earlier *walk, uint32_t n)
{
	return (struct wt_walk_trail){.pc = walk->pc, .sp = walk->sp, .word = walk->word, .n = n};
}

/* Caches change nothing, be they empty or full of what an earlier walk found, in this process or in another;
 * nor does that walk as a trail.
 */
static inline void check_cached(struct fixture *f)
{
	static struct earlier earlier;
	struct wt_walk_cache *cache = calloc(1, sizeof(*cache));
	struct wt_walk_shared *shared = calloc(1, sizeof(*shared));
	static uint64_t pc[WT_WALK_MAX], sp[WT_WALK_MAX], expected_sp[WT_WALK_MAX], word[WT_WALK_MAX];
	struct wt_walk_input in = f->in;
	struct wt_walk_result result;

	assert_non_null(cache);
	assert_non_null(shared);
	in.pc = pc;
	in.sp = expected_sp;
	wt_walk(f->machine, &in, &result);
	in.cache = cache;
	in.sp = sp;
	in.word = word;
	for (unsigned round = 0; round < 8; round++) {
		if (round >= 6) {
			memcpy(earlier.pc, pc, result.n * sizeof(*pc));
			memcpy(earlier.sp, sp, result.n * sizeof(*sp));
			memcpy(earlier.word, word, result.n * sizeof(*word));
			in.trail = trail_of(&earlier, result.n);
		}
		in.options = f->in.options | (round & 1 ? WT_WALK_ASK : 0);
		in.shared = round < 2 ? NULL : shared;
		if (round >= 2)
			memset(cache, 0, round & 1 ? sizeof(*cache) : sizeof(*cache) / 2);
		wt_walk(f->machine, &in, &result);
		assert_int_equal(result.status, f->result.status);
		assert_int_equal(result.n, f->result.n);
		assert_int_equal(result.n_fp, f->result.n_fp);
		assert_int_equal(result.module, f->result.module);
		assert_int_equal(result.where, f->result.where);
		assert_memory_equal(pc, f->pc, result.n * sizeof(*pc));
		assert_memory_equal(sp, expected_sp, result.n * sizeof(*sp));
		for (uint32_t i = 0; i < result.n; i++)
			assert_int_equal(wt_walk_is_exact(&result, i), wt_walk_is_exact(&f->result, i));
	}
	free(cache);
	free(shared);
}

static inline void walk(struct fixture *f, uint64_t offset)
{
	f->regs.pc = code(offset);
	wt_walk(f->machine, &f->in, &f->result);
	check_cached(f);
}

static inline void fixture_deinit(struct fixture *f)
{
	wt_unwind_writer_deinit(&f->writer);
	wt_unwind_table_deinit(&f->table);
}

#endif
