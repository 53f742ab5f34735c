/* SPDX-License-Identifier: MIT */
/** @file Memory of many small things that go away together: texts and lists of a table. One thread. */
#ifndef CONSUMERS_PMU_KEPT_H
#define CONSUMERS_PMU_KEPT_H

#include <stddef.h>

#include "tracecore/base/err.h"

/** Zeroed is empty. */
struct wt_pmu_kept {
	struct wt_pmu_chunk *chunks;
};

/** Zeroed memory, aligned for anything; NULL with the error filled. */
void *wt_pmu_keep(struct wt_pmu_kept *kept, size_t size, struct wt_err *err);
/** A copy. NULL is a valid text, and is kept as NULL. */
int wt_pmu_keep_text(struct wt_pmu_kept *kept, const char *text, const char **ret, struct wt_err *err);
/** A copy in lower case; NULL is kept as NULL. */
int wt_pmu_keep_lower(struct wt_pmu_kept *kept, const char *text, const char **ret, struct wt_err *err);
void wt_pmu_kept_deinit(struct wt_pmu_kept *kept);

#endif
