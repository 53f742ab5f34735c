// SPDX-License-Identifier: MIT
#include "consumers/pmu/uncore.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/buf.h"

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:=#@"

/* An addition: the events and metrics of all units, or of one. */
struct adding {
	struct wt_pmu_table *table;
	const struct wt_pmu_model *from;
	const char *pmu;    /* "arm_dsu", "arm_dsu_0" */
	const char *number; /* "0"; "": all units */
	struct wt_err *err;
};

/* ---- units ---- */

/* The text after "PMU_", as wt_counter_pmus takes it; NULL for another PMU. */
static const char *number_of(const char *name, const char *pmu)
{
	size_t len = strlen(pmu), hex;

	if (strncmp(name, pmu, len) != 0 || name[len] != '_')
		return NULL;
	name += len + 1;
	hex = strspn(name, "0123456789abcdef");
	return *name && !name[hex] && (hex > 2 || !name[strspn(name, "0123456789")]) ? name : NULL;
}

static int by_number(const void *a, const void *b)
{
	const char *x = strrchr(a, '_'), *y = strrchr(b, '_');
	size_t n = strlen(x), m = strlen(y);

	return n == m ? strcmp(x, y) : n < m ? -1 : 1;
}

void wt_uncore_find(const char *sys, const char *pmu, struct wt_uncore *ret)
{
	char path[512];
	DIR *directory;

	ret->n = 0;
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", sys);
	directory = opendir(path);
	if (!directory)
		return;
	for (struct dirent *entry; ret->n < WT_UNCORE_UNITS && (entry = readdir(directory));) {
		size_t size = strlen(entry->d_name) + 1;

		if (number_of(entry->d_name, pmu) && size <= sizeof(ret->unit[0]))
			memcpy(ret->unit[ret->n++], entry->d_name, size);
	}
	closedir(directory);
	qsort(ret->unit, ret->n, sizeof(ret->unit[0]), by_number);
}

/* ---- names ---- */

/* The formula with the PMU's name and a dot before each of its events. */
static void prefix_events(const struct adding *adding, const char *formula, struct wt_buf *out)
{
	while (*formula) {
		size_t n = strspn(formula, NAME_LETTERS);
		char name[128];

		if (!n) {
			wt_buf_printf(out, "%c", *formula++);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)n, formula);
		if (wt_pmu_event_named(adding->from, name))
			wt_buf_printf(out, "%s.", adding->pmu);
		wt_buf_printf(out, "%.*s", (int)n, formula);
		formula += n;
	}
}

/* "l3_bandwidth", "l3_bandwidth.0". */
static void name_metric(const char *name, const char *number, char *ret, size_t size)
{
	snprintf(ret, size, "%s%s%s", name, *number ? "." : "", number);
}

/* ---- items ---- */

static int add_event(const struct adding *adding, const struct wt_pmu_event *event)
{
	struct wt_pmu_event copy = *event;
	char name[192];

	snprintf(name, sizeof(name), "%s.%s", adding->pmu, event->name);
	copy.name = name;
	copy.pmu = adding->pmu;
	return wt_pmu_table_event(adding->table, &copy, adding->err);
}

/* Of one unit, those that a metric needs. */
static int add_events(const struct adding *adding)
{
	const struct wt_pmu_model *from = adding->from;

	for (size_t i = 0; !*adding->number && i < from->n_events; i++)
		if (add_event(adding, &from->events[i]))
			return -1;
	for (size_t i = 0; *adding->number && i < from->n_metrics; i++)
		for (size_t k = 0; k < from->metrics[i].events.n; k++)
			if (add_event(adding, wt_pmu_event_named(from, from->metrics[i].events.word[k])))
				return -1;
	return 0;
}

static int add_metric(const struct adding *adding, const struct wt_pmu_metric *metric)
{
	struct wt_pmu_metric copy = {.unit = metric->unit};
	struct wt_buf formula = {0};
	char name[192];
	int rc;

	name_metric(metric->name, adding->number, name, sizeof(name));
	prefix_events(adding, metric->formula, &formula);
	copy.name = name;
	copy.formula = wt_buf_cstr(&formula);
	rc = wt_pmu_table_metric(adding->table, &copy, adding->err);
	wt_buf_deinit(&formula);
	return rc;
}

static int add_items(const struct adding *adding)
{
	if (add_events(adding))
		return -1;
	for (size_t i = 0; i < adding->from->n_metrics; i++)
		if (add_metric(adding, &adding->from->metrics[i]))
			return -1;
	return 0;
}

/* Each metric of all units, then those of each unit. */
static int add_group(struct wt_pmu_table *table, const struct wt_pmu_group *group, const char *pmu,
		     const struct wt_uncore *units, struct wt_err *err)
{
	size_t n_units = units->n > 1 ? units->n : 0, n = 0;
	char(*names)[192] = calloc(group->metrics.n * (n_units + 1) + 1, sizeof(*names));
	const char **words = calloc(group->metrics.n * (n_units + 1) + 1, sizeof(*words));
	struct wt_pmu_group copy = {.name = group->name};
	int rc = names && words ? 0 : wt_fail_nomem(err);

	for (size_t i = 0; !rc && i < group->metrics.n; i++)
		for (size_t k = 0; k <= n_units; k++, n++) {
			name_metric(group->metrics.word[i], k ? number_of(units->unit[k - 1], pmu) : "",
				    names[n], sizeof(names[n]));
			words[n] = names[n];
		}
	copy.metrics = (struct wt_pmu_words){words, n};
	rc = rc ? rc : wt_pmu_table_group(table, &copy, err);
	free(names);
	free(words);
	return rc;
}

int wt_uncore_add(struct wt_pmu_table *table, const struct wt_pmu_model *from, const char *pmu,
		  const struct wt_uncore *units, struct wt_err *err)
{
	struct adding adding = {.table = table, .from = from, .pmu = pmu, .number = "", .err = err};

	if (add_items(&adding))
		return -1;
	for (size_t i = 0; units->n > 1 && i < units->n; i++) {
		adding.pmu = units->unit[i];
		adding.number = number_of(units->unit[i], pmu);
		if (add_items(&adding))
			return -1;
	}
	for (size_t i = 0; i < from->n_groups; i++)
		if (add_group(table, &from->groups[i], pmu, units, err))
			return -1;
	return 0;
}
