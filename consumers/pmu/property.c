// SPDX-License-Identifier: MIT
/* Properties of the machine that formulas name (model.h). */
#include <string.h>

#include "consumers/pmu/models.h"

static bool first_of_core(const struct wt_cpu_ids *ids, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (ids->list[i].core == ids->list[at].core && ids->list[i].package == ids->list[at].package)
			return false;
	return true;
}

static bool first_of_package(const struct wt_cpu_ids *ids, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (ids->list[i].package == ids->list[at].package)
			return false;
	return true;
}

/* CPUs that say where they stand, the cores and the packages among them. */
static void count(const struct wt_cpu_ids *ids, double *cpus, double *cores, double *packages)
{
	*cpus = *cores = *packages = 0;
	for (size_t i = 0; i < ids->n; i++) {
		if (ids->list[i].package < 0)
			continue;
		*cpus += 1;
		*cores += first_of_core(ids, i);
		*packages += first_of_package(ids, i);
	}
}

bool wt_pmu_property(const struct wt_pmu_models *models, const char *name, double seconds, double *ret)
{
	double cpus, cores, packages;

	if (!strcmp(name, "#duration_time")) {
		*ret = seconds;
		return true;
	}
	if (!strcmp(name, "#chas_per_socket") && models->chas) {
		*ret = models->chas;
		return true;
	}
	count(&models->cpus, &cpus, &cores, &packages);
	if (cpus == 0)
		return false;
	if (!strcmp(name, "#num_cpus"))
		*ret = cpus;
	else if (!strcmp(name, "#num_packages"))
		*ret = packages;
	else if (!strcmp(name, "#threads_per_core"))
		*ret = cpus / cores;
	else if (!strcmp(name, "#smt_on"))
		*ret = cpus > cores;
	else
		return false;
	return true;
}
