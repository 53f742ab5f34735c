// SPDX-License-Identifier: MIT
/* Every formula of the tables with formulas, against values of an independent evaluator of the vendors'
 * files: vectors.txt, which vectors.py made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/pmu/model.h"
#include "tests/unit/consumers/pmu/with_models.h"

__asm__(".pushsection .rodata, \"a\"\n"
	"pmu_vectors:\n"
	".incbin \"tests/unit/consumers/pmu/vectors.txt\"\n"
	"pmu_vectors_end:\n"
	".popsection\n");
/* Hidden: through the table of other objects' addresses, arm64's linker takes both for one. */
__attribute__((visibility("hidden"))) extern const char pmu_vectors[], pmu_vectors_end[];

enum { SEEDS = 4, NAMES_MAX = 1024 };

/* As value() in vectors.py. */
static double input(int seed, const char *name)
{
	char text[300];
	uint64_t hash = 0xcbf29ce484222325;

	snprintf(text, sizeof(text), "%d:%s", seed, name);
	for (const char *p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x100000001b3;
	hash ^= hash >> 29;
	if (!strcmp(name, "#smt_on"))
		return seed & 1;
	return seed >= 2 && hash % 4 == 0 ? 0 : (double)(hash % 1000003 + 1);
}

static void check_value(const struct wt_formula *formula, int seed, const char *metric, const char *expected)
{
	struct wt_span values[NAMES_MAX], ret;
	const char *const *names;
	size_t n = wt_formula_names(formula, &names);
	bool known;

	assert_true(n <= NAMES_MAX);
	for (size_t i = 0; i < n; i++) {
		double value = input(seed, names[i]);

		values[i] = (struct wt_span){value, value, value};
	}
	known = wt_formula_eval(formula, values, &ret);
	if (known != (strcmp(expected, "n/a") != 0) || (known && ret.value != strtod(expected, NULL)))
		fail_msg("%s, seed %d: %.17g, not %s", metric, seed, known ? ret.value : 0.0, expected);
	if (known) {
		assert_true(ret.low == ret.value);
		assert_true(ret.high == ret.value);
	}
}

static void check_line(char *line)
{
	char *rest, *table = strtok_r(line, " ", &rest), *name = strtok_r(NULL, " ", &rest);
	const struct wt_pmu_model *model = wt_pmu_model_named(models, table);
	const struct wt_pmu_metric *metric;
	struct wt_formula *formula;
	struct wt_err err = WT_ERR_INIT;

	assert_non_null(model);
	metric = wt_pmu_metric_named(model, name);
	assert_non_null(metric);
	if (wt_pmu_metric_formula(model, metric, &formula, &err))
		fail_msg("%s", err.text);
	for (int seed = 0; seed < SEEDS; seed++)
		check_value(formula, seed, name, strtok_r(NULL, " ", &rest));
	wt_formula_destroy(formula);
}

static size_t metrics_with_formula(void)
{
	size_t n = 0;

	for (size_t i = 0; wt_pmu_model_at(models, i); i++)
		n += wt_pmu_model_at(models, i)->n_metrics;
	return n;
}

/* As many lines as metrics, so that none is left out. */
static void every_formula_is_equal(void **state)
{
	char *text = strndup(pmu_vectors, (size_t)(pmu_vectors_end - pmu_vectors)), *rest, *line;
	size_t n = 0;

	(void)state;
	assert_non_null(text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++)
		check_line(line);
	assert_int_equal(n, metrics_with_formula());
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_formula_is_equal)};

	return cmocka_run_group_tests(tests, open_models, close_models);
}
