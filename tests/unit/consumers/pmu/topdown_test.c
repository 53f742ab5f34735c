// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "consumers/pmu/topdown.h"
#include "tests/unit/consumers/pmu/with_models.h"

struct given {
	const char *metric;
	double value;
};

static bool value(void *ctx, const struct wt_pmu_metric *metric, struct wt_span *ret)
{
	for (const struct given *given = ctx; given->metric; given++) {
		if (strcasecmp(given->metric, metric->name))
			continue;
		*ret = (struct wt_span){given->value, given->value, given->value};
		return true;
	}
	return false;
}

static void says(const char *table, const struct given *given, const char *expected)
{
	const struct wt_pmu_model *model = wt_pmu_model_named(models, table);
	struct wt_topdown_way way;
	struct wt_buf out = {0};

	assert_non_null(model);
	wt_topdown_find(model, value, (void *)given, &way);
	wt_topdown_say(model, value, (void *)given, &way, &out);
	assert_string_equal(wt_buf_cstr(&out), expected);
	wt_buf_deinit(&out);
}

static void the_next_step_on_arm(void **state)
{
	const struct given roots[] = {
		{"frontend_bound", 41.2}, {"backend_bound", 30}, {"retiring", 20}, {NULL, 0}};
	const struct given more[] = {{"frontend_bound", 41.2},
				     {"backend_bound", 30},
				     {"l1i_cache_mpki", 23.45},
				     {"itlb_mpki", 2},
				     {"l1d_cache_mpki", 90},
				     {"l1i_cache_miss_ratio", 99},
				     {NULL, 0}};
	const struct given deep[] = {{"frontend_bound", 60},     {"frontend_core_bound", 10},
				     {"frontend_mem_bound", 50}, {"frontend_mem_tlb_bound", 40},
				     {"itlb_mpki", 7},           {NULL, 0}};
	const struct given nothing[] = {{NULL, 0}};

	(void)state;
	says("neoverse-n2-r0p3", roots,
	     "frontend bound 41 %: sample stall_slot_frontend; measure "
	     "Branch_Effectiveness,ITLB_Effectiveness,L1I_Cache_Effectiveness,L2_Cache_Effectiveness,"
	     "LL_Cache_Effectiveness for more");
	says("neoverse-n2-r0p3", more,
	     "frontend bound 41 %, l1i cache mpki 23.4 MPKI: sample l1i_cache_refill; measure "
	     "Branch_Effectiveness,L2_Cache_Effectiveness,LL_Cache_Effectiveness for more");
	says("neoverse-n3", deep,
	     "frontend bound 60 %, frontend mem bound 50 %, frontend mem tlb bound 40 %, itlb mpki 7 MPKI: "
	     "sample itlb_walk");
	says("neoverse-n1", nothing, "");
	says("armv8-a", roots, "");
}

/* Intel says what a metric must be over; what is not over it is not followed. */
static void thresholds_on_intel(void **state)
{
	const struct given given[] = {{"tma_frontend_bound", 30}, {"tma_backend_bound", 19},
				      {"tma_retiring", 45},       {"tma_fetch_latency", 25},
				      {"tma_icache_misses", 4},   {"tma_itlb_misses", 6},
				      {"tma_branch_resteers", 3}, {NULL, 0}};

	(void)state;
	says("icelake-sp", given,
	     "frontend bound 30 %, fetch latency 25 %, itlb misses 6 %: sample "
	     "frontend_retired.stlb_miss,frontend_retired.itlb_miss; measure "
	     "tma_code_stlb_hit,tma_code_stlb_miss for more");
}

struct lines {
	char text[4096];
	size_t len;
};

static void take(void *ctx, const struct wt_topdown_row *row)
{
	struct lines *lines = ctx;

	lines->len += (size_t)snprintf(lines->text + lines->len, sizeof(lines->text) - lines->len,
				       "%u%s%s%s ", row->depth, row->stands_out ? "*" : " ", row->node->name,
				       row->metric ? "" : "/");
}

static void rows_of_the_tree(void **state)
{
	const struct given given[] = {{"frontend_bound", 41},
				      {"retiring", 20},
				      {"itlb_mpki", 2},
				      {"itlb_walk_ratio", 1},
				      {NULL, 0}};
	struct lines lines = {{0}, 0};
	const struct wt_pmu_model *model = wt_pmu_model_named(models, "neoverse-v2");

	(void)state;
	assert_int_equal(wt_topdown_walk(model, value, (void *)given, take, &lines), 5);
	assert_string_equal(
		lines.text,
		"0*frontend_bound 1 ITLB_Effectiveness/ 2*itlb_mpki 2 itlb_walk_ratio 0 retiring ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_step_on_arm),
		cmocka_unit_test(thresholds_on_intel),
		cmocka_unit_test(rows_of_the_tree),
	};

	return cmocka_run_group_tests(tests, open_models, close_models);
}
