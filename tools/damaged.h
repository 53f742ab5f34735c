/* SPDX-License-Identifier: MIT */
/** The warning of commands that write output from a log they could not read completely. */
#ifndef TOOLS_DAMAGED_H
#define TOOLS_DAMAGED_H

#include "tracecore/logfmt/read/reader.h"

/** Warns when the log is damaged; output: name of the incomplete output, "result". */
void wt_warn_damaged(const struct wt_log_reader *log, const char *path, const char *output);

#endif
