// SPDX-License-Identifier: MIT
#include "consumers/pmu/ask.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/nearest.h"

enum { TABLES_MAX = 64 };

/* Names of all tables. */
static size_t tables(const struct wt_pmu_models *models, const char *names[TABLES_MAX])
{
	const struct wt_pmu_model *model;
	size_t n = 0;

	while (n < TABLES_MAX && (model = wt_pmu_model_at(models, n)))
		names[n++] = model->name;
	return n;
}

int wt_pmu_ask_open(const struct wt_pmu_ask *ask, const char *sys, struct wt_pmu_models **ret,
		    struct wt_err *err)
{
	const char *names[TABLES_MAX];

	if (wt_pmu_models_open(ask->telemetry, sys, ret, err))
		return -1;
	if (!ask->cpu_model || wt_pmu_model_named(*ret, ask->cpu_model))
		return 0;
	wt_fail_unknown(err, "CPU model", ask->cpu_model, names, tables(*ret, names));
	wt_pmu_models_close(*ret);
	*ret = NULL;
	return -1;
}

const struct wt_pmu_model *wt_pmu_asked(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models,
					size_t i)
{
	bool used;

	if (!ask->cpu_model && !ask->telemetry)
		return wt_pmu_model_here(models, i);
	if (!ask->cpu_model)
		return i ? NULL : wt_pmu_model_telemetry(models, &used);
	return i ? NULL : wt_pmu_model_named(models, ask->cpu_model);
}

bool wt_pmu_ask_wants(const struct wt_pmu_ask *ask, const char *name)
{
	return !ask->word || strcasestr(name, ask->word);
}

int wt_pmu_ask_fail_none(const struct wt_pmu_ask *ask, const struct wt_pmu_models *models, struct wt_err *err)
{
	const struct wt_pmu_model *model;
	const char *near = NULL;

	for (size_t i = 0; ask->word && !near && (model = wt_pmu_asked(ask, models, i)); i++) {
		const char **names = calloc(model->n_metrics + model->n_groups + 1, sizeof(*names));
		size_t n = 0;

		if (!names)
			return wt_fail_nomem(err);
		for (size_t k = 0; k < model->n_metrics; k++)
			names[n++] = model->metrics[k].name;
		for (size_t k = 0; k < model->n_groups; k++)
			names[n++] = model->groups[k].name;
		near = wt_nearest(ask->word, names, n);
		free(names);
	}
	if (near)
		return wt_fail(err, WT_ERR_NOTFOUND, "no metric has '%s' in its name; did you mean '%s'?",
			       ask->word, near);
	for (size_t i = 0; ask->word && (model = wt_pmu_asked(ask, models, i)); i++)
		if (model->n_metrics)
			return wt_fail(err, WT_ERR_NOTFOUND,
				       "no metric has '%s' in its name; 'wtrace list metrics' shows all",
				       ask->word);
	model = wt_pmu_asked(ask, models, 0);
	return wt_fail(
		err, WT_ERR_NOTFOUND,
		"the table of %s has no metrics; --cpu-model NAME shows those of another CPU (wtrace list "
		"metrics --cpu-model neoverse-n2-r0p3), --telemetry FILE takes a vendor's file",
		ask->cpu_model || ask->telemetry ? model->name : "this machine's CPUs");
}
