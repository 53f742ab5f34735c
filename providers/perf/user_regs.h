/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The user registers in perf samples: the requested ones, and the place of each in a struct wt_stack_dump.
 *
 * The kernel writes the registers of the mask in the order of their bits; that order is its own, not that of
 * the DWARF numbers unwind tables use.
 */
#ifndef PROVIDERS_PERF_USER_REGS_H
#define PROVIDERS_PERF_USER_REGS_H

#include "tracecore/event.h"

/** Marks the program counter in place of a DWARF number. */
#define WT_PERF_REG_PC 255

struct wt_perf_user_regs {
	uint8_t machine; /**< enum wt_abi_unwind_machine */
	uint8_t n;       /**< words in a sample */
	uint64_t mask;   /**< perf_event_attr.sample_regs_user; n bits */
	uint8_t dwarf[40];
};

/** The general registers, stack pointer and program counter of the machine this code was compiled for. */
extern const struct wt_perf_user_regs wt_perf_regs_x86_64, wt_perf_regs_aarch64;
#if defined(__aarch64__)
#define WT_PERF_REGS (&wt_perf_regs_aarch64)
#else
#define WT_PERF_REGS (&wt_perf_regs_x86_64)
#endif

/** Puts regs->n words, as they lie in a sample, into ret->pc and ret->r; the rest of r stays as it is. */
void wt_perf_regs_get(const struct wt_perf_user_regs *regs, const uint8_t *words, struct wt_stack_dump *ret);

#endif
