// SPDX-License-Identifier: MIT
#include "providers/perf/user_regs.h"

#include <asm/perf_regs.h>

#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/bytes.h"

#if defined(__aarch64__)
_Static_assert(PERF_REG_ARM64_LR == 30 && PERF_REG_ARM64_SP == 31 && PERF_REG_ARM64_PC == 32,
	       "perf's registers of arm64");
#else
_Static_assert(PERF_REG_X86_AX == 0 && PERF_REG_X86_IP == 8 && PERF_REG_X86_R8 == 16 &&
		       PERF_REG_X86_R15 == 23,
	       "perf's registers of x86-64");
#endif

/* ax bx cx dx si di bp sp ip, then r8 to r15; flags and segments lie between. */
const struct wt_perf_user_regs wt_perf_regs_x86_64 = {
	.machine = WT_ABI_UNWIND_X86_64,
	.n = 17,
	.mask = 0xff01ff,
	.dwarf = {0, 3, 2, 1, 4, 5, 6, 7, WT_PERF_REG_PC, 8, 9, 10, 11, 12, 13, 14, 15},
};

/* x0 to x30, sp, pc. */
const struct wt_perf_user_regs wt_perf_regs_aarch64 = {
	.machine = WT_ABI_UNWIND_AARCH64,
	.n = 33,
	.mask = 0x1ffffffff,
	.dwarf = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
		  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
		  22, 23, 24, 25, 26, 27, 28, 29, 30, 31, WT_PERF_REG_PC},
};

void wt_perf_regs_get(const struct wt_perf_user_regs *regs, const uint8_t *words, struct wt_stack_dump *ret)
{
	for (uint8_t i = 0; i < regs->n; i++) {
		uint64_t value = wt_load_u64(words + i * 8);

		if (regs->dwarf[i] == WT_PERF_REG_PC)
			ret->pc = value;
		else
			ret->r[regs->dwarf[i]] = value;
	}
}
