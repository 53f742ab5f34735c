// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "providers/perf/user_regs.h"
#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/bytes.h"

/* The number of the kernel's register in a sample, if the mask has it: the words lie in the order of bits. */
static uint64_t word_of(const struct wt_perf_user_regs *regs, unsigned bit)
{
	assert_true(regs->mask >> bit & 1);
	return (uint64_t)__builtin_popcountll(regs->mask & ((UINT64_C(1) << bit) - 1));
}

static void get(const struct wt_perf_user_regs *regs, struct wt_stack_dump *dump)
{
	uint8_t words[64 * 8];

	for (uint64_t i = 0; i < 64; i++)
		wt_store_u64(words + i * 8, 500 + i);
	*dump = (struct wt_stack_dump){0};
	wt_perf_regs_get(regs, words, dump);
}

static void each_once(const struct wt_perf_user_regs *regs)
{
	uint64_t seen[4] = {0};

	assert_int_equal(regs->n, __builtin_popcountll(regs->mask));
	assert_true(regs->n <= sizeof(regs->dwarf));
	for (uint8_t i = 0; i < regs->n; i++) {
		uint8_t to = regs->dwarf[i];

		assert_true(to < 32 || to == WT_PERF_REG_PC);
		assert_false(seen[to / 64] >> (to % 64) & 1);
		seen[to / 64] |= UINT64_C(1) << (to % 64);
	}
}

/* Both orders as their specifications give them: the kernel's arch/x86/include/uapi/asm/perf_regs.h and the
 * psABI's table of DWARF numbers. */
static void x86_64(void **state)
{
	enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8 = 16 };
	static const unsigned by_dwarf[] = {AX, DX, CX, BX, SI, DI, BP, SP};
	const struct wt_perf_user_regs *regs = &wt_perf_regs_x86_64;
	struct wt_stack_dump dump;

	(void)state;
	assert_int_equal(regs->machine, WT_ABI_UNWIND_X86_64);
	each_once(regs);
	get(regs, &dump);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(dump.r[i], 500 + word_of(regs, by_dwarf[i]));
	for (unsigned i = 8; i < 16; i++)
		assert_int_equal(dump.r[i], 500 + word_of(regs, R8 + i - 8));
	assert_int_equal(dump.pc, 500 + word_of(regs, IP));
}

static void aarch64(void **state)
{
	const struct wt_perf_user_regs *regs = &wt_perf_regs_aarch64;
	struct wt_stack_dump dump;

	(void)state;
	assert_int_equal(regs->machine, WT_ABI_UNWIND_AARCH64);
	each_once(regs);
	get(regs, &dump);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(dump.r[i], 500 + i);
	assert_int_equal(dump.pc, 532);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(aarch64),
	};

	return cmocka_run_group_tests_name("perf/user_regs", tests, NULL, NULL);
}
