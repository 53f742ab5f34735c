/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Inside of formulas: the code that the parser (formula.c) writes and the evaluation (formula_eval.c) runs.
 *
 * The code is in postfix order and has no jumps: both branches of an "if" are computed, and one is taken. So
 * what a slot holds has been computed before it is read, on every way.
 */
#ifndef CONSUMERS_PMU_FORMULA_CODE_H
#define CONSUMERS_PMU_FORMULA_CODE_H

#include "consumers/pmu/formula.h"

#define WT_FORMULA_STACK 512 /**< most values at a time: 64 levels take at most 7 each */
#define WT_FORMULA_SLOTS 256 /**< most formulas that stand behind names */

enum wt_formula_op {
	WT_OP_NUMBER, /**< number */
	WT_OP_NAME,   /**< index of the name */
	WT_OP_STORE,  /**< the top into the slot `index`; it stays */
	WT_OP_LOAD,   /**< the slot `index` */
	WT_OP_MINUS,  /**< one value */
	WT_OP_ADD,    /**< two values from here on */
	WT_OP_SUB,
	WT_OP_MUL,
	WT_OP_DIV,
	WT_OP_MIN,
	WT_OP_MAX,
	WT_OP_LESS,
	WT_OP_GREATER,
	WT_OP_AT_MOST,
	WT_OP_AT_LEAST,
	WT_OP_EQUAL,
	WT_OP_UNEQUAL,
	WT_OP_CHOOSE, /**< a if c else b: values a, c, b */
};

struct wt_formula_step {
	enum wt_formula_op op;
	uint32_t index;
	double number;
};

struct wt_formula {
	struct wt_formula_step *code; /**< never needs more than WT_FORMULA_STACK values */
	size_t n_code, cap_code;
	char **names;
	size_t n_names, cap_names;
};

#endif
