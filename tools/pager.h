/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The program that shows a long text on a terminal a page at a time, as git has it: $WTRACE_PAGER, else
 * $PAGER, else less -R where it is installed. It is run by sh; "cat" or nothing means none. In a pipe or a
 * file there is none.
 */
#ifndef TOOLS_PAGER_H
#define TOOLS_PAGER_H

#include <stdio.h>
#include <sys/types.h>

#include "tracecore/base/err.h"

struct wt_pager {
	FILE *stream; /**< where the text goes: the pager, or standard output */
	pid_t pid;    /**< 0: none */
};

/** Starts it when standard output is a terminal; else, and where it cannot be started, *ret is standard
 * output. */
void wt_pager_begin(struct wt_pager *ret);
/** Waits until the user has read enough. failed: the result of writing the text (err has an error); a user
 * who leaves early is not an error. A pager that fails is one. Returns 0 or -1. */
int wt_pager_end(struct wt_pager *pager, int failed, struct wt_err *err);

#endif
