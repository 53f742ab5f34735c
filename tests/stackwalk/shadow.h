/* SPDX-License-Identifier: MIT */
/* The call stack as it must be: kept by following every call, return and signal of a program that is stepped
 * through one instruction at a time. It knows nothing of unwind data. */
#ifndef TESTS_STACKWALK_SHADOW_H
#define TESTS_STACKWALK_SHADOW_H

#include "tests/stackwalk/target.h"

enum { SHADOW_MAX = 4096 };

struct shadow {
	struct shadow_entry {
		uint64_t pc;      /* where it goes on */
		uint64_t sp;      /* the stack pointer when the callee was entered */
		bool interrupted; /* by a signal: it did not call */
		/* Of the function that was entered: when, and when it made its last two calls. */
		uint64_t entered, call[2];
		uint32_t n_calls;
	} entry[SHADOW_MAX]; /* outermost first */
	uint32_t n;
	uint64_t now;     /* set by whoever steps: any clock that does not run backwards */
	bool in_transfer; /* frames were left other than by returning, and the code that did it still runs */
	/* The function that left frames last. */
	struct shadow_left {
		uint64_t entered, call[2]; /* as above; call[0] is the earlier */
		uint32_t n_calls;
		uint64_t caller[2]; /* addresses in the functions that called it, nearest first; 0: none */
	} left;
};

/* What one step was, from the machine's point of view. */
enum shadow_insn { SHADOW_OTHER, SHADOW_CALL, SHADOW_RETURN, SHADOW_SYSCALL };

/* The kind of instruction at bytes, of which there are at least 16 or the rest of the page. */
enum shadow_insn shadow_classify(uint32_t machine, const uint8_t *bytes, size_t len);

/* After the instruction `insn` took the thread from one state to the next. True when frames were left other
 * than by returning (longjmp, an exception). */
bool shadow_step(struct shadow *shadow, const struct target *target, enum shadow_insn insn,
		 const struct wt_walk_regs *before, const struct wt_walk_regs *after);
/* A signal handler was entered. */
void shadow_signal(struct shadow *shadow, const struct target *target, const struct wt_walk_regs *before,
		   const struct wt_walk_regs *after);
/* The walk the shadow stands for; pc and exact have room for WT_WALK_MAX. Returns the number of frames. */
uint32_t shadow_chain(const struct shadow *shadow, const struct wt_walk_regs *regs, uint64_t *pc,
		      bool *exact);

#endif
