// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/stat/found.h"
#include "tests/unit/consumers/pmu/with_models.h"

enum { METRICS = 4 };

static struct wt_stat_plan plan;
static struct wt_metric_use uses[METRICS];
static struct wt_metric_value values[METRICS];

static void measure(const char *name, bool given, double value)
{
	size_t i = plan.metrics.n++;

	snprintf(uses[i].name, sizeof(uses[i].name), "%s", name);
	values[i] = (struct wt_metric_value){.given = given, .span = {value, value, value}};
}

static void shows(const struct wt_count_result *result, const char *expected)
{
	const struct wt_stat_found found = {.plan = &plan, .result = result};
	struct wt_buf out = {0};

	wt_stat_topdown(&found, &out);
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static int new_plan(void **state)
{
	(void)state;
	plan = (struct wt_stat_plan){.cores.n = 1, .metrics.metrics = uses};
	plan.cores.types[0].model = wt_pmu_model_named(models, "neoverse-n2-r0p3");
	return plan.cores.types[0].model ? 0 : -1;
}

static void tree_and_next_step(void **state)
{
	const struct wt_count_result result = {.total = {.metrics = values}};

	(void)state;
	measure("Frontend_Bound", true, 41.25);
	measure("retiring", true, 30);
	measure("backend_bound", false, 90);
	measure("itlb_mpki", true, 2.5);
	shows(&result, "\nTopdown of neoverse-n2-r0p3:\n\n"
		       "      * frontend_bound                                41.2  percent of slots\n"
		       "          ITLB_Effectiveness\n"
		       "      *     itlb_mpki                                  2.5  MPKI\n"
		       "        retiring                                      30.0  percent of slots\n"
		       "\nnext: frontend bound 41 %, itlb mpki 2.5 MPKI: sample itlb_walk; measure "
		       "Branch_Effectiveness,L1I_Cache_Effectiveness,L2_Cache_Effectiveness,LL_Cache_"
		       "Effectiveness for more\n");
}

/* Kinds of cores have trees of their own; a sum of several has none. */
static void kinds_of_cores(void **state)
{
	struct wt_count_row row = {.core = 0, .metrics = values};
	struct wt_count_result result = {.by = WT_BY_TYPE,
					 .rows = &row,
					 .n_rows = 1,
					 .total = {.core = WT_CORES_MIXED, .metrics = values}};

	(void)state;
	measure("bad_speculation", true, 12);
	shows(&result,
	      "\nTopdown of neoverse-n2-r0p3:\n\n"
	      "      * bad_speculation                               12.0  percent of slots\n"
	      "\nnext: bad speculation 12 %: sample stall_slot,br_mis_pred; measure Branch_Effectiveness for "
	      "more\n");
	result.by = WT_BY_CPU;
	shows(&result, "");
}

static void nothing_of_the_tree(void **state)
{
	const struct wt_count_result result = {.total = {.metrics = values}};

	(void)state;
	shows(&result, "");
	measure("ipc", true, 1.5);
	measure("l1d_cache_mpki", true, 9);
	shows(&result, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tree_and_next_step, new_plan),
		cmocka_unit_test_setup(kinds_of_cores, new_plan),
		cmocka_unit_test_setup(nothing_of_the_tree, new_plan),
	};

	return cmocka_run_group_tests(tests, open_models, close_models);
}
