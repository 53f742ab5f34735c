/* SPDX-License-Identifier: MIT */
/* Frames that were interrupted: by signals, on any stack, and within a system call that returns twice. */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

/* Behind the system call that makes a thread: the one that called goes on, the new one has no caller,
 * whatever lies on its stack. */
static void a_system_call_that_returns_twice(void **state)
{
	struct wt_abi_unwind_rule twice;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	twice = plain(&f, RSP, 8);
	twice.flags = WT_ABI_RULE_TWICE;
	add(&f, 0, 16, twice);
	add_root(&f, 16, 32);
	finish(&f);
	f.stack[0] = code(20);
	f.regs.r[0] = 4711;
	walk(&f, 4);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 2);
	f.regs.r[0] = 0;
	walk(&f, 4);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 1);
	/* A frame that is returned to knows nothing of the register. */
	f.stack[0] = code(4);
	f.stack[1] = code(20);
	f.regs.r[0] = 1;
	walk(&f, 4);
	assert_int_equal(f.result.n, 3);
	fixture_deinit(&f);
}

/* The interrupted frame's stack may lie anywhere: here below the handler's, whose own handler runs on top of
 * it again. Where that is not in the copy the walk is cut, and nothing is wrong. */
static void a_signal_frame_leads_to_any_stack(void **state)
{
	const struct wt_abi_unwind_rule trampoline = {.cfa = WT_ABI_CFA_SIGCONTEXT, .reg = RSP, .offset = 40};
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	add(&f, 0, 16, plain(&f, RSP, 8));
	add(&f, 16, 32, trampoline);
	add(&f, 32, 48, plain(&f, RSP, 16));
	add_root(&f, 48, 64);
	finish(&f);
	f.regs.r[RSP] = STACK + 8 * 40;
	f.stack[40] = code(17);
	f.stack[41 + 5 + 15] = STACK + 8 * 20; /* down */
	f.stack[41 + 5 + 16] = code(4);
	f.stack[20] = code(17);
	f.stack[21 + 5 + 15] = STACK + 8 * 62; /* up */
	f.stack[21 + 5 + 16] = code(36);
	f.stack[63] = code(50);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 6);
	assert_int_equal(f.pc[2], code(4));
	assert_int_equal(f.pc[4], code(36));
	assert_int_equal(f.pc[5], code(50));
	f.in.window = (const uint8_t *)&f.stack[40];
	f.in.window_at = STACK + 8 * 40;
	f.in.window_size = 8 * 24;
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_TRUNCATED);
	assert_int_equal(f.result.n, 3);
	assert_int_equal(f.result.where, STACK + 8 * 20);
	fixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_system_call_that_returns_twice),
		cmocka_unit_test(a_signal_frame_leads_to_any_stack),
	};

	return cmocka_run_group_tests_name("stackwalk/walk_signal", tests, NULL, NULL);
}
