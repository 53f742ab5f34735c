/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The identity of this program: version and the features built in.
 */
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

#include "tracecore/base/buf.h"

/** Semantic version: the major number changes when files or exit codes are no longer understood. */
#define WT_VERSION "0.1.0"

/** The commit that was built, found by the Makefile; "-" outside a repository. */
#ifndef WT_REVISION
#define WT_REVISION "-"
#endif

/** "wtrace 0.1.0 (x86_64) +perf+tracepoints+..." and a newline. */
void wt_version_text(struct wt_buf *out);
/** Writes wperf's table: Component, Version, GitVer, FeatureString. The row "wperf" is the release whose
 * words, tables and JSON wtrace supports. */
void wt_version_table(struct wt_buf *out);
/** The table as one JSON object {"Version": [...]} and a newline. */
void wt_version_json(struct wt_buf *out);

#endif
