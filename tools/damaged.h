/* SPDX-License-Identifier: MIT */
/** @file What commands that write say of a log they could not read whole. */
#ifndef TOOLS_DAMAGED_H
#define TOOLS_DAMAGED_H

#include "tracecore/logfmt/read/reader.h"

/** Warns when the log is damaged; output: what lacks the rest, "result". */
void wt_warn_damaged(const struct wt_log_reader *log, const char *path, const char *output);

#endif
