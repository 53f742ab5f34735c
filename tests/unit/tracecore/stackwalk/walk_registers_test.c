/* SPDX-License-Identifier: MIT */
/* Where a walk finds a register's value: popped, in the red zone, in another register. */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

/* A row says that rbp is below sp, which is not in the copy; the caller is found by rbp, which holds the
 * right thing. */
static void walk_with_rbp_below(struct fixture *f, uint8_t flags, uint64_t from)
{
	struct wt_abi_unwind_rule row;

	fixture_init(f, WT_ABI_UNWIND_X86_64);
	row = plain(f, RSP, 8);
	row.slot[1] = -2;
	row.flags = flags;
	add(f, 0, 16, row);
	add(f, 16, 32, plain(f, RBP, 16));
	add_root(f, 32, 48);
	finish(f);
	f->stack[0] = code(20);
	f->regs.r[RBP] = STACK + 8 * 4;
	f->stack[5] = code(40);
	walk(f, from);
}

/* It was popped. */
static void a_popped_register_is_taken_from_itself(void **state)
{
	struct fixture f;

	(void)state;
	walk_with_rbp_below(&f, 0, 1);
	assert_int_equal(f.result.status, WT_WALK_COMPLETE);
	assert_int_equal(f.result.n, 3);
	fixture_deinit(&f);
}

/* It was moved into the red zone: rbp holds something else, which may look right. */
static void a_register_in_the_red_zone_is_not_taken_from_itself(void **state)
{
	struct fixture f;

	(void)state;
	walk_with_rbp_below(&f, WT_ABI_RULE_BELOW, 1);
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
