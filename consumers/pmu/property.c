// SPDX-License-Identifier: MIT
/* Properties of the machine that formulas name (model.h). */
#include <stdio.h>
#include <string.h>

#include "consumers/pmu/models.h"
#include "consumers/pmu/small_file.h"

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

/* Each PMU stands for the agents of that number in all sockets. */
static uint32_t count_chas(const char *sys)
{
	char path[512], text[16];
	uint32_t n = 0;

	do
		snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/uncore_cha_%u/type", sys, n);
	while (wt_small_read(path, text, sizeof(text)) > 0 && ++n < 1024);
	return n;
}

void wt_pmu_count_machine(struct wt_pmu_models *models, const char *sys)
{
	const struct wt_cpu_ids *ids = &models->cpus;

	for (size_t i = 0; i < ids->n; i++) {
		if (ids->list[i].package < 0)
			continue;
		models->n_cpus++;
		models->n_cores += first_of_core(ids, i);
		models->n_packages += first_of_package(ids, i);
	}
	models->chas = count_chas(sys);
}

bool wt_pmu_property(const struct wt_pmu_models *models, const char *name, double seconds, double *ret)
{
	const struct {
		const char *name;
		bool known;
		double value;
	} rows[] = {
		{"#duration_time", true, seconds},
		{"#num_cpus", models->n_cpus, models->n_cpus},
		{"#num_packages", models->n_packages, models->n_packages},
		{"#threads_per_core", models->n_cores,
		 models->n_cores ? (double)models->n_cpus / models->n_cores : 0},
		{"#smt_on", models->n_cores, models->n_cpus > models->n_cores},
		{"#chas_per_socket", models->chas, models->chas},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(name, rows[i].name))
			continue;
		*ret = rows[i].value;
		return rows[i].known;
	}
	return false;
}
