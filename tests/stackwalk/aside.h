/* SPDX-License-Identifier: MIT */
/* The only instructions whose true stack is undefined, and which the stepper therefore sets aside: those of
 * the two kinds of function that leave frames other than by returning.
 *
 *   __longjmp             the whole of it. Its unwind data tell of the frame it goes to, and it loads that
 * frame's registers one by one. _Unwind_Resume and    from the call of uw_install_context_1 on, which puts
 * the registers of the frame with the its like              landing pad where the function has saved its
 * caller's, to the jump. It is the last call but one that they make; the last is _Unwind_DebugHook.
 *
 * A frame that is left by any other function is a difference like any other. */
#ifndef TESTS_STACKWALK_ASIDE_H
#define TESTS_STACKWALK_ASIDE_H

#include "tests/stackwalk/shadow.h"

/* Decides on frames that the code at pc has left: sets *from to the moment (struct shadow_left) from which on
 * its stack was undefined, and counts `now` - *from instructions. False: not one of those functions. */
bool aside_take(const struct target *target, uint64_t pc, const struct shadow_left *left, uint64_t now,
		uint64_t *from);
/* Counts the instructions between the first change of the stack pointer and the jump. */
void aside_more(uint64_t n);
/* A comment line for each function. */
void aside_print(void);

#endif
