/* SPDX-License-Identifier: MIT */
/**
 * @file
 * First command lines of users of xperf, WPR, wperf, perf, LTTng, trace-cmd, bpftrace and strace. A line
 * with exactly one meaning here is translated to this program's words; otherwise the error shows the line to
 * type. docs/FIRST-LINES.md is the list that is tested.
 */
#ifndef TOOLS_PEERS_H
#define TOOLS_PEERS_H

#include "tracecore/base/err.h"

/** A command line in this program's words; argv is owned, with the words made for it. */
struct wt_typed {
	int argc;
	char **argv;
	char **made;
	int n_made;
};

/** Translates the typed words. -1 with WT_ERR_USAGE: they are another tool's, and the error gives their
 * equivalent here. */
int wt_peers_read(int argc, char **argv, struct wt_typed *ret, struct wt_err *err);
/** Fails with the equivalent here when name is a command of another tool; otherwise returns 0. */
int wt_peers_command(const char *name, struct wt_err *err);
void wt_peers_deinit(struct wt_typed *typed);

#endif
