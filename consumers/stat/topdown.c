// SPDX-License-Identifier: MIT
/* The topdown tree of a model with the measured values, and the next step. */
#include <strings.h>

#include "consumers/pmu/topdown.h"
#include "consumers/stat/found.h"

struct measured {
	const struct wt_metric_list *metrics;
	const struct wt_count_row *row;
	struct wt_buf *out;
};

static bool value(void *ctx, const struct wt_pmu_metric *metric, struct wt_span *ret)
{
	const struct measured *measured = ctx;

	for (size_t i = 0; i < measured->metrics->n; i++) {
		if (!measured->row->metrics[i].given ||
		    strcasecmp(measured->metrics->metrics[i].name, metric->name))
			continue;
		*ret = measured->row->metrics[i].span;
		return true;
	}
	return false;
}

static void take(void *ctx, const struct wt_topdown_row *row)
{
	const struct measured *measured = ctx;
	int indent = (int)row->depth * 2, width = 40 - indent;

	wt_buf_printf(measured->out, "      %s %*s", row->stands_out ? "*" : " ", indent, "");
	if (row->metric)
		wt_buf_printf(measured->out, "%-*s  %8.1f  %s\n", width > 0 ? width : 0, row->metric->name,
			      row->value.value, row->metric->unit);
	else
		wt_buf_printf(measured->out, "%s\n", row->node->name);
}

static void put_tree(const struct wt_stat_found *found, const struct wt_pmu_model *model,
		     const struct wt_count_row *row, struct wt_buf *out)
{
	struct measured measured = {&found->plan->metrics, row, out};
	struct wt_topdown_way way;

	wt_topdown_find(model, value, &measured, &way);
	if (!way.n)
		return;
	wt_buf_printf(out, "\nTopdown of %s:\n\n", model->name);
	wt_topdown_walk(model, value, &measured, take, &measured);
	wt_buf_puts(out, "\nnext: ");
	wt_topdown_say(model, value, &measured, &way, out);
	wt_buf_puts(out, "\n");
}

void wt_stat_topdown(const struct wt_stat_found *found, struct wt_buf *out)
{
	const struct wt_count_result *result = found->result;
	const struct wt_core_type *types = found->plan->cores.types;

	if (!found->plan->metrics.n)
		return;
	if (result->total.core != WT_CORES_MIXED) {
		put_tree(found, types[result->total.core].model, &result->total, out);
		return;
	}
	for (size_t i = 0; result->by == WT_BY_TYPE && i < result->n_rows; i++)
		if (result->rows[i].core != WT_CORES_MIXED)
			put_tree(found, types[result->rows[i].core].model, &result->rows[i], out);
}
