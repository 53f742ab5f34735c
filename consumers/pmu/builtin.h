/* SPDX-License-Identifier: MIT */
/** @file The tables of manifests/pmu/, which are part of the program, packed by gzip. */
#ifndef CONSUMERS_PMU_BUILTIN_H
#define CONSUMERS_PMU_BUILTIN_H

#include <stddef.h>

#include "tracecore/base/err.h"

/** The text of manifests/pmu/NAME.json, freed by the caller. WT_ERR_NOTFOUND: there is none. */
int wt_pmu_builtin(const char *name, char **ret, size_t *len, struct wt_err *err);

#endif
