/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The meanings of a word, as pages: an event or a metric of the CPU's model, a group of metrics, an event of
 * the kernel, a provider, an event of a provider, a field.
 */
#ifndef CONSUMERS_MANUAL_MANUAL_H
#define CONSUMERS_MANUAL_MANUAL_H

#include "consumers/manual/pages.h"
#include "consumers/session/registry.h"

struct wt_manual {
	struct wt_pages pages;
	struct wt_pmu_models *models; /**< owned, as is what follows */
	struct wt_registry registry;
	struct wt_catalog catalog;
};

/** Reads all that has names here. telemetry: a vendor's file, or NULL. Undo with wt_manual_close, also after
 * a failure. */
int wt_manual_open(struct wt_manual *ret, const char *telemetry, struct wt_err *err);
/** Adds the pages of WORD, CPU/WORD, EVENT/FIELD or PROVIDER/FIELD; where only tables of other CPUs have the
 * word, the page of the first of them, which says so. WT_ERR_NOTFOUND names the nearest word. */
int wt_manual_word(struct wt_manual *manual, const char *word, struct wt_err *err);
void wt_manual_close(struct wt_manual *manual);

#endif
