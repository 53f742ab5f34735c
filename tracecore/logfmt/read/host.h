/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Whether two logs count time on the same clock: recorded on one machine, between two of its boots.
 */
#ifndef TRACECORE_LOGFMT_READ_HOST_H
#define TRACECORE_LOGFMT_READ_HOST_H

#include "tracecore/logfmt/read/reader.h"

struct wt_host {
	char name[65], boot[65], kernel[65], machine[65]; /**< facts of the first segment; "" unknown */
	struct wt_clockset clock;                         /**< the log's first */
};

/** Reads them from the first segment, which is unloaded again. */
int wt_host_read(struct wt_log_reader *log, struct wt_host *ret, struct wt_err *err);

/** 0: the same boot of the same machine. -1: not, err says how they differ; the names are for it. Logs that
 * do not know their boot (made before logs said it) must agree in machine, kernel and the moment of the boot.
 */
int wt_host_same(const struct wt_host *a, const char *a_name, const struct wt_host *b, const char *b_name,
		 struct wt_err *err);

#endif
