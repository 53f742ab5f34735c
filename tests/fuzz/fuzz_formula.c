// SPDX-License-Identifier: MIT
// Covers: consumers/pmu/formula.c
// Covers: consumers/pmu/formula_eval.c
/*
 * Any bytes as a formula: refused with one line, or parsed; then it has a value for any counts or none, a
 * value of exact counts is exact, and wider bounds hold it. A line feed parts formulas: the first may name
 * the others as f1, f2, ...
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/formula.h"

enum { TEXTS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

struct texts {
	char *text[TEXTS];
	size_t n;
};

static const char *behind(void *ctx, const char *name)
{
	const struct texts *texts = ctx;
	size_t i = name[0] == 'f' && name[1] && !name[2] ? (size_t)(name[1] - '0') : 0;

	return i && i < texts->n ? texts->text[i] : NULL;
}

static void check_values(const struct wt_formula *formula, size_t n, unsigned kind)
{
	struct wt_span *exact = calloc(n + 1, sizeof(*exact)), *wide = calloc(n + 1, sizeof(*wide)), one,
		       other;

	require(exact && wide);
	for (size_t i = 0; i < n; i++) {
		double value = (double)((i + 1) * 2654435761u * (kind + 1) % 1000) - (kind == 2 ? 500 : 0);

		exact[i] = (struct wt_span){value, value, value};
		wide[i] = (struct wt_span){value, value - 1, value + 2};
	}
	if (wt_formula_eval(formula, exact, &one)) {
		require(isfinite(one.value));
		require(one.low > one.high || (one.low == one.value && one.high == one.value));
	}
	if (wt_formula_eval(formula, wide, &other)) {
		require(other.value == one.value);
		require(other.low > other.high || (other.low <= one.value && one.value <= other.high));
	}
	for (size_t i = 0; i < n; i++)
		exact[i].value = NAN;
	require(!wt_formula_eval(formula, exact, &one) || isfinite(one.value));
	free(exact);
	free(wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size + 1), *rest, *text;
	struct wt_formula *formula;
	struct wt_err err = WT_ERR_INIT;
	struct texts texts = {.n = 0};
	const char *const *names;

	require(copy);
	memcpy(copy, data, size);
	copy[size] = 0;
	for (text = strtok_r(copy, "\n", &rest); text && texts.n < TEXTS; text = strtok_r(NULL, "\n", &rest))
		texts.text[texts.n++] = text;
	if (!texts.n)
		texts.text[0] = copy + size;
	if (wt_formula_parse_with(texts.text[0], behind, &texts, &formula, &err)) {
		require(err.code == WT_ERR_USAGE && err.text[0] && !strchr(err.text, '\n'));
	} else {
		size_t n = wt_formula_names(formula, &names);

		for (size_t i = 0; i < n; i++)
			require(*names[i] && strlen(names[i]) < 256);
		for (unsigned kind = 0; kind < 3; kind++)
			check_values(formula, n, kind);
		wt_formula_destroy(formula);
	}
	free(copy);
	return 0;
}
