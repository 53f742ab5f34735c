/* SPDX-License-Identifier: MIT */
/* Chooses the functions to annotate: groups places with hits by function, and takes the hottest or those that
 * are named. */
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/function_name.h"
#include "consumers/annotate/work.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/nearest.h"

struct group {
	uint32_t from, to; /* places */
	uint64_t hits;
};

struct finding {
	struct wt_annotate_work work;
	const struct wt_annotate *annotate;
	struct wt_annotate_place *places; /* owned */
	uint32_t n_places;
	struct group *groups;
	uint32_t n_groups;
};

static const char *text(const struct finding *finding, uint32_t id, size_t *len)
{
	return wt_strings_get(&finding->work.file->texts, id, len);
}

static bool is_named(const struct finding *finding, const struct wt_annotate_place *place, const char *name)
{
	const struct wt_log_symbol *symbol = wt_frame_log_symbol(place->tables, place->frame);
	const char *colon = strrchr(name, ':');
	size_t len, n = strlen(name);
	const char *function = text(finding, place->name, &len);

	if (wt_function_is(function, len, name, n) ||
	    (symbol->raw_name.len == n && !memcmp(symbol->raw_name.p, name, n)))
		return true;
	if (!colon)
		return false;
	return wt_function_is(function, len, name, (size_t)(colon - name)) &&
	       !strcmp(wt_view_module_base(text(finding, place->module, NULL)), colon + 1);
}

static bool is_chosen(const struct finding *finding, const struct wt_annotate_place *place)
{
	const struct wt_annotate_choice *choice = finding->work.choice;

	for (size_t i = 0; i < choice->n_functions; i++)
		if (is_named(finding, place, choice->functions[i]))
			return true;
	return !choice->n_functions;
}

/* A name without any hits is an error, even if other names have hits. */
static int check_names(const struct finding *finding, struct wt_err *err)
{
	const struct wt_annotate_choice *choice = finding->work.choice;
	const char **known = calloc((size_t)finding->n_groups + 1, sizeof(*known));
	int failed = known ? 0 : wt_fail_nomem(err);

	for (uint32_t g = 0; !failed && g < finding->n_groups; g++)
		known[g] = text(finding, finding->places[finding->groups[g].from].name, NULL);
	for (size_t i = 0; !failed && i < choice->n_functions; i++) {
		bool any = false;

		for (uint32_t g = 0; g < finding->n_groups && !any; g++)
			any = is_named(finding, &finding->places[finding->groups[g].from],
				       choice->functions[i]);
		if (!any && !finding->n_groups)
			failed = wt_fail(err, WT_ERR_NOTFOUND,
					 "no event hits '%.80s': the events have no code addresses",
					 choice->functions[i]);
		else if (!any)
			failed = wt_fail_unknown(err, "function with hits", choice->functions[i], known,
						 finding->n_groups);
	}
	free(known);
	return failed;
}

static int hottest_first(const void *x, const void *y, void *ctx)
{
	const struct group *a = x, *b = y;
	const struct wt_annotate_place *places = ctx;

	if (places[a->from].root != places[b->from].root)
		return places[a->from].root < places[b->from].root ? -1 : 1;
	if (a->hits != b->hits)
		return a->hits > b->hits ? -1 : 1;
	return wt_annotate_order(&places[a->from], &places[b->from]);
}

static int make_groups(struct finding *finding, struct wt_err *err)
{
	uint32_t cap = 0;

	for (uint32_t from = 0, to; from < finding->n_places; from = to) {
		struct group group = {.from = from};

		for (to = from; to < finding->n_places &&
				!wt_annotate_order(&finding->places[from], &finding->places[to]);
		     to++)
			group.hits += finding->places[to].count;
		group.to = to;
		if (wt_grow(&finding->groups, &cap, finding->n_groups, 1, err))
			return -1;
		finding->groups[finding->n_groups++] = group;
	}
	qsort_r(finding->groups, finding->n_groups, sizeof(*finding->groups), hottest_first, finding->places);
	return 0;
}

static uint64_t table_hits(const struct wt_view_agg *agg, uint32_t root)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < agg->rows.edges.count; i++)
		sum += agg->rows.nodes[i].root == root ? agg->rows.nodes[i].self : 0;
	return sum;
}

static int make_function(struct finding *finding, const struct group *group, struct wt_annotation *ret,
			 struct wt_err *err)
{
	const struct wt_view_agg *agg = &finding->annotate->counter->agg;
	const struct wt_annotate_place *place = &finding->places[group->from];
	struct wt_annotated_function *function;
	const char *event, *name, *module;
	size_t event_len, name_len, module_len;

	if (wt_grow_one(&ret->functions, ret->n, err))
		return -1;
	event = text(finding, agg->rows.nodes[place->root].id, &event_len);
	name = text(finding, place->name, &name_len);
	module = text(finding, place->module, &module_len);
	function = &ret->functions[ret->n++];
	*function = (struct wt_annotated_function){
		.event = wt_annotate_keep(&finding->work, event_len ? event : "events",
					  event_len ? event_len : 6),
		.name = wt_annotate_keep(&finding->work, name, name_len),
		.module = wt_annotate_keep(&finding->work, module, module_len),
		.hits = group->hits,
		.table_hits = table_hits(agg, place->root),
	};
	if (!function->event.p || !function->name.p || !function->module.p)
		return wt_fail_nomem(err);
	return wt_annotate_fill(&finding->work, place, group->to - group->from, function, err);
}

static int make_all(struct finding *finding, struct wt_annotation *ret, struct wt_err *err)
{
	const struct wt_annotate_choice *choice = finding->work.choice;
	uint32_t top = choice->top ? choice->top : choice->n_functions ? UINT32_MAX : WT_ANNOTATE_TOP;
	uint32_t root = WT_VIEW_NONE, shown = 0;

	for (uint32_t g = 0; g < finding->n_groups; g++) {
		const struct wt_annotate_place *place = &finding->places[finding->groups[g].from];

		if (!is_chosen(finding, place))
			continue;
		shown = place->root == root ? shown : 0;
		root = place->root;
		if (shown++ >= top)
			ret->n_left_out++;
		else if (make_function(finding, &finding->groups[g], ret, err))
			return -1;
	}
	return 0;
}

static int find_all(struct finding *finding, struct wt_annotation *ret, struct wt_err *err)
{
	if (wt_annotate_places(finding->annotate, &finding->places, &finding->n_places, err))
		return -1;
	if (!finding->work.choice->no_resolve &&
	    wt_annotate_symbols(&finding->work.file->options, &finding->work.symbols, err))
		return -1;
	return make_groups(finding, err) || check_names(finding, err) || make_all(finding, ret, err) ? -1 : 0;
}

int wt_annotate_finish(const struct wt_annotate *annotate, const struct wt_annotate_choice *choice,
		       struct wt_annotation *ret, struct wt_err *err)
{
	struct finding finding = {
		.annotate = annotate,
		.work = {.file = &annotate->counter->file, .choice = choice, .texts = &ret->texts}};
	int failed;

	*ret = (struct wt_annotation){0};
	finding.work.sources.prefix = choice->source_prefix;
	failed = find_all(&finding, ret, err);
	for (int i = 0; i < 2; i++) {
		wt_disasm_destroy(finding.work.disasm[i]);
		wt_buf_deinit(&finding.work.no_disasm[i]);
	}
	wt_disasm_text_deinit(&finding.work.text);
	wt_sources_deinit(&finding.work.sources);
	wt_symbols_destroy(finding.work.symbols);
	free(finding.places);
	free(finding.groups);
	return failed;
}

void wt_annotation_deinit(struct wt_annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->n; i++) {
		free(annotation->functions[i].lines);
		free(annotation->functions[i].instructions);
	}
	free(annotation->functions);
	wt_arena_deinit(&annotation->texts);
	*annotation = (struct wt_annotation){0};
}
