/* SPDX-License-Identifier: MIT */
/**
 * @file
 * x86-64: whether a function has pushed a register or written it to its frame by a move.
 *
 * The difference matters where a row names a place below the stack pointer. What was pushed has then been
 * popped, and is in its register again; what was moved there lies in the red zone, and the register holds
 * something else.
 */
#ifndef TRACECORE_STACKWALK_PUSH_H
#define TRACECORE_STACKWALK_PUSH_H

#include <stdbool.h>
#include <stdint.h>

/** True when the last instruction of the code is a push of that register (DWARF number), as gcc tells of each
 * push behind it; or when one of the pushes that the code begins with is, as clang tells of all of them at
 * once. code: from the function's start to the row that tells of the place. */
bool wt_is_pushed(const uint8_t *code, uint64_t len, uint32_t reg);

#endif
