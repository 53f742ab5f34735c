/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Pages about names: what an event, a metric, a group of metrics, a provider or a field is.
 *
 * A page is rows of a table, "Field Type" and "Result", as wperf's JSON has them; its first row is CPU, or
 * NAME where it is the same on all CPUs. One word may have several pages.
 */
#ifndef CONSUMERS_MANUAL_PAGES_H
#define CONSUMERS_MANUAL_PAGES_H

#include "consumers/catalog/catalog.h"
#include "consumers/pmu/model.h"
#include "tracecore/base/table.h"

/** Zeroed is empty. */
struct wt_pages {
	struct wt_table rows; /**< owned */
	size_t n;
};

void wt_pages_begin(struct wt_pages *pages);
/** A row; control characters become blanks. Empty text is "---". */
void wt_pages_row(struct wt_pages *pages, const char *type, const char *text);

/** The event, metric and group of that name, in any case, of a model. cpu: what the page says of it. Returns
 * how many pages it added. */
size_t wt_pages_model(struct wt_pages *pages, const struct wt_pmu_model *model, const char *cpu,
		      const char *name);
/** A set of events, whose names stand with commas in `events`. */
void wt_pages_set(struct wt_pages *pages, const char *cpu, const char *name, const char *events, size_t len);
/** The kernel's event or tracepoint ("sched_switch", "sched:sched_switch"). NULL field: all of its fields;
 * else that one alone. */
int wt_pages_kernel(struct wt_pages *pages, const struct wt_catalog *catalog, const char *name,
		    const char *field, struct wt_err *err);
/** A provider; one of its events; a field of one of its events. alias may be NULL. */
void wt_pages_provider(struct wt_pages *pages, const struct wt_provider *provider, const char *alias);
void wt_pages_event(struct wt_pages *pages, const struct wt_provider *provider,
		    const struct wt_event_desc *event);
void wt_pages_field(struct wt_pages *pages, const char *provider, const struct wt_event_desc *event,
		    const struct wt_field *field);

#endif
