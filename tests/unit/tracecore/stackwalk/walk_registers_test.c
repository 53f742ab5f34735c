/* SPDX-License-Identifier: MIT */
/* Where a walk finds a register's value: popped, in the red zone, in another register. */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

/* The row still says rbp is on the stack, but it was popped: below sp, and not in the copy. */
static void a_popped_register_is_taken_from_itself(void **state)
{
	struct wt_abi_unwind_rule popped;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	popped = plain(&f, RSP, 8);
	popped.slot[1] = -2;
	add(&f, 0, 16, popped);
	add(&f, 16, 32, plain(&f, RBP, 16));
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[0] = code(20);
	f.regs.r[RBP] = STACK + 8 * 4;
	f.stack[5] = code(40);
	walk(&f, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	fixture_deinit(&f);
}

/* The same place, told by a function that moved rbp into the red zone: rbp holds something else. */
static void a_register_in_the_red_zone_is_not_taken_from_itself(void **state)
{
	struct wt_abi_unwind_rule moved;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	moved = plain(&f, RSP, 8);
	moved.slot[1] = -2;
	moved.flags = WT_ABI_RULE_BELOW;
	add(&f, 0, 16, moved);
	add(&f, 16, 32, plain(&f, RBP, 16));
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[0] = code(20);
	f.regs.r[RBP] = STACK + 8 * 4;
	f.stack[5] = code(40);
	walk(&f, 1);
	assert_int_equal(f.result.status, WT_WALK_NO_DATA);
	assert_int_equal(f.result.n, 2);
	fixture_deinit(&f);
}

/* rbx and rbp have changed places: rbp's value is in rbx, and rbx gets the old rbp's, not the new one's. */
static void registers_can_change_places(void **state)
{
	struct wt_abi_unwind_rule swapped, next;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	swapped = plain(&f, RSP, 8);
	swapped.flags = WT_ABI_RULE_ODD;
	swapped.slot[0] = WT_ABI_SLOT_REG + RBP;
	swapped.slot[1] = WT_ABI_SLOT_REG + 3;
	add(&f, 0, 16, swapped);
	next = plain(&f, RBP, 16);
	add(&f, 16, 32, next);
	add_root(&f, 32, 48);
	finish(&f);
	f.stack[0] = code(20);
	f.regs.r[3] = STACK + 8 * 4;
	f.regs.r[RBP] = 12345;
	f.stack[5] = code(40);
	walk(&f, 0);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	fixture_deinit(&f);
}

static void a_register_can_be_in_another_one(void **state)
{
	struct wt_abi_unwind_rule moved;
	struct fixture f;

	(void)state;
	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	moved = plain(&f, RSP, 0); /* vfork: the return address is in rdi */
	moved.flags = WT_ABI_RULE_ODD;
	moved.slot[6] = WT_ABI_SLOT_REG + 5;
	add(&f, 0, 16, moved);
	add_root(&f, 16, 32);
	finish(&f);
	f.regs.r[5] = code(20);
	walk(&f, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 2);
	fixture_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_popped_register_is_taken_from_itself),
		cmocka_unit_test(a_register_in_the_red_zone_is_not_taken_from_itself),
		cmocka_unit_test(registers_can_change_places),
		cmocka_unit_test(a_register_can_be_in_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
