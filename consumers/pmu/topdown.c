// SPDX-License-Identifier: MIT
#include "consumers/pmu/topdown.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define NAMED_MAX 6 /* names of what to measure next in a line */

struct values {
	const struct wt_pmu_model *model;
	wt_topdown_value *value;
	void *ctx;
};

static bool look(const struct values *values, const struct wt_pmu_node *node, struct wt_topdown_row *ret)
{
	*ret = (struct wt_topdown_row){.node = node};
	if (node->metric)
		ret->metric = wt_pmu_metric_named(values->model, node->metric);
	return ret->metric && values->value(values->ctx, ret->metric, &ret->value) &&
	       !isnan(ret->value.value);
}

/* A group is worth a row when one of its metrics has a value. */
static bool group_has_value(const struct values *values, const struct wt_pmu_node *node)
{
	struct wt_topdown_row row;

	for (size_t i = 0; !node->metric && i < node->n_next; i++)
		if (look(values, node->next[i], &row))
			return true;
	return false;
}

/* The greatest of those that may be followed: over their threshold, or without one and in the unit of the
 * first. */
static bool greatest(const struct values *values, const struct wt_pmu_node *const *nodes, size_t n,
		     struct wt_topdown_row *ret)
{
	const char *unit = NULL;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		struct wt_topdown_row row;

		if (!look(values, nodes[i], &row))
			continue;
		unit = unit ? unit : row.metric->unit;
		if (isnan(nodes[i]->over) ? strcmp(unit, row.metric->unit) != 0
					  : row.value.value <= nodes[i]->over)
			continue;
		if (!found || row.value.value > ret->value.value)
			*ret = row;
		found = true;
	}
	return found;
}

/* The greatest metric in MPKI of the groups among the nodes. */
static bool greatest_mpki(const struct values *values, const struct wt_pmu_node *node,
			  struct wt_topdown_row *ret)
{
	bool found = false;

	for (size_t i = 0; i < node->n_next; i++) {
		const struct wt_pmu_node *group = node->next[i];

		for (size_t k = 0; !group->metric && k < group->n_next; k++) {
			struct wt_topdown_row row;

			if (!look(values, group->next[k], &row) || strcasecmp(row.metric->unit, "MPKI") ||
			    (found && row.value.value <= ret->value.value))
				continue;
			*ret = row;
			found = true;
		}
	}
	return found;
}

static void add_step(struct wt_topdown_way *way, const struct wt_topdown_row *row)
{
	way->step[way->n] = *row;
	way->step[way->n].depth = (unsigned)way->n;
	way->step[way->n++].stands_out = true;
	if (row->metric->sample_events.n)
		way->sample = row->metric;
}

void wt_topdown_find(const struct wt_pmu_model *model, wt_topdown_value *value, void *ctx,
		     struct wt_topdown_way *ret)
{
	const struct values values = {model, value, ctx};
	const struct wt_pmu_node *const *nodes = model->topdown;
	size_t n = model->n_topdown;
	struct wt_topdown_row row;

	*ret = (struct wt_topdown_way){0};
	while (ret->n < WT_PMU_TREE_DEEP - 1 && greatest(&values, nodes, n, &row)) {
		add_step(ret, &row);
		ret->end = row.node;
		nodes = row.node->next;
		n = row.node->n_next;
	}
	if (ret->end && greatest_mpki(&values, ret->end, &row))
		add_step(ret, &row);
}

struct walk {
	struct values values;
	struct wt_topdown_way way;
	wt_topdown_take *take;
	void *ctx;
	size_t rows, looked;
};

static bool on_way(const struct walk *walk, const struct wt_topdown_row *row)
{
	for (size_t i = 0; i < walk->way.n; i++)
		if (walk->way.step[i].node == row->node)
			return true;
	return false;
}

/* A node without a value is left out, and the nodes below take its place. */
static void walk_node(struct walk *walk, const struct wt_pmu_node *node, unsigned depth)
{
	struct wt_topdown_row row;
	bool shown = look(&walk->values, node, &row) || group_has_value(&walk->values, node);

	if (walk->looked++ >= WT_TOPDOWN_ROWS)
		return;
	if (shown) {
		row.depth = depth;
		row.stands_out = on_way(walk, &row);
		walk->take(walk->ctx, &row);
		walk->rows++;
	}
	for (size_t i = 0; i < node->n_next && walk->looked < WT_TOPDOWN_ROWS; i++)
		walk_node(walk, node->next[i], depth + shown);
}

size_t wt_topdown_walk(const struct wt_pmu_model *model, wt_topdown_value *value, void *value_ctx,
		       wt_topdown_take *take, void *take_ctx)
{
	struct walk walk = {.values = {model, value, value_ctx}, .take = take, .ctx = take_ctx};

	wt_topdown_find(model, value, value_ctx, &walk.way);
	for (size_t i = 0; i < model->n_topdown; i++)
		walk_node(&walk, model->topdown[i], 0);
	return walk.rows;
}

/* "frontend bound" of "frontend_bound" and of "tma_frontend_bound". */
static void say_name(const char *name, struct wt_buf *out)
{
	if (!strncasecmp(name, "tma_", 4))
		name += 4;
	for (; *name; name++)
		wt_buf_put_u8(out, *name == '_' ? ' ' : (uint8_t)*name);
}

static void say_step(const struct wt_topdown_row *row, struct wt_buf *out)
{
	const char *unit = row->metric->unit;

	say_name(row->metric->name, out);
	if (!strncasecmp(unit, "percent", 7))
		wt_buf_printf(out, " %.0f %%", row->value.value);
	else
		wt_buf_printf(out, " %.3g%s%s", row->value.value, *unit ? " " : "", unit);
}

static void say_more(const struct values *values, const struct wt_pmu_node *end, struct wt_buf *out)
{
	struct wt_topdown_row row;
	size_t named = 0;

	for (size_t i = 0; i < end->n_next && named < NAMED_MAX; i++) {
		const struct wt_pmu_node *node = end->next[i];

		if (look(values, node, &row) || group_has_value(values, node))
			continue;
		wt_buf_printf(out, "%s%s", named++ ? "," : "; measure ", node->name);
	}
	if (named)
		wt_buf_puts(out, " for more");
}

void wt_topdown_say(const struct wt_pmu_model *model, wt_topdown_value *value, void *ctx,
		    const struct wt_topdown_way *way, struct wt_buf *out)
{
	const struct values values = {model, value, ctx};

	for (size_t i = 0; i < way->n; i++) {
		wt_buf_puts(out, i ? ", " : "");
		say_step(&way->step[i], out);
	}
	for (size_t i = 0; way->sample && i < way->sample->sample_events.n; i++)
		wt_buf_printf(out, "%s%s", i ? "," : ": sample ", way->sample->sample_events.word[i]);
	if (way->end)
		say_more(&values, way->end, out);
}
