/* SPDX-License-Identifier: MIT */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

static void leaf_to_root(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 64, plain(&f, RSP, 32));
	add_root(&f, 64, 80);
	finish(&f);
	f.stack[0] = code(20);
	f.stack[4] = code(70);
	walk(&f, 4);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[0], code(4));
	assert_int_equal(f.pc[1], code(20));
	assert_int_equal(f.pc[2], code(70));
	assert_true(wt_walk_is_exact(&f.result, 0));
	assert_false(wt_walk_is_exact(&f.result, 1));
	assert_int_equal(f.result.n_fp, 0);
	fixture_deinit(&f);
}

/* A call that is the last instruction of its function returns to the next one. */
static void a_return_address_is_looked_up_one_byte_earlier(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, plain(&f, RSP, 24));
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[0] = code(32);
	f.stack[3] = code(40);
	walk(&f, 0);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[2], code(40));
	/* An interrupted instruction is looked up where it is: here the root. */
	walk(&f, 32);
	assert_int_equal(f.result.n, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	fixture_deinit(&f);
}

static void a_saved_frame_pointer_leads_on(void **state)
{
	struct wt_abi_unwind_rule saves, framed;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	saves = plain(&f, RSP, 24);
	saves.slot[1] = -2;
	framed = plain(&f, RBP, 16);
	framed.slot[1] = -2;
	add(&f, 0, 16, saves);
	add(&f, 16, 32, framed);
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[1] = STACK + 8 * 10; /* rbp of the caller, saved at CFA - 16 */
	f.stack[2] = code(20);
	f.stack[11] = code(40);
	walk(&f, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[2], code(40));
	fixture_deinit(&f);
}

static void a_realigned_frame_is_left_through_memory(void **state)
{
	struct wt_abi_unwind_rule realigned;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	realigned = plain(&f, RBP, -8);
	realigned.cfa = WT_ABI_CFA_DEREF;
	realigned.flags = WT_ABI_RULE_FROM_REG;
	realigned.slot[1] = 0; /* rbp at rbp + 0 */
	add(&f, 0, 16, realigned);
	add(&f, 16, 32, plain(&f, RBP, 16));
	add_root(&f, 32, 48);
	finish(&f);
	f.regs.r[RBP] = STACK + 8 * 4;
	f.stack[3] = STACK + 8 * 12; /* the CFA */
	f.stack[4] = STACK + 8 * 20; /* the caller's rbp */
	f.stack[11] = code(20);
	f.stack[21] = code(40);
	walk(&f, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[1], code(20));
	assert_int_equal(f.pc[2], code(40));
	fixture_deinit(&f);
}

/* What a call may change is known in the frame that was interrupted only. */
static void scratch_registers_serve_the_innermost_frame(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, 10, 0));
	add_root(&f, 16, 32);
	finish(&f);
	f.regs.r[10] = STACK + 16;
	f.stack[1] = code(20);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	f.stack[1] = code(8);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 2);
	assert_int_equal(f.result.module, 7);
	fixture_deinit(&f);
}

static void a_signal_frame_gives_all_registers_back(void **state)
{
	const struct wt_abi_unwind_rule trampoline = {.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = RSP, .offset = 40};
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, trampoline);
	add(&f, 32, 48, plain(&f, 10, 8)); /* needs r10 of the interrupted frame */
	add_root(&f, 48, 64);
	finish(&f);
	f.stack[0] = code(17);
	f.stack[1 + 5 + 2] = STACK + 8 * 50;  /* r10 */
	f.stack[1 + 5 + 15] = STACK + 8 * 45; /* rsp */
	f.stack[1 + 5 + 16] = code(32);       /* rip: the first instruction of its function */
	f.stack[50] = code(50);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 4);
	assert_int_equal(f.pc[1], code(17));
	assert_int_equal(f.pc[2], code(32));
	assert_int_equal(f.pc[3], code(50));
	assert_false(wt_walk_is_exact(&f.result, 1));
	assert_true(wt_walk_is_exact(&f.result, 2));
	fixture_deinit(&f);
}

/* The dynamic loader counts from rbx, which a cache's words do not follow. */
static void a_register_that_words_do_not_follow(void **state)
{
	struct wt_abi_unwind_rule saves;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	saves = plain(&f, RSP, 24);
	saves.slot[0] = -2;
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, saves);
	add(&f, 32, 48, plain(&f, 3, 8));
	add_root(&f, 48, 64);
	finish(&f);
	f.stack[0] = code(20);
	f.stack[2] = STACK + 8 * 10; /* rbx */
	f.stack[3] = code(40);
	f.stack[10] = code(50);
	walk(&f, 4);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 4);
	assert_int_equal(f.pc[3], code(50));
	fixture_deinit(&f);
}

/* What was found in one process serves the next one, wherever the module lies there: its table is not asked.
 */
static void a_shared_cache_serves_other_processes(void **state)
{
	static struct wt_walk_shared shared;
	struct wt_walk_cache cache = {{0}};
	const uint64_t moved = UINT64_C(0x1234000);
	struct fixture f;

	(void)state;
	memset(&shared, 0, sizeof(shared));
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, plain(&f, RSP, 24));
	add_root(&f, 32, 48);
	finish(&f);
	f.in.cache = &cache;
	f.in.shared = &shared;
	f.stack[0] = code(20);
	f.stack[3] = code(40);
	f.regs.pc = code(4);
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.n, 3);

	memset(&cache, 0, sizeof(cache));
	f.view.n_rows = 0;
	f.module.start += moved;
	f.module.end += moved;
	f.module.bias += moved;
	f.stack[0] += moved;
	f.stack[3] += moved;
	f.regs.pc += moved;
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[2], code(40) + moved);

	/* Another module at the same place has rules of its own. */
	memset(&cache, 0, sizeof(cache));
	f.module.id++;
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 1);
	fixture_deinit(&f);
}

/* Where a frame still is what it was, neither caches nor tables are asked; where it is not, they are. */
static void a_trail_saves_searches_and_nothing_else(void **state)
{
	struct wt_walk_cache cache = {{0}};
	static struct earlier earlier;
	static uint64_t word[WT_WALK_MAX];
	struct fixture f;
	uint32_t n_rows;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, plain(&f, RSP, 24));
	add_root(&f, 32, 48);
	finish(&f);
	f.in.cache = &cache;
	f.in.sp = earlier.sp;
	f.in.word = earlier.word;
	f.in.options = WT_WALK_FROM_CALLER;
	f.stack[0] = code(20);
	f.stack[3] = code(40);
	f.regs.pc = code(4);
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.n, 3);
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(earlier.word[i], 0);

	memcpy(earlier.pc, f.pc, 3 * sizeof(*f.pc));
	f.in.sp = NULL;
	f.in.word = word;
	memset(&cache, 0, sizeof(cache));
	n_rows = f.view.n_rows;
	f.view.n_rows = 0;
	f.in.trail = trail_of(&earlier, 3);
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	f.in.options |= WT_WALK_ASK;
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	f.in.options &= ~(uint32_t)WT_WALK_ASK;

	/* Another return address in the same place is another frame, with a rule of its own. */
	f.stack[0] = code(8);
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 2);
	f.view.n_rows = n_rows;
	f.stack[1] = code(24);
	f.stack[4] = code(44);
	wt_walk(f.machine, &f.in, &f.result);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 4);
	assert_int_equal(f.pc[3], code(44));
	fixture_deinit(&f);
}

/* In the own program the innermost frame is the one that asked. */
static void a_walk_can_begin_in_a_caller(void **state)
{
	struct wt_abi_unwind_rule framed;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	f.in.options = WT_WALK_FROM_CALLER | WT_WALK_WHOLE_STACK;
	framed = plain(&f, RBP, 16);
	framed.slot[1] = -2;
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, framed);
	add(&f, 32, 48, plain(&f, 3, 8));
	add_root(&f, 48, 64);
	finish(&f);
	f.stack[0] = code(20);
	f.regs.r[RBP] = STACK + 16;
	f.stack[3] = code(50);
	walk(&f, 16); /* looked up at 15 */
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_false(wt_walk_is_exact(&f.result, 0));
	f.regs.r[3] = STACK + 16; /* nobody said that this is rbx */
	f.stack[0] = code(40);
	walk(&f, 8);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 2);

	/* Nor is the frame pointer known, before a frame that saved it. */
	f.stack[0] = code(20);
	walk(&f, 16);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	f.in.options |= WT_WALK_NO_FP;
	walk(&f, 16);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 2);
	fixture_deinit(&f);
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	f.in.options = WT_WALK_FROM_CALLER | WT_WALK_NO_FP | WT_WALK_WHOLE_STACK;
	framed = plain(&f, RSP, 16);
	framed.slot[1] = -2;
	add(&f, 0, 16, framed);
	add(&f, 16, 32, plain(&f, RBP, 16));
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[0] = STACK + 24;
	f.stack[1] = code(20);
	f.stack[4] = code(40);
	walk(&f, 8);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	fixture_deinit(&f);
}

/* Frames at and above what a word can say. */
static void large_frames_are_walked_as_well(void **state)
{
	static uint64_t stack[6000];
	struct wt_abi_unwind_rule saves;
	struct fixture f;

	(void)state;
	for (int32_t size = 16000; size < 40000; size += 376) {
		fixture_init(&f, WT_ABI_UNWIND_X86_64);
		f.in.window = (const uint8_t *)stack;
		f.in.window_size = sizeof(stack);
		saves = plain(&f, RSP, size);
		saves.slot[1] = (int16_t)(1 - size / 8); /* one word above sp */
		add(&f, 0, 16, saves);
		add(&f, 16, 32, plain(&f, RBP, 16));
		add_root(&f, 32, 48);
		finish(&f);
		memset(stack, 0, sizeof(stack));
		stack[1] = STACK + (uint64_t)size + 64;
		stack[size / 8 - 1] = code(20);
		stack[size / 8 + 9] = code(40);
		walk(&f, 4);
		assert_int_equal(f.result.status, WT_WALK_COMPLETE);
		assert_int_equal(f.result.n, 3);
		fixture_deinit(&f);
	}
}

static void the_end_of_the_copy_is_not_the_end_of_the_stack(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8 * WORDS + 8));
	finish(&f);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_TRUNCATED);
	assert_int_equal(f.result.where, STACK + 8 * WORDS);
	assert_int_equal(f.result.n, 1);
	f.in.options = WT_WALK_WHOLE_STACK;
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	fixture_deinit(&f);
}

static void memory_below_the_window_is_bad(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RBP, 16));
	finish(&f);
	f.regs.r[RBP] = 4096;
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	assert_int_equal(f.result.where, 4096 + 8);
	fixture_deinit(&f);
}

static void a_stack_that_turns_back_is_bad(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 16));
	add(&f, 16, 32, plain(&f, RBP, 0));
	finish(&f);
	f.stack[1] = code(20);
	f.regs.r[RBP] = STACK + 8; /* CFA below the caller's sp */
	f.stack[0] = code(20);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	assert_int_equal(f.result.n, 2);
	assert_int_equal(f.result.where, code(20));
	fixture_deinit(&f);
}

static void no_module_and_no_rule_are_named(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	finish(&f);
	walk(&f, 100);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.module, 7);
	assert_int_equal(f.result.where, code(100));
	f.stack[0] = 0x1234;
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.module, WT_WALK_MODULE_NONE);
	assert_int_equal(f.result.where, 0x1234);
	assert_int_equal(f.result.n, 2);
	fixture_deinit(&f);
}

/* A root says that it is one. Where a rule reads 0 the rule is wrong, as in the last instructions of a
 * landing, or the stack is. */
static void a_return_address_of_zero_is_no_root(void **state)
{
	const struct wt_abi_unwind_rule trampoline = {.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = RSP, .offset = 40};
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, trampoline);
	finish(&f);
	f.stack[0] = 0;
	walk(&f, 4);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	assert_int_equal(f.result.where, code(4));
	assert_int_equal(f.result.n, 1);
	/* A signal's handler tells where it came from: here a call of NULL. */
	f.stack[5 + 15] = STACK + 8 * 45;
	f.stack[5 + 16] = 0;
	walk(&f, 16);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.module, WT_WALK_MODULE_NONE);
	assert_int_equal(f.result.n, 2);
	assert_int_equal(f.pc[1], 0);
	fixture_deinit(&f);
}

static void frame_pointers_where_there_is_no_table(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	f.module.fallback = WT_WALK_FP;
	f.regs.r[RBP] = STACK + 16;
	f.stack[2] = STACK + 32;
	f.stack[3] = code(200);
	f.stack[4] = 0;
	f.stack[5] = code(300);
	walk(&f, 100);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.result.n_fp, 3);
	assert_int_equal(f.pc[2], code(300));
	f.stack[3] = 0;
	walk(&f, 100);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 1);
	assert_int_equal(f.result.n_fp, 1);
	f.regs.r[RBP] = STACK + 17;
	walk(&f, 100);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	fixture_deinit(&f);
}

/* Every word is the same: an endless recursion for whoever reads it. */
static enum wt_walk_read same_word(void *ctx, uint64_t address, uint64_t *ret)
{
	(void)ctx;
	*ret = code(2 + (address / 8 & 3));
	return WT_WALK_READ_OK;
}

static void depth_and_recursion_are_told_apart(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	finish(&f);
	f.in.window_size = 0;
	f.in.read = same_word;
	walk(&f, 0);
	assert_int_equal(f.result.n, WT_WALK_MAX);
	assert_int_equal(f.result.status, WT_WALK_RECURSION);
	f.in.max = 40; /* too few to tell */
	walk(&f, 0);
	assert_int_equal(f.result.n, 40);
	assert_int_equal(f.result.status, WT_WALK_DEPTH);
	f.in.max = 0;
	walk(&f, 0);
	assert_int_equal(f.result.n, 0);
	assert_int_equal(f.result.status, WT_WALK_DEPTH);
	fixture_deinit(&f);
}

static void arm64_leaf_frame_and_signature(void **state)
{
	struct wt_abi_unwind_rule frame;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_AARCH64);
	add(&f, 0, 16, plain(&f, SP, 0)); /* leaf: x30 is the return address */
	frame = plain(&f, SP, 32);
	frame.slot[10] = -4;
	frame.slot[11] = -3;
	add(&f, 16, 32, frame);
	add_root(&f, 32, 48);
	finish(&f);
	f.regs.r[LR] = code(20) | UINT64_C(0x55) << 48;
	f.stack[1] = code(40) | UINT64_C(0x1234) << 48; /* CFA - 24 */
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.pc[1], code(20));
	assert_int_equal(f.pc[2], code(40));
	/* The same leaf rule in a caller leads nowhere: it would return to itself. */
	f.regs.r[LR] = code(4);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_BAD_MEMORY);
	fixture_deinit(&f);
}

static void arm64_signal_frame(void **state)
{
	const struct wt_abi_unwind_rule trampoline = {.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = SP, .offset = 16};
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_AARCH64);
	add(&f, 0, 16, plain(&f, SP, 0));
	add(&f, 16, 32, trampoline);
	add_root(&f, 32, 48);
	finish(&f);
	f.regs.r[LR] = code(17);
	f.stack[2 + 30] = code(40); /* x30 of the leaf that was interrupted */
	f.stack[2 + 31] = STACK + 8 * 40;
	f.stack[2 + 32] = code(8);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 4);
	assert_int_equal(f.pc[2], code(8));
	assert_int_equal(f.pc[3], code(40));
	assert_true(wt_walk_is_exact(&f.result, 2));
	fixture_deinit(&f);
}

static void a_machine_nobody_knows_gives_one_frame(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, 40);
	walk(&f, 3);
	assert_int_equal(f.result.n, 1);
	assert_int_equal(f.pc[0], code(3));
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	fixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaf_to_root),
		cmocka_unit_test(a_return_address_is_looked_up_one_byte_earlier),
		cmocka_unit_test(a_saved_frame_pointer_leads_on),
		cmocka_unit_test(a_realigned_frame_is_left_through_memory),
		cmocka_unit_test(scratch_registers_serve_the_innermost_frame),
		cmocka_unit_test(a_signal_frame_gives_all_registers_back),
		cmocka_unit_test(a_register_that_words_do_not_follow),
		cmocka_unit_test(a_shared_cache_serves_other_processes),
		cmocka_unit_test(a_trail_saves_searches_and_nothing_else),
		cmocka_unit_test(a_walk_can_begin_in_a_caller),
		cmocka_unit_test(large_frames_are_walked_as_well),
		cmocka_unit_test(the_end_of_the_copy_is_not_the_end_of_the_stack),
		cmocka_unit_test(memory_below_the_window_is_bad),
		cmocka_unit_test(a_stack_that_turns_back_is_bad),
		cmocka_unit_test(no_module_and_no_rule_are_named),
		cmocka_unit_test(a_return_address_of_zero_is_no_root),
		cmocka_unit_test(frame_pointers_where_there_is_no_table),
		cmocka_unit_test(depth_and_recursion_are_told_apart),
		cmocka_unit_test(arm64_leaf_frame_and_signature),
		cmocka_unit_test(arm64_signal_frame),
		cmocka_unit_test(a_machine_nobody_knows_gives_one_frame),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
