/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Functions that return into another frame by gcc's __builtin_eh_return: _Unwind_Resume,
 * _Unwind_RaiseException and similar ones.
 *
 * They save every register whose value a caller may need again. When the frame with the landing pad is
 * found, libgcc's uw_install_context_1 writes that frame's registers, return address included, over the
 * saved ones. From then on the place of the caller's address holds another address, which the function's
 * data do not describe. Such a function has no rows from the call of uw_install_context_1 on, and none at
 * all when the call is not found.
 *
 * Such a function is recognized by its unwind data: gcc saves the registers that carry the exception to the
 * landing pad (rax and rdx; x0 to x3), and no other registers that calls may change. The call is found by
 * the code after it: _Unwind_DebugHook, an empty function, is called within 48 bytes (libgcc's unwind.inc,
 * uw_install_context).
 */
#ifndef TRACECORE_STACKWALK_INSTALL_H
#define TRACECORE_STACKWALK_INSTALL_H

#include "tracecore/stackwalk/cfi.h"

/** True when the registers that a function has saved in its frame (by DWARF number, as bits) show that it
 * returns into another frame. machine: enum wt_abi_unwind_machine. */
bool wt_install_suspected(uint32_t machine, uint32_t saved);

/** Gives the address from which on the saved registers of a suspected function no longer belong to its
 * caller: the second byte of the call. So the call itself, not yet made, still has its caller. fde->start
 * when the call is not found. cfi: sorted. code: the bytes of [start, end), link-time, which hold the
 * whole function. */
uint64_t wt_install_find(uint32_t machine, const struct wt_cfi *cfi, const struct wt_cfi_fde *fde,
			 const uint8_t *code, uint64_t start, uint64_t end);

#endif
