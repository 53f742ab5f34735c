/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Formulas of metrics: + - * / and parentheses over numbers and names of events, also what vendors' files use
 * beside them: min(a, b), max(a, b), comparisons (< > <= >= == !=) and "a if c else b". They are parsed when
 * they are used; nothing is compiled in. Precedence from low to high: if, comparisons, + and -, * and /, a
 * sign.
 *
 * A name begins with a letter, '_' or '#', and goes on with letters, digits and "_.:=#@". One that begins
 * with '#' is a property of the machine, not an event (wt_pmu_property in model.h). A name may also be a
 * metric's: wt_formula_parse_with puts its formula there. Numbers are decimal.
 *
 * A value is a span: the scaled count, and bounds that hold the true count with 95 % confidence (equal to it
 * where the count is exact). The result's bounds hold every result that values within the bounds can give.
 * Division by zero, and a value that is no number (not counted), give n/a, never 0. A divisor whose span
 * contains zero, and a comparison that values within the bounds decide both ways over a branch that is n/a,
 * leave the value without bounds.
 */
#ifndef CONSUMERS_PMU_FORMULA_H
#define CONSUMERS_PMU_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/err.h"

struct wt_formula;

struct wt_span {
	double value, low, high; /**< low > high: no bounds are known */
};

/** Longest formula: 64 KiB; deepest nesting: 64. Errors are WT_ERR_USAGE with the place in the text. */
int wt_formula_parse(const char *text, struct wt_formula **ret, struct wt_err *err);

/** The formula that stands behind a name, NULL for an event. */
typedef const char *wt_formula_lookup(void *ctx, const char *name);
/** As wt_formula_parse, with lookup(ctx, name) asked about each name. A formula that stands in several places
 * is computed once. At most 256 may stand behind names, and none may lead to itself. */
int wt_formula_parse_with(const char *text, wt_formula_lookup *lookup, void *ctx, struct wt_formula **ret,
			  struct wt_err *err);
void wt_formula_destroy(struct wt_formula *formula);

/** Names that it needs, each once, in the order of the text. They live as long as the formula. */
size_t wt_formula_names(const struct wt_formula *formula, const char *const **ret);

/** values: one for each name. False: n/a. No allocation; thread safe. */
bool wt_formula_eval(const struct wt_formula *formula, const struct wt_span *values, struct wt_span *ret);

#endif
