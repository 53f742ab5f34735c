/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What users of xperf, WPR, wperf, perf, LTTng, trace-cmd, bpftrace and strace type first. Where it can mean
 * one thing here, it is put into this program's words; else the error shows the line to type.
 * docs/FIRST-LINES.md is the list that is tested.
 */
#ifndef TOOLS_PEERS_H
#define TOOLS_PEERS_H

#include "tracecore/base/err.h"

/** A command line in this program's words; argv is owned, with the words that were made for it. */
struct wt_typed {
	int argc;
	char **argv;
	char **made;
	int n_made;
};

/** From the words as they were typed. -1 with WT_ERR_USAGE: they are another tool's, and what they mean here
 * is said. */
int wt_peers_read(int argc, char **argv, struct wt_typed *ret, struct wt_err *err);
/** Fails, saying what it is here, when name is a command of another tool; else 0. */
int wt_peers_command(const char *name, struct wt_err *err);
void wt_peers_deinit(struct wt_typed *typed);

#endif
