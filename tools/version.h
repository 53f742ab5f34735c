/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What this program is: version and the features built in.
 */
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

#include "tracecore/base/buf.h"

/** Semantic version: the major number changes when files or exit codes stop being understood. */
#define WT_VERSION "0.1.0"

/** "wtrace 0.1.0 (x86_64) +perf+tracepoints+..." and a newline. */
void wt_version_text(struct wt_buf *out);
/** One JSON object {"name", "version", "machine", "features": [...]} and a newline. */
void wt_version_json(struct wt_buf *out);

#endif
