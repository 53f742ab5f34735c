/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the value of a DWARF expression of call frame information, without registers or memory.
 *
 * In practice an expression is a register plus a constant, memory at such a place plus a constant, or
 * arithmetic on the lowest bits of the program counter (PLT stubs), which are known for a row. Such a value
 * is computed here when the table is made. Everything else is WT_CFI_VALUE_UNKNOWN. Pure functions.
 */
#ifndef TRACECORE_STACKWALK_CFI_EXPR_H
#define TRACECORE_STACKWALK_CFI_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wt_cfi_value_kind {
	WT_CFI_VALUE_UNKNOWN = 0,
	WT_CFI_VALUE_CONST, /**< a */
	WT_CFI_VALUE_REG,   /**< reg + a */
	WT_CFI_VALUE_CFA,   /**< the CFA + a */
	WT_CFI_VALUE_DEREF, /**< 8 bytes at (reg + a), + b */
};

/** Values repeat when the pc has grown by this much. */
#define WT_CFI_PC_PERIOD 64u

struct wt_cfi_value {
	uint8_t kind; /**< enum wt_cfi_value_kind */
	uint8_t reg;  /**< DWARF number, at most 31 */
	/** Bits of the pc that the value depends on; below WT_CFI_PC_PERIOD. */
	uint64_t pc_bits;
	int64_t a, b;
};

/** Bytes in the section. */
struct wt_cfi_block {
	const uint8_t *bytes;
	size_t len;
};

enum wt_cfi_start {
	WT_CFI_START_EMPTY,   /**< DW_CFA_def_cfa_expression */
	WT_CFI_START_WITH_CFA /**< DW_CFA_expression: the CFA is on the stack at the start */
};

/** No register represents the pc in the expressions of the machine. */
#define WT_CFI_NO_PC_REG UINT32_MAX

/** Evaluates for one pc. pc_reg: the DWARF number that represents the pc (x86-64: 16). At most 64
 * operations. */
struct wt_cfi_value wt_cfi_evaluate(struct wt_cfi_block expr, enum wt_cfi_start start, uint64_t pc,
				    uint32_t pc_reg);

#endif
