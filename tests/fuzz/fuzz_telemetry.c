// SPDX-License-Identifier: MIT
// Covers: consumers/pmu/json_tree.c
// Covers: consumers/pmu/table.c
// Covers: consumers/pmu/table_intel.c
// Covers: consumers/pmu/table_read.c
// Covers: consumers/pmu/tree.c
// Covers: consumers/pmu/topdown.c
/*
 * Any bytes as a table or a vendor's telemetry file: refused with one line, or a model: sorted, found by its
 * names, every formula ready, and a tree that can be walked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/pmu/table_read.h"
#include "consumers/pmu/topdown.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_events(const struct wt_pmu_model *model)
{
	for (size_t i = 0; i < model->n_events; i++) {
		require(!i || strcasecmp(model->events[i - 1].name, model->events[i].name) < 0);
		require(wt_pmu_event_named(model, model->events[i].name) == &model->events[i]);
	}
}

static void check_metrics(const struct wt_pmu_model *model)
{
	for (size_t i = 0; i < model->n_metrics; i++) {
		struct wt_formula *formula;

		require(wt_pmu_metric_named(model, model->metrics[i].name) == &model->metrics[i]);
		require(!wt_pmu_metric_formula(model, &model->metrics[i], &formula, NULL));
		wt_formula_destroy(formula);
	}
}

static void check_groups(const struct wt_pmu_model *model)
{
	for (size_t i = 0; i < model->n_groups; i++) {
		require(model->groups[i].metrics.n);
		for (size_t k = 0; k < model->groups[i].metrics.n; k++)
			require(wt_pmu_metric_named(model, model->groups[i].metrics.word[k]));
	}
}

static bool value(void *ctx, const struct wt_pmu_metric *metric, struct wt_span *ret)
{
	double v = (double)(strlen(metric->name) * 37 % 100);

	(void)ctx;
	*ret = (struct wt_span){v, v, v};
	return v > 10;
}

static void take(void *ctx, const struct wt_topdown_row *row)
{
	require(row->node->name && row->depth < WT_PMU_TREE_DEEP + 2);
	(*(size_t *)ctx)++;
}

static void check_tree(const struct wt_pmu_model *model)
{
	struct wt_topdown_way way;
	struct wt_buf out = {0};
	size_t rows = 0;

	require(wt_topdown_walk(model, value, NULL, take, &rows) == rows && rows <= WT_TOPDOWN_ROWS);
	wt_topdown_find(model, value, NULL, &way);
	wt_topdown_say(model, value, NULL, &way, &out);
	require(!memchr(wt_buf_cstr(&out), '\n', out.len));
	wt_buf_deinit(&out);
}

static void check_model(const struct wt_pmu_model *model)
{
	check_events(model);
	check_metrics(model);
	check_groups(model);
	check_tree(model);
}

/* Filled from one that has an event, a metric and a tree: whole again, unless the two make a formula lead to
 * itself. */
static void check_fill(struct wt_pmu_table *table)
{
	static const char text[] =
		"{\"wtrace_pmu\":1,\"events\":{\"a\":\"0x1\",\"z\":\"0x2\"},\"metrics\":{\"m\":{\"formula\":"
		"\"a / z\"}},\"groups\":{\"G\":[\"m\"]},\"topdown\":{\"roots\":[\"m\"],\"nodes\":"
		"{\"m\":{\"metric\":\"m\",\"next\":[\"G\"]}}}}";
	struct wt_pmu_table *other;
	struct wt_err err = WT_ERR_INIT;

	require(!wt_pmu_table_read(text, sizeof(text) - 1, "other", &other, NULL, &err));
	if (wt_pmu_table_fill(table, other, &err) || wt_pmu_table_finish(table, &err)) {
		require(err.code == WT_ERR_FORMAT);
	} else {
		check_model(&table->model);
		require(wt_pmu_event_named(&table->model, "z"));
	}
	wt_pmu_table_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_pmu_table *table;
	struct wt_pmu_rule rule;
	struct wt_err err = WT_ERR_INIT;

	if (wt_pmu_table_read((const char *)data, size, "fuzz", &table, &rule, &err)) {
		require(err.code == WT_ERR_FORMAT && err.text[0] && !strchr(err.text, '\n'));
		return 0;
	}
	check_model(&table->model);
	check_fill(table);
	wt_pmu_table_destroy(table);
	return 0;
}
