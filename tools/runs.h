/* SPDX-License-Identifier: MIT */
/** @file Commands that other commands run: view's tables, and annotate's lines, as the words say. */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include "tools/view/args.h"

/** Each returns an exit code; -1 on failure. args->path is the log. */
int wt_view_run(const struct wt_view_args *args, struct wt_err *err);
int wt_annotate_run(const struct wt_view_args *args, struct wt_err *err);

#endif
