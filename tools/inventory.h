/* SPDX-License-Identifier: MIT */
/** @file wperf's list: events, metrics and groups of metrics, each in a table. */
#ifndef TOOLS_INVENTORY_H
#define TOOLS_INVENTORY_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

#include <stdbool.h>

/** Prints the three tables, or {"Predefined_Events", "Predefined_Metrics", "Predefined_Groups_of_Metrics"}.
 * more: with descriptions, and in JSON also with the mark. cpu_model, telemetry: NULL, or as in `list`. */
int wt_show_inventory(const char *cpu_model, const char *telemetry, bool as_json, bool more,
		      struct wt_buf *out, struct wt_err *err);

#endif
