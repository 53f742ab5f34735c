/* SPDX-License-Identifier: MIT */
/** @file CPUs and meshes as text and as JSON, for `cpuinfo` and `cmninfo`. sys: in front of /sys and /proc,
 * "" for the machine's own. */
#ifndef TOOLS_PMU_CPUS_H
#define TOOLS_PMU_CPUS_H

#include <stdbool.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Writes a line for each CPU: its place, its highest frequency, its model, the table that describes it, its
 * MIDR. */
int wt_show_cpus(const char *sys, const char *telemetry, bool as_json, struct wt_buf *out,
		 struct wt_err *err);

/** Writes a line for each mesh and its devices, or one line that there is none. */
int wt_show_meshes(const char *sys, bool as_json, struct wt_buf *out, struct wt_err *err);

#endif
