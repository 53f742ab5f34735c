/* SPDX-License-Identifier: MIT */
/** @file The tables of manifests/pmu/, which are part of the program, byte for byte. */
#ifndef CONSUMERS_PMU_BUILTIN_H
#define CONSUMERS_PMU_BUILTIN_H

#include <stddef.h>

/** The text of manifests/pmu/NAME.json; NULL: there is none. */
const char *wt_pmu_builtin(const char *name, size_t *len);

#endif
