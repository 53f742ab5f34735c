/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Functions that return into another frame: _Unwind_Resume, _Unwind_RaiseException and their like, which
 * gcc's __builtin_eh_return ends.
 *
 * They save every register that a caller may want back. When the frame with the landing pad is found,
 * libgcc's uw_install_context_1 writes that frame's registers, return address included, over the saved ones.
 * From then on the place of the caller holds somebody else's address, and the data of the function do not say
 * so. From the call of uw_install_context_1 on such a function has no rows, and none at all when the call is
 * not found.
 *
 * Its unwind data give the function away: gcc saves the registers that carry the exception to the landing pad
 * (rax and rdx; x0 to x3), and no other registers that calls may change. The call is found by what follows
 * it: _Unwind_DebugHook, an empty function, is called within 48 bytes (libgcc's unwind.inc,
 * uw_install_context).
 */
#ifndef TRACECORE_STACKWALK_INSTALL_H
#define TRACECORE_STACKWALK_INSTALL_H

#include "tracecore/stackwalk/cfi.h"

/** Registers by DWARF number, as bits: what a function has saved at places of its frame says that it returns
 * into another frame. machine: enum wt_abi_unwind_machine. */
bool wt_install_suspected(uint32_t machine, uint32_t saved);

/** Where the saved registers of a suspected function stop being its caller's: the second byte of the call, so
 * that the call itself, not yet made, still has its caller. fde->start when the call is not found. cfi:
 * sorted. code: the bytes of [start, end), link-time, that hold the whole function. */
uint64_t wt_install_find(uint32_t machine, const struct wt_cfi *cfi, const struct wt_cfi_fde *fde,
			 const uint8_t *code, uint64_t start, uint64_t end);

#endif
