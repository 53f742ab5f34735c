/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The walker's facts about a machine. They are constants, so that inlined code needs no test of them. For
 * walk_core.h and its parts.
 */
#ifndef TRACECORE_STACKWALK_WALK_MACHINE_H
#define TRACECORE_STACKWALK_WALK_MACHINE_H

#include "tracecore/abi/wt_unwind.h"

#define WT_WALK_INLINE static inline __attribute__((always_inline))
/* Keeps code that few frames need out of the loop. */
#define WT_WALK_RARE static __attribute__((noinline, unused))

/* The constants of a machine. With the functions inlined, all tests of them are constant too. */
struct wt_walk_machine {
	uint32_t n_slots, sp, fp, fp_slot, ra_slot;
	uint32_t sigcontext_sp, sigcontext_pc; /* byte offsets from the first general register */
};

static const uint8_t wt_walk_x86_64_reg[WT_ABI_UNWIND_SLOTS] = {3, 6, 12, 13, 14, 15, 16};
/* Slot of a register; 255 for registers that a call does not keep. */
static const uint8_t wt_walk_x86_64_slot[32] = {255, 255, 255, 0,   255, 255, 1,   255, 255, 255, 255,
						255, 2,   3,   4,   5,   255, 255, 255, 255, 255, 255,
						255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
/* The kernel's order in struct sigcontext, as DWARF numbers; rsp and rip follow. */
static const uint8_t wt_walk_x86_64_context[15] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2};

static const struct wt_walk_machine wt_walk_x86_64 = {.n_slots = 7,
						      .sp = 7,
						      .fp = 6,
						      .fp_slot = 1,
						      .ra_slot = 6,
						      .sigcontext_sp = 120,
						      .sigcontext_pc = 128};
static const struct wt_walk_machine wt_walk_aarch64 = {.n_slots = 12,
						       .sp = 31,
						       .fp = 29,
						       .fp_slot = 10,
						       .ra_slot = 11,
						       .sigcontext_sp = 248,
						       .sigcontext_pc = 256};

WT_WALK_INLINE bool wt_walk_is_arm(const struct wt_walk_machine *m)
{
	return m->sp == 31;
}

WT_WALK_INLINE uint32_t wt_walk_slot_of(const struct wt_walk_machine *m, uint32_t reg)
{
	if (wt_walk_is_arm(m))
		return reg >= 19 && reg <= 30 ? reg - 19 : 255;
	return wt_walk_x86_64_slot[reg & 31];
}

WT_WALK_INLINE uint32_t wt_walk_reg_of(const struct wt_walk_machine *m, uint32_t slot)
{
	return wt_walk_is_arm(m) ? slot + 19 : wt_walk_x86_64_reg[slot];
}

#endif
