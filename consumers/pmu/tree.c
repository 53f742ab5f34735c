// SPDX-License-Identifier: MIT
#include "consumers/pmu/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ON_THE_WAY 255

/* A node for every branch, group and metric, in this order; only those that a root leads to are seen by
 * others. */
struct forest {
	struct wt_pmu_table *table;
	struct wt_err *err;
	struct wt_pmu_node *branches, *groups, *metrics;
	uint8_t *height; /* of branches: nodes on the longest way down; 0 not known yet, ON_THE_WAY */
};

static int by_name(const void *a, const void *b)
{
	const struct wt_pmu_branch *x = a, *y = b;

	return strcasecmp(x->name, y->name);
}

static struct wt_pmu_node *find(struct forest *forest, const char *name)
{
	const struct wt_pmu_table *table = forest->table;
	const struct wt_pmu_metric *metric;
	const struct wt_pmu_group *group;

	const struct wt_pmu_branch key = {.name = name}, *branch;

	branch = table->n_branches ? bsearch(&key, table->branches, table->n_branches, sizeof(key), by_name)
				   : NULL;
	if (branch)
		return &forest->branches[branch - table->branches];
	group = wt_pmu_group_named(&table->model, name);
	if (group)
		return &forest->groups[group - table->groups];
	metric = wt_pmu_metric_named(&table->model, name);
	return metric ? &forest->metrics[metric - table->metrics] : NULL;
}

static int link_next(struct forest *forest, struct wt_pmu_node *node, struct wt_pmu_words next)
{
	const struct wt_pmu_node **list = wt_pmu_keep(&forest->table->kept, next.n * sizeof(*list),
						      forest->err);

	if (!list)
		return -1;
	node->next = list;
	for (size_t i = 0; i < next.n; i++) {
		const struct wt_pmu_node *other = find(forest, next.word[i]);

		if (other)
			list[node->n_next++] = other;
	}
	return 0;
}

static int fill(struct forest *forest)
{
	struct wt_pmu_table *table = forest->table;

	for (size_t i = 0; i < table->n_metrics; i++)
		forest->metrics[i] = (struct wt_pmu_node){
			.name = table->metrics[i].name, .metric = table->metrics[i].name, .over = NAN};
	for (size_t i = 0; i < table->n_groups; i++) {
		const struct wt_pmu_metric *metric;
		const struct wt_pmu_node **list;
		struct wt_pmu_words names = table->groups[i].metrics;

		list = wt_pmu_keep(&table->kept, names.n * sizeof(*list), forest->err);
		if (!list)
			return -1;
		forest->groups[i] = (struct wt_pmu_node){
			.name = table->groups[i].name, .next = list, .over = NAN};
		for (size_t k = 0; k < names.n; k++) {
			metric = wt_pmu_metric_named(&table->model, names.word[k]);
			if (metric)
				list[forest->groups[i].n_next++] = &forest->metrics[metric - table->metrics];
		}
	}
	for (size_t i = 0; i < table->n_branches; i++) {
		const struct wt_pmu_branch *branch = &table->branches[i];

		forest->branches[i] = (struct wt_pmu_node){
			.name = branch->name, .metric = branch->metric, .over = branch->over};
		if (link_next(forest, &forest->branches[i], branch->next))
			return -1;
	}
	return 0;
}

/* Groups and metrics lead nowhere but down; only branches can lead back. */
static int measure(struct forest *forest, const struct wt_pmu_node *node, uint8_t *ret)
{
	struct wt_pmu_table *table = forest->table;
	bool branch = table->n_branches && node >= forest->branches &&
		      node < forest->branches + table->n_branches;
	uint8_t *height = branch ? &forest->height[node - forest->branches] : NULL, below, most = 0;

	*ret = 2;
	if (!branch)
		return 0;
	if (*height && *height != ON_THE_WAY) {
		*ret = *height;
		return 0;
	}
	if (*height == ON_THE_WAY)
		return wt_fail(forest->err, WT_ERR_FORMAT, "%s: the topdown tree leads back to '%.80s'",
			       table->origin, node->name);
	*height = ON_THE_WAY;
	for (size_t i = 0; i < node->n_next; i++) {
		if (measure(forest, node->next[i], &below))
			return -1;
		most = below > most ? below : most;
	}
	if (most >= WT_PMU_TREE_DEEP)
		return wt_fail(forest->err, WT_ERR_FORMAT, "%s: the topdown tree is more than %d deep",
			       table->origin, WT_PMU_TREE_DEEP);
	*ret = *height = (uint8_t)(most + 1);
	return 0;
}

int wt_pmu_tree_build(struct wt_pmu_table *table, struct wt_err *err)
{
	struct forest forest = {.table = table, .err = err};
	const struct wt_pmu_node **roots;
	uint8_t height;

	forest.branches = wt_pmu_keep(&table->kept, table->n_branches * sizeof(*forest.branches), err);
	forest.groups = wt_pmu_keep(&table->kept, table->n_groups * sizeof(*forest.groups), err);
	forest.metrics = wt_pmu_keep(&table->kept, table->n_metrics * sizeof(*forest.metrics), err);
	forest.height = wt_pmu_keep(&table->kept, table->n_branches, err);
	roots = wt_pmu_keep(&table->kept, table->roots.n * sizeof(*roots), err);
	if (!forest.branches || !forest.groups || !forest.metrics || !forest.height || !roots ||
	    fill(&forest))
		return -1;
	table->model.n_topdown = 0;
	table->model.topdown = roots;
	for (size_t i = 0; i < table->roots.n; i++) {
		const struct wt_pmu_node *node = find(&forest, table->roots.word[i]);

		if (node && measure(&forest, node, &height))
			return -1;
		if (node)
			roots[table->model.n_topdown++] = node;
	}
	return 0;
}
