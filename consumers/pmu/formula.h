/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Formulas of metrics: + - * / and parentheses over numbers and names of events, also the functions that
 * vendors' files use (min, max, "if" with else). They are parsed when they are used; nothing is compiled in.
 *
 * A value is a span: the scaled count, and bounds that hold the true count with 95 % confidence (equal to it
 * where the count is exact). The result's bounds hold every result that values within the bounds can give.
 * Division by zero, and a divisor whose span contains zero for the bounds, give n/a, never 0 (the value
 * itself may exist without bounds).
 */
#ifndef CONSUMERS_PMU_FORMULA_H
#define CONSUMERS_PMU_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/base/err.h"

struct wt_formula;

struct wt_span {
	double value, low, high; /**< low > high: no bounds are known */
};

/** Longest formula: 64 KiB; deepest nesting: 64. Errors are WT_ERR_USAGE with the place in the text. */
int wt_formula_parse(const char *text, struct wt_formula **ret, struct wt_err *err);
void wt_formula_destroy(struct wt_formula *formula);

/** Names that it needs, each once, in the order of the text. They live as long as the formula. */
size_t wt_formula_names(const struct wt_formula *formula, const char *const **ret);

/** values: one for each name. False: n/a (a division by zero). No allocation; thread safe. */
bool wt_formula_eval(const struct wt_formula *formula, const struct wt_span *values, struct wt_span *ret);

#endif
