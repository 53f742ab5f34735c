/* SPDX-License-Identifier: MIT */
/** @file Lists of CPUs as people write them: 0,3-5, a range in either direction, any CPU as often as you
 * like. */
#ifndef CONSUMERS_COUNTING_CPU_LIST_H
#define CONSUMERS_COUNTING_CPU_LIST_H

#include "providers/perf/textfile.h"
#include "tracecore/base/err.h"

/** Errors are WT_ERR_USAGE and name the word; a CPU that is not in `online` is an error too. */
int wt_cpu_list_parse(const char *list, const struct wt_cpuset *online, struct wt_cpuset *ret,
		      struct wt_err *err);
/** Writes a set as such a list. */
void wt_cpu_list_text(const struct wt_cpuset *set, struct wt_buf *out);

#endif
