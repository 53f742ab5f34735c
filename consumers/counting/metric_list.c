// SPDX-License-Identifier: MIT
#include "consumers/counting/metric_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

struct reading {
	struct wt_metric_list *list;
	const struct wt_cores *cores;
	struct wt_count_list *events;
	struct wt_err *err;
};

static void free_use(struct wt_metric_use *use)
{
	for (size_t i = 0; i < WT_MOST_CORE_TYPES; i++) {
		if (use->ways[i].formula)
			wt_formula_destroy(use->ways[i].formula);
		free(use->ways[i].events);
	}
}

void wt_metric_list_deinit(struct wt_metric_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free_use(&list->metrics[i]);
	free(list->metrics);
	*list = (struct wt_metric_list){0};
}

/* ---- events of one metric ---- */

/* The event of that name among the events of this metric, which begin at `first`. It is added if it is
 * new. */
static int event_of(struct reading *reading, const char *metric, size_t first, const char *name, size_t *ret)
{
	struct wt_count_list *events = reading->events;
	struct wt_count_event *event;

	for (size_t i = first; i < events->n; i++)
		if (!strcasecmp(events->events[i].name, name)) {
			*ret = i;
			return 0;
		}
	if (wt_count_list_word(events, name, reading->cores, NULL, &event, reading->err))
		return wt_fail_prefix(reading->err, "metric '%s'", metric);
	event->loose = true;
	snprintf(event->metric, sizeof(event->metric), "%s", metric);
	*ret = events->n - 1;
	return 0;
}

static int read_formula(struct reading *reading, struct wt_metric_use *use, size_t core, size_t first)
{
	struct wt_metric_way *way = &use->ways[core];
	const char *const *names;
	size_t n;

	if (!way->metric->formula)
		return 0;
	if (wt_pmu_metric_formula(reading->cores->types[core].model, way->metric, &way->formula,
				  reading->err))
		return wt_fail_prefix(reading->err, "metric '%s'", use->name);
	use->valued = true;
	n = wt_formula_names(way->formula, &names);
	way->events = calloc(n + 1, sizeof(*way->events));
	if (!way->events)
		return wt_fail_nomem(reading->err);
	for (size_t i = 0; i < n; i++) {
		if (names[i][0] == '#')
			way->events[i] = WT_METRIC_PROPERTY;
		else if (event_of(reading, use->name, first, names[i], &way->events[i]))
			return -1;
	}
	return 0;
}

static int read_events(struct reading *reading, struct wt_metric_use *use)
{
	size_t first = reading->events->n, unused;

	for (size_t i = 0; i < reading->cores->n; i++) {
		struct wt_metric_way *way = &use->ways[i];

		way->metric = wt_pmu_metric_named(reading->cores->types[i].model, use->name);
		for (size_t k = 0; way->metric && k < way->metric->events.n; k++)
			if (event_of(reading, use->name, first, way->metric->events.word[k], &unused))
				return -1;
		if (way->metric && read_formula(reading, use, i, first))
			return -1;
	}
	if (reading->events->n - first < 2)
		return 0;
	for (size_t i = first; i < reading->events->n; i++)
		reading->events->events[i].group = reading->events->n_groups;
	reading->events->n_groups++;
	return 0;
}

/* Adds the metric once, however often the user names it. */
static int add_metric(struct reading *reading, const char *name)
{
	struct wt_metric_list *list = reading->list;
	struct wt_metric_use use = {.valued = false};

	for (size_t i = 0; i < list->n; i++)
		if (!strcasecmp(list->metrics[i].name, name))
			return 0;
	snprintf(use.name, sizeof(use.name), "%s", name);
	if (read_events(reading, &use) || wt_grow_one(&list->metrics, list->n, reading->err)) {
		free_use(&use);
		return -1;
	}
	list->metrics[list->n++] = use;
	return 0;
}

/* ---- words ---- */

/* The PMU outside the cores that has this metric or group; NULL: none. */
static const char *far_pmu(const struct wt_pmu_models *models, const char *word)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_at(models, i)); i++)
		if (model->n_events && model->events[0].pmu &&
		    (wt_pmu_metric_named(model, word) || wt_pmu_group_named(model, word)))
			return model->events[0].pmu;
	return NULL;
}

static int fail_unknown(const struct reading *reading, const char *word)
{
	const char *pmu = far_pmu(reading->cores->models, word);
	const char **names = NULL;
	size_t n = 0;

	if (pmu)
		return wt_fail(reading->err, WT_ERR_USAGE,
			       "metric '%.80s' belongs to the PMU '%s', which this machine does not have",
			       word, pmu);
	for (size_t i = 0; i < reading->cores->n; i++) {
		const struct wt_pmu_model *model = reading->cores->types[i].model;

		for (size_t k = 0; k < model->n_metrics + model->n_groups; k++)
			if (!wt_grow_one(&names, n, NULL))
				names[n++] = k < model->n_metrics ? model->metrics[k].name
								  : model->groups[k - model->n_metrics].name;
	}
	if (n)
		wt_fail_unknown(reading->err, "metric", word, names, n);
	else
		wt_fail(reading->err, WT_ERR_USAGE,
			"metric '%.80s' is not known: there is no table of metrics for this CPU ('%s'); "
			"--telemetry FILE reads one",
			word, reading->cores->types[0].model->name);
	free(names);
	return -1;
}

static int add_word(struct reading *reading, const char *word)
{
	bool found = false;

	for (size_t i = 0; i < reading->cores->n; i++) {
		const struct wt_pmu_model *model = reading->cores->types[i].model;
		const struct wt_pmu_metric *metric = wt_pmu_metric_named(model, word);
		const struct wt_pmu_group *group = wt_pmu_group_named(model, word);

		if (metric && add_metric(reading, metric->name))
			return -1;
		for (size_t k = 0; !metric && group && k < group->metrics.n; k++)
			if (add_metric(reading, group->metrics.word[k]))
				return -1;
		found = found || metric || group;
	}
	return found ? 0 : fail_unknown(reading, word);
}

int wt_metric_list_add(struct wt_metric_list *list, const char *text, const struct wt_cores *cores,
		       struct wt_count_list *events, struct wt_err *err)
{
	struct reading reading = {list, cores, events, err};
	char *copy = strdup(text), *rest = copy, *word;
	int rc = copy ? 0 : wt_fail_nomem(err);

	while (!rc && (word = strsep(&rest, ",")))
		rc = word[0] ? add_word(&reading, word)
			     : wt_fail(err, WT_ERR_USAGE, "'%.80s': a metric is missing", text);
	free(copy);
	return rc;
}
