/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds out whether two logs have one clock: they were recorded on one machine and during one boot.
 */
#ifndef TRACECORE_LOGFMT_READ_HOST_H
#define TRACECORE_LOGFMT_READ_HOST_H

#include "tracecore/logfmt/read/reader.h"

struct wt_host {
	char name[65], boot[65], kernel[65], machine[65]; /**< facts of the first segment; "" unknown */
	struct wt_clockset clock;                         /**< the log's first */
};

/** Reads the facts from the first segment, which is unloaded again. */
int wt_host_read(struct wt_log_reader *log, struct wt_host *ret, struct wt_err *err);

/** 0: one boot of one machine. -1: not; err names the difference, with the logs' names. Logs without their
 * boot (from versions that did not record it) must agree in machine, kernel and the moment of the boot. */
int wt_host_same(const struct wt_host *a, const char *a_name, const struct wt_host *b, const char *b_name,
		 struct wt_err *err);

#endif
