/* SPDX-License-Identifier: MIT */
/**
 * @file
 * x86-64: finds out whether a function has pushed a register or has written it to its frame by a move.
 *
 * The difference matters where a row names a place below the stack pointer. A value that was pushed has then
 * been popped and is in its register again. A value that was moved there lies in the red zone, and the
 * register holds something else.
 */
#ifndef TRACECORE_STACKWALK_PUSH_H
#define TRACECORE_STACKWALK_PUSH_H

#include <stdbool.h>
#include <stdint.h>

/** True when one of the pushes at the end of the code is of that register (DWARF number): gcc describes each
 * push directly after it, and clang all of them at once, behind the `sub` that follows them. Also true when
 * one of the pushes at the beginning of the code is. code: from the function's start to the row that names
 * the place. */
bool wt_is_pushed(const uint8_t *code, uint64_t len, uint32_t reg);

#endif
