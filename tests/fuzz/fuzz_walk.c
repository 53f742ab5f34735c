/* SPDX-License-Identifier: MIT */
// Covers: tracecore/stackwalk/walk.c
/* Walks with tables, registers and stacks of any content. The input is 4 bytes (options, frames, size of the
 * table), the table, 33 registers, the stack. Whatever they are, a walk ends within its bounds with a status
 * that is one, and a cache changes nothing. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/stackwalk/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MODULE = 0x400000, STACK = 0x7f0000, HEAD = 4 };

static struct wt_unwind_view view;
static bool has_view;

static bool find(void *ctx, uint64_t address, struct wt_walk_module *ret)
{
	const uint8_t *options = ctx;

	if (address < MODULE || address >= 2 * MODULE)
		return false;
	*ret = (struct wt_walk_module){.view = has_view ? &view : NULL,
				       .start = MODULE,
				       .end = 2 * MODULE,
				       .bias = has_view ? MODULE - view.base : 0,
				       .fallback = *options & 1 ? WT_WALK_FP : WT_WALK_STOP};
	return true;
}

static enum wt_walk_read read_far(void *ctx, uint64_t address, uint64_t *ret)
{
	(void)ctx;
	*ret = address * 3;
	return address & 1 ? WT_WALK_READ_BAD : address & 2 ? WT_WALK_READ_CUT : WT_WALK_READ_OK;
}

/* With empty caches, with what that walk left in them, with what it left in the shared one alone, and with
 * that walk as a trail. */
static void walk_cached(uint32_t machine, struct wt_walk_input in, const struct wt_walk_result *wanted)
{
	static uint64_t pc[WT_WALK_MAX], sp[2][WT_WALK_MAX], word[2][WT_WALK_MAX], before[WT_WALK_MAX];
	static struct wt_walk_cache cache;
	static struct wt_walk_shared shared;
	const uint64_t *expected = in.pc;
	struct wt_walk_result result;

	memset(&cache, 0, sizeof(cache));
	memset(&shared, 0, sizeof(shared));
	in.cache = &cache;
	in.shared = &shared;
	in.pc = pc;
	for (int i = 0; i < 4; i++) {
		if (i >= 2)
			memset(&cache, 0, sizeof(cache));
		if (i == 3) {
			memcpy(before, pc, result.n * sizeof(*pc));
			in.trail = (struct wt_walk_trail){before, sp[0], word[0], result.n};
			in.options &= ~(uint32_t)WT_WALK_ASK;
		}
		in.sp = sp[i & 1];
		in.word = word[i & 1];
		wt_walk(machine, &in, &result);
		if (result.n != wanted->n || result.status != wanted->status ||
		    result.where != wanted->where || result.n_fp != wanted->n_fp ||
		    result.module != wanted->module || memcmp(pc, expected, result.n * sizeof(*pc)))
			abort();
		in.options |= WT_WALK_ASK;
	}
}

static void walk(uint32_t machine, const uint8_t *head, const uint8_t *rest, size_t size)
{
	static uint64_t pc[WT_WALK_MAX];
	struct wt_walk_regs regs = {0};
	struct wt_walk_result result;
	struct wt_walk_input in = {.regs = &regs,
				   .window_at = STACK,
				   .find = find,
				   .read = head[0] & 2 ? read_far : NULL,
				   .options = (head[0] & 4 ? WT_WALK_WHOLE_STACK : 0u) |
					      (head[0] & 8 ? WT_WALK_FROM_CALLER : 0u),
				   .ctx = (void *)(uintptr_t)head,
				   .max = head[1] ? head[1] * 4u : 1,
				   .pc = pc};

	memcpy(&regs, rest, size < sizeof(regs) ? size : sizeof(regs));
	if (size > sizeof(regs)) {
		in.window = rest + sizeof(regs);
		in.window_size = size - sizeof(regs);
	}
	wt_walk(machine, &in, &result);
	if (result.n < 1 || result.n > in.max || result.n > WT_WALK_MAX ||
	    result.status > WT_WALK_RECURSION || result.status == WT_WALK_COMPLETED ||
	    result.n_fp > result.n || wt_walk_is_exact(&result, 0) == ((head[0] & 8) != 0))
		abort();
	walk_cached(machine, in, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t table_size;
	void *table;

	if (size < HEAD)
		return 0;
	table_size = (size_t)data[2] | (size_t)data[3] << 8;
	if (table_size > size - HEAD)
		table_size = size - HEAD;
	table = malloc(table_size ? table_size : 1);
	if (!table)
		return 0;
	memcpy(table, data + HEAD, table_size);
	has_view = wt_unwind_view(table, table_size, &view, NULL) == 0;
	walk(WT_ABI_UNWIND_X86_64, data, data + HEAD + table_size, size - HEAD - table_size);
	walk(WT_ABI_UNWIND_AARCH64, data, data + HEAD + table_size, size - HEAD - table_size);
	free(table);
	return 0;
}
