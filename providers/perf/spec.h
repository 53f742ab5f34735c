/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Parses an event word of the command line, EVENT[:PERIOD], to the kernel's numbers.
 *
 * EVENT is a hardware, cache or software event by name, rNNN (a raw event number in hexadecimal), or
 * PMU/TERM=VALUE,.../ with the terms and named events the PMU publishes in sysfs. NAME=EVENT is an EVENT
 * shown under the name NAME.
 */
#ifndef PROVIDERS_PERF_SPEC_H
#define PROVIDERS_PERF_SPEC_H

#include <stdbool.h>

#include "providers/perf/textfile.h"
#include "tracecore/base/err.h"

struct wt_perf_spec {
	char name[128]; /**< as typed, without the period; for NAME=EVENT: NAME */
	uint32_t type;  /**< perf_event_attr.type */
	uint64_t config, config1, config2;
	uint64_t period;       /**< 0: none given */
	struct wt_cpuset cpus; /**< the PMU's own CPUs; empty: all */
	bool shared;           /**< the PMU serves several CPUs: it counts no threads, and cpus read it */
};

/** devices: directory of the PMUs, NULL for /sys/bus/event_source/devices. Errors are WT_ERR_USAGE with the
 * nearest valid word or the words allowed; WT_ERR_NOTFOUND for a PMU this machine does not have. */
int wt_perf_spec_parse(const char *word, const char *devices, struct wt_perf_spec *ret, struct wt_err *err);

/** The reverse: writes an EVENT, without a period, from type and configs. pmu: the PMU of that type, for
 * events without another word. False: the word is longer than size. */
bool wt_perf_spec_word(const struct wt_perf_spec *spec, const char *pmu, char *ret, size_t size);

/** Calls fn with (group, name, help) for every name that can be used: "hardware", "software". */
void wt_perf_spec_each(void (*fn)(void *ctx, const char *group, const char *name, const char *help),
		       void *ctx);

/** The PMU half of parse: word is "NAME/TERMS/" without a period. */
int wt_perf_pmu_parse(const char *word, const char *devices, struct wt_perf_spec *ret, struct wt_err *err);
/** As wt_perf_spec_each with group "pmu": every named event of every PMU, and one line per PMU naming its
 * terms. */
void wt_perf_pmu_each(const char *devices,
		      void (*fn)(void *ctx, const char *group, const char *name, const char *help),
		      void *ctx);

#endif
