/* SPDX-License-Identifier: MIT */
/** The tables of all CPU models, for a group of tests: its setup and teardown. */
#ifndef TESTS_UNIT_CONSUMERS_PMU_WITH_MODELS_H
#define TESTS_UNIT_CONSUMERS_PMU_WITH_MODELS_H

#include <stdio.h>

#include "consumers/pmu/models.h"

static struct wt_pmu_models *models;

static int open_models(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int rc = wt_pmu_models_open(NULL, NULL, &models, &err);

	(void)state;
	if (rc)
		fprintf(stderr, "%s\n", err.text);
	return rc;
}

static int close_models(void **state)
{
	(void)state;
	wt_pmu_models_close(models);
	return 0;
}

#endif
