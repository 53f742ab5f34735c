/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Runs the call frame program of one function. This gives rows at ascending addresses.
 */
#ifndef TRACECORE_STACKWALK_CFI_RUN_H
#define TRACECORE_STACKWALK_CFI_RUN_H

#include "tracecore/stackwalk/cfi.h"
#include "tracecore/stackwalk/table_writer.h"

/** The receiver of a function's rows, and facts about the function beyond its program. */
struct wt_cfi_run {
	struct wt_unwind_writer *writer;
	uint32_t machine;    /**< enum wt_abi_unwind_machine */
	uint32_t pc_rows;    /**< rows that may still be made from expressions with a pc */
	const uint8_t *code; /**< bytes of [code_start, code_end), link-time; NULL: not available */
	uint64_t code_start, code_end;
	uint32_t saved; /**< set by wt_cfi_run: registers (bits of DWARF numbers below 32) that the
			 * function saves somewhere at a place counted from its CFA */
};

/** Adds the rows of a function. 0: done; 1: the program is invalid from some address on, and the rest of the
 * function has no rows; -1: no memory. */
int wt_cfi_run(struct wt_cfi_run *run, const struct wt_cfi_cie *cie, const struct wt_cfi_fde *fde,
	       struct wt_err *err);

#endif
