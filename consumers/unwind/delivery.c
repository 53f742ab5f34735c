// SPDX-License-Identifier: MIT
#include "consumers/unwind/delivery.h"

#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/bytes.h"

/* Where a frame that the kernel writes for a signal (struct rt_sigframe) has the interrupted registers. */
enum {
	X86_64_PC = 176,  /* return address, then ucontext: 40 bytes before r8; rip is the 17th register */
	AARCH64_LR = 552, /* siginfo, then ucontext: 184 bytes before x0; x30, sp, pc */
	AARCH64_PC = 568,
};

/* False: nothing of the stack can be read there. */
static bool word_at(const struct wt_stack_dump *dump, uint64_t sp, uint32_t offset, uint64_t *ret)
{
	uint64_t address = sp + offset;

	if (dump->size >= 8 && offset <= dump->size - 8) {
		*ret = wt_load_u64(dump->bytes + offset);
		return true;
	}
	for (uint32_t i = 0; i < dump->n_parts; i++) {
		const struct wt_stack_part *part = &dump->parts[i];

		if (part->size >= 8 && address - part->at <= part->size - 8) {
			*ret = wt_load_u64(part->bytes + (address - part->at));
			return true;
		}
	}
	return false;
}

/* A word that was not copied may be any; one that the kernel could not read is none that it has just
 * written. */
static bool may_be(const struct wt_stack_dump *dump, uint64_t sp, uint32_t offset, uint64_t value)
{
	uint64_t word;

	return word_at(dump, sp, offset, &word) ? word == value : dump->cut;
}

bool wt_delivery_is_midway(const struct wt_stack_dump *dump)
{
	if (dump->machine == WT_ABI_UNWIND_X86_64)
		return may_be(dump, dump->r[7], X86_64_PC, dump->pc);
	if (dump->machine != WT_ABI_UNWIND_AARCH64)
		return false;
	/* Here the link register is changed last: until then the handler seems to return to the function that
	 * the interrupted one returns to. */
	return may_be(dump, dump->r[31], AARCH64_PC, dump->pc) ||
	       may_be(dump, dump->r[31], AARCH64_LR, dump->r[30]);
}
