// SPDX-License-Identifier: MIT
/* Items of a model by name, and its formulas (model.h). */
#include <stdlib.h>
#include <strings.h>

#include "consumers/pmu/model.h"

/* All items begin with their name. */
static int by_name(const void *a, const void *b)
{
	return strcasecmp(*(const char *const *)a, *(const char *const *)b);
}

static const void *find(const void *items, size_t n, size_t size, const char *name)
{
	return n ? bsearch(&name, items, n, size, by_name) : NULL;
}

const struct wt_pmu_event *wt_pmu_event_named(const struct wt_pmu_model *model, const char *name)
{
	return find(model->events, model->n_events, sizeof(*model->events), name);
}

const struct wt_pmu_metric *wt_pmu_metric_named(const struct wt_pmu_model *model, const char *name)
{
	return find(model->metrics, model->n_metrics, sizeof(*model->metrics), name);
}

const struct wt_pmu_group *wt_pmu_group_named(const struct wt_pmu_model *model, const char *name)
{
	return find(model->groups, model->n_groups, sizeof(*model->groups), name);
}

/* An event goes before a metric of the same name. */
static const char *behind(void *ctx, const char *name)
{
	const struct wt_pmu_model *model = ctx;
	const struct wt_pmu_metric *metric = wt_pmu_event_named(model, name)
						     ? NULL
						     : wt_pmu_metric_named(model, name);

	return metric ? metric->inner : NULL;
}

int wt_pmu_metric_formula(const struct wt_pmu_model *model, const struct wt_pmu_metric *metric,
			  struct wt_formula **ret, struct wt_err *err)
{
	if (!metric->formula)
		return wt_fail(err, WT_ERR_USAGE, "metric '%s' has no formula, only events", metric->name);
	return wt_formula_parse_with(metric->formula, behind, (void *)model, ret, err);
}
