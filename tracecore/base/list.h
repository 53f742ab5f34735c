/* SPDX-License-Identifier: MIT */
/** @file Lists of words with commas between them, as options take them. */
#ifndef TRACECORE_BASE_LIST_H
#define TRACECORE_BASE_LIST_H

#include "tracecore/base/err.h"

/** Calls fn for each word of a list with commas. A comma inside a PMU's event, "cpu/event=1,umask=2/",
 * belongs to the event. Empty words are refused; `what` names the list in the error. */
int wt_list_each(const char *list, const char *what, int (*fn)(void *ctx, char *word, struct wt_err *err),
		 void *ctx, struct wt_err *err);

#endif
