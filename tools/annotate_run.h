/* SPDX-License-Identifier: MIT */
/** The work of annotate, and of view with --annotate. */
#ifndef TOOLS_ANNOTATE_RUN_H
#define TOOLS_ANNOTATE_RUN_H

#include "tools/view/args.h"

/** Counts the log, annotates and prints. Returns an exit code, or -1. */
int wt_annotate_run(const struct wt_view_args *args, struct wt_err *err);

#endif
