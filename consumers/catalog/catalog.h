/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kernel events that can be asked for here, in order: hardware, software and PMU events (-e), then
 * tracepoints (-p linux:SUBSYSTEM:EVENT).
 *
 * A zeroed catalog is empty and valid. One thread.
 */
#ifndef CONSUMERS_CATALOG_CATALOG_H
#define CONSUMERS_CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/err.h"
#include "tracecore/schema/schema.h"

/** In front of SUBSYSTEM:EVENT in a tracepoint's name. */
#define WT_CATALOG_PREFIX "linux:"

struct wt_catalog_item {
	char *group; /**< "hardware", "software", "pmu", "model" (of the CPUs), "tracepoint" */
	char *name;  /**< as the option takes it: "cycles", "linux:sched:sched_switch" */
	char *help;  /**< "" when there is none */
	/** A tracepoint's schema, its only event, once described; owned. */
	struct wt_provider *schema;
	char *flaw; /**< why there is none: one line, owned; NULL otherwise */
};

struct wt_catalog {
	struct wt_catalog_item *items;
	size_t n, cap;
	bool failed; /**< memory ran out while adding */
};

/** Reads all events that this machine offers to the caller, sorted. If tracepoints are closed to the
 * caller, a note says so, and the list has the other events. */
int wt_catalog_read(struct wt_catalog *catalog, struct wt_err *err);

/** Adds an event; "linux:" is put before a tracepoint's name that lacks it. */
void wt_catalog_add(struct wt_catalog *catalog, const char *group, const char *name, const char *help);
void wt_catalog_sort(struct wt_catalog *catalog);

/** Keeps the events with word in their name or group, case ignored. WT_ERR_NOTFOUND, naming the nearest
 * event, when nothing is left. */
int wt_catalog_keep(struct wt_catalog *catalog, const char *word, struct wt_err *err);

bool wt_catalog_is_tracepoint(const struct wt_catalog_item *item);

/** Reads the schemas of all tracepoints in the catalog. For a tracepoint that cannot be described, flaw has
 * the reason. */
int wt_catalog_describe(struct wt_catalog *catalog, struct wt_err *err);

/** {"events": [{"group", "name", "option", "help"[, "fields"][, "flaw"]}]} */
void wt_catalog_json(const struct wt_catalog *catalog, struct wt_buf *out);

void wt_catalog_deinit(struct wt_catalog *catalog);

#endif
