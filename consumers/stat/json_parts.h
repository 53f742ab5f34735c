/* SPDX-License-Identifier: MIT */
/** @file Parts of wperf's JSON, for the files that write it. */
#ifndef CONSUMERS_STAT_JSON_PARTS_H
#define CONSUMERS_STAT_JSON_PARTS_H

#include "consumers/stat/found.h"

/** Writes one event of a row as an object of an array; with a unit the object begins with "pmu_id". */
void wt_stat_json_counter(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event,
			  const char *unit, struct wt_json *json);
/** The members "dsu" and "dmc": the counts of clusters and memory channels; {} where nothing was counted. */
void wt_stat_json_uncore(const struct wt_stat_found *found, struct wt_json *json);

#endif
