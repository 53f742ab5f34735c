// SPDX-License-Identifier: MIT
#include "consumers/pmu/table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/pmu/tree.h"
#include "tracecore/base/grow.h"

#define EVENTS_MAX  16384
#define METRICS_MAX 2048
#define GROUPS_MAX  1024
#define WORDS_MAX   4096
#define NAME_LONG   255

int wt_pmu_table_create(const char *name, const char *origin, struct wt_pmu_table **ret, struct wt_err *err)
{
	struct wt_pmu_table *table = calloc(1, sizeof(*table));

	*ret = table;
	if (!table)
		return wt_fail_nomem(err);
	if (wt_pmu_keep_text(&table->kept, name, &table->model.name, err) ||
	    wt_pmu_keep_text(&table->kept, origin, &table->origin, err) ||
	    wt_pmu_keep_text(&table->kept, "", &table->model.vendor, err)) {
		wt_pmu_table_destroy(table);
		*ret = NULL;
		return -1;
	}
	table->model.product = table->model.source = table->model.vendor;
	return 0;
}

void wt_pmu_table_destroy(struct wt_pmu_table *table)
{
	if (!table)
		return;
	wt_pmu_kept_deinit(&table->kept);
	free(table->events);
	free(table->metrics);
	free(table->groups);
	free(table->branches);
	free(table);
}

static int keep_words(struct wt_pmu_table *table, struct wt_pmu_words *words, bool lower, struct wt_err *err)
{
	const char **copy;

	if (words->n > WORDS_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "%s: a list of %zu names, at most %d are allowed",
			       table->origin, words->n, WORDS_MAX);
	copy = wt_pmu_keep(&table->kept, words->n * sizeof(*copy), err);
	if (!copy)
		return -1;
	for (size_t i = 0; i < words->n; i++)
		if ((lower ? wt_pmu_keep_lower : wt_pmu_keep_text)(&table->kept, words->word[i], &copy[i],
								   err))
			return -1;
	words->word = copy;
	return 0;
}

static int check_name(const struct wt_pmu_table *table, const char *what, const char *name,
		      struct wt_err *err)
{
	size_t n = name ? strlen(name) : 0;
	bool plain = n && n <= NAME_LONG;

	for (size_t i = 0; plain && i < n; i++)
		plain = name[i] > ' ' && name[i] < 0x7f && !strchr("{},\"", name[i]);
	if (plain)
		return 0;
	return wt_fail(err, WT_ERR_FORMAT, "%s: '%.60s' cannot be the name of %s", table->origin,
		       name ? name : "", what);
}

/* A unit goes into lines of others: it is one line itself. */
static int check_unit(const struct wt_pmu_table *table, const struct wt_pmu_metric *metric,
		      struct wt_err *err)
{
	const char *unit = metric->unit ? metric->unit : "";
	size_t n = strlen(unit);
	bool plain = n <= NAME_LONG;

	for (size_t i = 0; plain && i < n; i++)
		plain = (uint8_t)unit[i] >= ' ' && unit[i] != 0x7f;
	if (plain)
		return 0;
	return wt_fail(err, WT_ERR_FORMAT, "%s: metric %.80s: its unit is not one line of text",
		       table->origin, metric->name);
}

static int too_many(const struct wt_pmu_table *table, const char *what, int most, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_FORMAT, "%s: more than %d %s", table->origin, most, what);
}

int wt_pmu_table_event(struct wt_pmu_table *table, const struct wt_pmu_event *event, struct wt_err *err)
{
	struct wt_pmu_event copy = *event;

	if (table->n_events >= EVENTS_MAX)
		return too_many(table, "events", EVENTS_MAX, err);
	if (check_name(table, "an event", event->name, err) ||
	    (event->pmu && check_name(table, "a PMU", event->pmu, err)) ||
	    wt_pmu_keep_lower(&table->kept, event->name, &copy.name, err) ||
	    wt_pmu_keep_text(&table->kept, event->text, &copy.text, err) ||
	    wt_pmu_keep_text(&table->kept, event->pmu, &copy.pmu, err) ||
	    wt_grow(&table->events, &table->cap_events, table->n_events, 1, err))
		return -1;
	table->events[table->n_events++] = copy;
	return 0;
}

/* Vendors' files have formulas that cannot be parsed: half of one, or indices. */
static bool leave_out(struct wt_pmu_table *table, const struct wt_pmu_metric *metric)
{
	struct wt_formula *formula = NULL;
	struct wt_err err = WT_ERR_INIT;

	if (!table->lenient || !metric->formula || !wt_formula_parse(metric->formula, &formula, &err)) {
		wt_formula_destroy(formula);
		return false;
	}
	if (!table->n_left_out++) {
		wt_fail_prefix(&err, "metric %.80s", metric->name);
		table->first = err;
	}
	return true;
}

int wt_pmu_table_metric(struct wt_pmu_table *table, const struct wt_pmu_metric *metric, struct wt_err *err)
{
	struct wt_pmu_metric copy = *metric;

	if (table->n_metrics >= METRICS_MAX)
		return too_many(table, "metrics", METRICS_MAX, err);
	if (leave_out(table, metric))
		return 0;
	if (check_name(table, "a metric", metric->name, err) || check_unit(table, metric, err) ||
	    wt_pmu_keep_lower(&table->kept, metric->name, &copy.name, err) ||
	    wt_pmu_keep_text(&table->kept, metric->title, &copy.title, err) ||
	    wt_pmu_keep_text(&table->kept, metric->text, &copy.text, err) ||
	    wt_pmu_keep_lower(&table->kept, metric->formula, &copy.formula, err) ||
	    wt_pmu_keep_lower(&table->kept, metric->inner ? metric->inner : metric->formula, &copy.inner,
			      err) ||
	    wt_pmu_keep_text(&table->kept, metric->unit ? metric->unit : "", &copy.unit, err) ||
	    keep_words(table, &copy.events, !metric->own, err) ||
	    keep_words(table, &copy.sample_events, true, err) ||
	    wt_grow(&table->metrics, &table->cap_metrics, table->n_metrics, 1, err))
		return -1;
	table->metrics[table->n_metrics++] = copy;
	return 0;
}

int wt_pmu_table_group(struct wt_pmu_table *table, const struct wt_pmu_group *group, struct wt_err *err)
{
	struct wt_pmu_group copy = *group;

	if (table->n_groups >= GROUPS_MAX)
		return too_many(table, "groups of metrics", GROUPS_MAX, err);
	if (check_name(table, "a group", group->name, err) ||
	    wt_pmu_keep_text(&table->kept, group->name, &copy.name, err) ||
	    keep_words(table, &copy.metrics, true, err) ||
	    wt_grow(&table->groups, &table->cap_groups, table->n_groups, 1, err))
		return -1;
	table->groups[table->n_groups++] = copy;
	return 0;
}

int wt_pmu_table_branch(struct wt_pmu_table *table, const struct wt_pmu_branch *branch, struct wt_err *err)
{
	struct wt_pmu_branch copy = *branch;

	if (table->n_branches >= METRICS_MAX)
		return too_many(table, "nodes of the topdown tree", METRICS_MAX, err);
	if (check_name(table, "a node", branch->name, err) ||
	    wt_pmu_keep_lower(&table->kept, branch->name, &copy.name, err) ||
	    wt_pmu_keep_lower(&table->kept, branch->metric, &copy.metric, err) ||
	    keep_words(table, &copy.next, false, err) ||
	    wt_grow(&table->branches, &table->cap_branches, table->n_branches, 1, err))
		return -1;
	table->branches[table->n_branches++] = copy;
	return 0;
}

/* All items begin with their name. Of equal names the one added last stays: it stands last, for the sort is
 * of pairs (name, place). */
struct place {
	const char *name;
	size_t at;
};

static int by_name(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcasecmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int sort_items(void *items, size_t *n, size_t size, struct wt_err *err)
{
	struct place *places = calloc(*n + 1, sizeof(*places));
	char *copy = malloc(*n * size + 1), *at = items;
	size_t kept = 0;

	if (!places || !copy) {
		free(places);
		free(copy);
		return wt_fail_nomem(err);
	}
	memcpy(copy, items ? items : "", *n * size);
	for (size_t i = 0; i < *n; i++)
		places[i] = (struct place){*(const char **)(void *)(at + i * size), i};
	qsort(places, *n, sizeof(*places), by_name);
	for (size_t i = 0; i < *n; i++) {
		if (i + 1 < *n && !strcasecmp(places[i].name, places[i + 1].name))
			continue;
		memcpy(at + kept++ * size, copy + places[i].at * size, size);
	}
	*n = kept;
	free(places);
	free(copy);
	return 0;
}

static bool is_shared(const struct wt_pmu_model *model, const struct wt_pmu_words *events)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct wt_pmu_event *event = wt_pmu_event_named(model, events->word[i]);

		if (!event || !event->pmu)
			return false;
	}
	return events->n > 0;
}

/* The events that a metric finally needs: the events among the names of its formula. */
static int find_needs(struct wt_pmu_table *table, struct wt_pmu_metric *metric, struct wt_err *err)
{
	struct wt_formula *formula = NULL;
	const char *const *names;
	struct wt_pmu_words words = {0};
	const char **events;
	size_t n;
	int rc = -1;

	if (wt_pmu_metric_formula(&table->model, metric, &formula, err)) {
		err->code = WT_ERR_FORMAT;
		return wt_fail_prefix(err, "%s: metric %.80s", table->origin, metric->name);
	}
	n = wt_formula_names(formula, &names);
	events = wt_pmu_keep(&table->kept, n * sizeof(*events), err);
	for (size_t i = 0; events && i < n; i++)
		if (names[i][0] != '#')
			events[words.n++] = names[i];
	words.word = events;
	if (events)
		rc = keep_words(table, &words, true, err);
	wt_formula_destroy(formula);
	metric->events = words;
	metric->shared = !rc && is_shared(&table->model, &words);
	return rc;
}

/* A group of a vendor's file may name a metric that was left out. */
static int trim_group(struct wt_pmu_table *table, struct wt_pmu_group *group, struct wt_err *err)
{
	struct wt_pmu_words left = {0};
	const char **words = wt_pmu_keep(&table->kept, group->metrics.n * sizeof(*words), err);

	if (!words)
		return -1;
	for (size_t i = 0; i < group->metrics.n; i++)
		if (wt_pmu_metric_named(&table->model, group->metrics.word[i]))
			words[left.n++] = group->metrics.word[i];
	left.word = words;
	group->metrics = left;
	return 0;
}

static int trim_groups(struct wt_pmu_table *table, struct wt_err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->n_groups; i++) {
		if (trim_group(table, &table->groups[i], err))
			return -1;
		if (table->groups[i].metrics.n)
			table->groups[kept++] = table->groups[i];
	}
	table->n_groups = kept;
	return 0;
}

int wt_pmu_table_finish(struct wt_pmu_table *table, struct wt_err *err)
{
	struct wt_pmu_model *model = &table->model;
	struct wt_err none = WT_ERR_INIT;

	if (sort_items(table->events, &table->n_events, sizeof(*table->events), err) ||
	    sort_items(table->metrics, &table->n_metrics, sizeof(*table->metrics), err) ||
	    sort_items(table->groups, &table->n_groups, sizeof(*table->groups), err) ||
	    sort_items(table->branches, &table->n_branches, sizeof(*table->branches), err))
		return -1;
	model->events = table->events;
	model->n_events = table->n_events;
	model->metrics = table->metrics;
	model->n_metrics = table->n_metrics;
	if (trim_groups(table, err))
		return -1;
	model->groups = table->groups;
	model->n_groups = table->n_groups;
	for (size_t i = 0; i < table->n_metrics; i++)
		if (table->metrics[i].formula && find_needs(table, &table->metrics[i], err ? err : &none))
			return -1;
	return wt_pmu_tree_build(table, err);
}

/* There is room for all before the first is added: items are looked for where they are. */
static int fill_items(struct wt_pmu_table *table, const struct wt_pmu_table *other, struct wt_err *err)
{
	size_t n_events = table->n_events, n_metrics = table->n_metrics;

	if (wt_grow(&table->events, &table->cap_events, n_events, other->n_events, err) ||
	    wt_grow(&table->metrics, &table->cap_metrics, n_metrics, other->n_metrics, err))
		return -1;
	table->model.events = table->events;
	table->model.metrics = table->metrics;
	for (size_t i = 0; i < other->n_events; i++)
		if ((!n_events || !wt_pmu_event_named(&table->model, other->events[i].name)) &&
		    wt_pmu_table_event(table, &other->events[i], err))
			return -1;
	for (size_t i = 0; i < other->n_metrics; i++)
		if ((!n_metrics || !wt_pmu_metric_named(&table->model, other->metrics[i].name)) &&
		    wt_pmu_table_metric(table, &other->metrics[i], err))
			return -1;
	return 0;
}

int wt_pmu_table_fill(struct wt_pmu_table *table, const struct wt_pmu_table *other, struct wt_err *err)
{
	bool tree = !table->n_branches, groups = !table->n_groups;

	if (fill_items(table, other, err))
		return -1;
	for (size_t i = 0; groups && i < other->n_groups; i++)
		if (wt_pmu_table_group(table, &other->groups[i], err))
			return -1;
	for (size_t i = 0; tree && i < other->n_branches; i++)
		if (wt_pmu_table_branch(table, &other->branches[i], err))
			return -1;
	if (!tree)
		return 0;
	table->roots = other->roots;
	return keep_words(table, &table->roots, false, err);
}
