/* SPDX-License-Identifier: MIT */
/** @file The user's additions to the tables of the CPU's model: files of metrics (-C) and of events (-E). */
#ifndef CONSUMERS_COUNTING_OWN_H
#define CONSUMERS_COUNTING_OWN_H

#include "consumers/pmu/model.h"

/** metrics: a file; events: a file, or NAME:HEX with commas where there is no such file. NULL: none of them.
 */
int wt_own_add(struct wt_pmu_models *models, const char *metrics, const char *events, struct wt_err *err);

#endif
