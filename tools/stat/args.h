/* SPDX-License-Identifier: MIT */
/** @file The command line of stat. */
#ifndef TOOLS_STAT_ARGS_H
#define TOOLS_STAT_ARGS_H

#include "tools/cmd.h"
#include "consumers/stat/plan.h"

extern const struct wt_option wt_stat_options[];

/** Translates `sleep T` to the words of this program: "--timeout", "T" take their places. Returns whether it
 * was there. */
bool wt_stat_read_sleep(int argc, char **argv);
/** Parses the options. Returns the index of the command, or argc; -1. */
int wt_stat_args_parse(int argc, char **argv, struct wt_stat_args *ret, struct wt_err *err);
void wt_stat_args_deinit(struct wt_stat_args *args);

#endif
