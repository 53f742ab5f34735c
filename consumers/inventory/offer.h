/* SPDX-License-Identifier: MIT */
/** @file The events, metrics and groups of metrics that can be counted here, in wperf's tables. */
#ifndef CONSUMERS_INVENTORY_OFFER_H
#define CONSUMERS_INVENTORY_OFFER_H

#include "consumers/counting/cores.h"
#include "tracecore/base/table.h"

struct wt_offer_ask {
	const struct wt_cores *cores;
	/** The name of a CPU's table: only the events of the table are listed, and none is tried. NULL: the
	 * events of this machine. */
	const struct wt_pmu_model *model;
	bool more; /**< with descriptions, formulas and units; "---" where there are none */
	bool mark; /**< events: with a column "Usable Here": "yes", or "no: " and why; "-" when not tried */
};

/** Alias Name, Raw Index, Event Type. Each event of this machine is opened on the caller's own thread, or on
 * a CPU for PMUs outside the cores, and closed at once. Tracepoints are not among them. */
int wt_offer_events(const struct wt_offer_ask *ask, struct wt_table *ret, struct wt_err *err);
/** Metric, Events. */
void wt_offer_metrics(const struct wt_offer_ask *ask, struct wt_table *ret);
/** Group, Metrics. */
void wt_offer_groups(const struct wt_offer_ask *ask, struct wt_table *ret);

#endif
