// SPDX-License-Identifier: MIT
/* Clusters (DSU) and memory channels (DMC-620) in wperf's JSON. Numbers are of the whole machine: an event of
 * a PMU outside the cores is counted once, on the CPU that reads it. */
#include "consumers/stat/json_parts.h"

#include <stdio.h>
#include <string.h>

#define ALL "all"

/* "arm_dsu_0/l3d_cache/" and "arm_dsu_0.l3d_cache" are events of unit 0 of arm_dsu, "arm_dsu.l3d_cache" is
 * one of all units. False: the event belongs to another PMU. */
static bool unit_of(const char *event, const char *pmu, char ret[64])
{
	size_t len = strlen(pmu), n;

	if (strncmp(event, pmu, len) != 0)
		return false;
	event += len;
	n = event[0] == '_' ? strcspn(event, "./") : 0;
	if (event[n] != '.' && event[n] != '/')
		return false;
	snprintf(ret, 64, "%.*s", n ? (int)n - 1 : 3, n ? event + 1 : ALL);
	return true;
}

/* "l3_bandwidth" is the metric of all units, "l3_bandwidth.0" that of one unit. */
static bool unit_of_metric(const char *metric, const char *name, char ret[64])
{
	size_t len = strlen(name);

	if (strncmp(metric, name, len) != 0 || (metric[len] && metric[len] != '.'))
		return false;
	snprintf(ret, 64, "%s", metric[len] ? metric + len + 1 : ALL);
	return true;
}

static bool counts_there(const struct wt_stat_found *found, size_t event, const char *pmu, char unit[64])
{
	return unit_of(found->plan->list.events[event].name, pmu, unit) &&
	       wt_stat_shows(found, &found->result->total, event);
}

static bool any_of(const struct wt_stat_found *found, const char *pmu)
{
	char unit[64];

	for (size_t i = 0; i < found->plan->list.n; i++)
		if (counts_there(found, i, pmu, unit))
			return true;
	return false;
}

/* The value of a metric of a unit as a text. */
static void put_value(const struct wt_stat_found *found, const char *key, const char *metric,
		      const char *unit, double divisor, const char *of, struct wt_json *json)
{
	const struct wt_metric_list *metrics = &found->plan->metrics;
	char text[64] = "n/a", other[64];

	for (size_t i = 0; i < metrics->n; i++)
		if (unit_of_metric(metrics->metrics[i].name, metric, other) && !strcmp(other, unit) &&
		    found->result->total.metrics[i].given)
			snprintf(text, sizeof(text), "%.3f%s",
				 found->result->total.metrics[i].span.value / divisor, of);
	wt_json_text(json, key, text);
}

/* ---- clusters ---- */

static void put_cluster(const struct wt_stat_found *found, const char *key, const char *cluster,
			struct wt_json *json)
{
	char unit[64];

	wt_json_array(json, key);
	for (size_t i = 0; i < found->plan->list.n; i++)
		if (counts_there(found, i, "arm_dsu", unit) && (!cluster || !strcmp(unit, cluster)))
			wt_stat_json_counter(found, &found->result->total, i, NULL, json);
	wt_json_end_array(json);
}

static bool cluster_is_new(const struct wt_stat_found *found, size_t event, const char *cluster)
{
	char unit[64];

	for (size_t i = 0; i < event; i++)
		if (counts_there(found, i, "arm_dsu", unit) && !strcmp(unit, cluster))
			return false;
	return true;
}

static void put_clusters(const struct wt_stat_found *found, struct wt_json *json)
{
	char unit[64];

	for (size_t i = 0; i < found->plan->list.n; i++) {
		if (!counts_there(found, i, "arm_dsu", unit) || !strcmp(unit, ALL) ||
		    !cluster_is_new(found, i, unit))
			continue;
		wt_json_object(json, unit);
		put_cluster(found, "Performance_counter", unit, json);
		wt_json_end_object(json);
	}
}

/** Values that are derived for each unit of a PMU: the units are those for which `metric` exists. */
struct derived {
	const char *object, *array, *unit_key, *metric;
	struct derived_value {
		const char *key, *metric;
		double divisor;
		const char *of;
	} values[2];
	size_t n;
};

static void put_derived(const struct wt_stat_found *found, const struct derived *derived,
			struct wt_json *json)
{
	const struct wt_metric_list *metrics = &found->plan->metrics;
	bool any = false;
	char unit[64];

	wt_json_object(json, derived->object);
	for (size_t i = 0; i < metrics->n; i++) {
		if (!unit_of_metric(metrics->metrics[i].name, derived->metric, unit))
			continue;
		if (!any)
			wt_json_array(json, derived->array);
		any = true;
		wt_json_object(json, NULL);
		wt_json_text(json, derived->unit_key, unit);
		for (const struct derived_value *value = derived->values;
		     value < derived->values + derived->n; value++)
			put_value(found, value->key, value->metric, unit, value->divisor, value->of, json);
		wt_json_end_object(json);
	}
	if (any)
		wt_json_end_array(json);
	wt_json_end_object(json);
}

static const struct derived l3 = {
	"l3metric",
	"L3_Cache_Metrics",
	"cluster",
	"l3_bandwidth",
	{{"read_bandwidth", "l3_bandwidth", 1e6, " MB/s"}, {"miss_rate", "l3_miss_ratio", 1, " %"}},
	2};
static const struct derived ddr = {
	"ddr", "DDR_Metrics", "channel", "ddr_bandwidth", {{"rw_bandwidth", "ddr_bandwidth", 1e6, " MB/s"}},
	1};

static void put_dsu(const struct wt_stat_found *found, struct wt_json *json)
{
	wt_json_object(json, "dsu");
	if (any_of(found, "arm_dsu")) {
		put_clusters(found, json);
		put_derived(found, &l3, json);
		wt_json_object(json, "overall");
		put_cluster(found, "Systemwide_Overall_Performance_Counters", NULL, json);
		wt_json_end_object(json);
	}
	wt_json_end_object(json);
}

/* ---- memory channels ---- */

static void put_channels(const struct wt_stat_found *found, struct wt_json *json)
{
	char unit[64], id[80];

	wt_json_object(json, "pmu");
	wt_json_array(json, "PMU_Performance_Counters");
	for (size_t i = 0; i < found->plan->list.n; i++) {
		if (!counts_there(found, i, "arm_dmc620", unit))
			continue;
		snprintf(id, sizeof(id), "dmc %s", unit);
		wt_stat_json_counter(found, &found->result->total, i, strcmp(unit, ALL) ? id : "overall",
				     json);
	}
	wt_json_end_array(json);
	wt_json_end_object(json);
}

void wt_stat_json_uncore(const struct wt_stat_found *found, struct wt_json *json)
{
	put_dsu(found, json);
	wt_json_object(json, "dmc");
	if (any_of(found, "arm_dmc620")) {
		put_channels(found, json);
		put_derived(found, &ddr, json);
	}
	wt_json_end_object(json);
}
