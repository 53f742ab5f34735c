// SPDX-License-Identifier: MIT
#include "consumers/counting/cores.h"

#include <stdio.h>
#include <string.h>

#include "providers/perf/counter.h"
#include "tracecore/base/diag.h"

/* Adds a type for a CPU that belongs to none yet. CPUs of one PMU and one model share a type. */
static int place(struct wt_cores *cores, uint32_t cpu, struct wt_err *err)
{
	struct wt_core_type found = {.model = wt_pmu_model_of(cores->models, cpu)};
	struct wt_cpuset cpus;

	found.pmu = wt_counter_core_pmu(cores->devices, cpu, found.name, sizeof(found.name), &cpus);
	for (size_t i = 0; i < cores->n; i++)
		if (cores->types[i].pmu == found.pmu && cores->types[i].model == found.model) {
			wt_cpuset_add(&cores->types[i].cpus, cpu);
			return 0;
		}
	if (cores->n == WT_MOST_CORE_TYPES)
		return wt_fail(err, WT_ERR_LIMIT, "this machine has over %d kinds of cores",
			       WT_MOST_CORE_TYPES);
	wt_cpuset_add(&found.cpus, cpu);
	cores->types[cores->n++] = found;
	return 0;
}

/* If one PMU serves all CPUs, raw events use it without being told. */
static void settle(struct wt_cores *cores)
{
	bool several = false;

	for (size_t i = 1; i < cores->n; i++)
		several = several || cores->types[i].pmu != cores->types[0].pmu;
	for (size_t i = 0; i < cores->n && !several; i++) {
		cores->types[i].pmu = -1;
		snprintf(cores->types[i].name, sizeof(cores->types[i].name), "%s",
			 cores->types[i].model->name);
	}
}

int wt_cores_init(struct wt_cores *ret, const char *telemetry, struct wt_err *err)
{
	const struct wt_pmu_model *model;
	bool used;

	*ret = (struct wt_cores){0};
	if (wt_counter_online(NULL, &ret->online, err) ||
	    wt_pmu_models_open(telemetry, NULL, &ret->models, err))
		return -1;
	model = wt_pmu_model_telemetry(ret->models, &used);
	if (model && !used)
		wt_warn("%s describes a CPU that this machine does not have: %s", telemetry, model->name);
	return 0;
}

int wt_cores_find(struct wt_cores *cores, struct wt_err *err)
{
	for (uint32_t cpu = 0; cpu < wt_cpuset_end(&cores->online); cpu++)
		if (wt_cpuset_has(&cores->online, cpu) && place(cores, cpu, err))
			return -1;
	settle(cores);
	return 0;
}

void wt_cores_deinit(struct wt_cores *cores)
{
	if (cores->models)
		wt_pmu_models_close(cores->models);
	cores->models = NULL;
	cores->n = 0;
}

size_t wt_cores_type_of(const struct wt_cores *cores, uint32_t cpu)
{
	for (size_t i = 0; i < cores->n; i++)
		if (wt_cpuset_has(&cores->types[i].cpus, cpu))
			return i;
	return 0;
}
