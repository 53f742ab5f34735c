// SPDX-License-Identifier: MIT
#include "consumers/sample/result.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/choice.h"
#include "consumers/export/words.h"
#include "consumers/sample/symbol.h"
#include "tracecore/base/grow.h"

/* ---- counting ---- */

struct reading {
	struct wt_log_reader *log;
	const struct wt_sample_choice *choice;
	struct wt_view_counter counter;
	struct wt_annotate annotate;
};

static int prepare(void *ctx, struct wt_view_counter *counter, struct wt_err *err)
{
	const struct reading *reading = ctx;
	bool lines = reading->choice->annotate;
	struct wt_view_options options = {.resolve = true, .lines = lines, .no_inline = lines};

	if (wt_view_file_init(&counter->file, reading->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	if (wt_view_agg_add_key(&counter->agg, "function", err) ||
	    wt_view_agg_add_column(&counter->agg, "count", err) ||
	    wt_view_agg_add_column(&counter->agg, "weight", err) ||
	    wt_view_agg_set_sort(&counter->agg, "count", err))
		return -1;
	return wt_view_choose_events(counter, true, false, err);
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct reading *reading = ctx;

	if (wt_view_counter_batch(&reading->counter, batch, err))
		return -1;
	return batch->n ? wt_annotate_batch(&reading->annotate, batch, err) : 0;
}

static int count(struct reading *reading, struct wt_err *err)
{
	struct wt_view_crew crew = {.prepare = prepare, .ctx = reading};
	struct wt_view_counter *counter = &reading->counter;

	if (prepare(reading, counter, err) || wt_view_facts_read(&counter->facts, err))
		return -1;
	wt_annotate_init(&reading->annotate, counter);
	if (reading->choice->annotate || reading->choice->details
		    ? wt_log_scan(reading->log, &counter->range, on_batch, reading, err)
		    : wt_view_count(counter, &crew, err))
		return -1;
	return wt_view_agg_finish(&counter->agg, err);
}

/* ---- rows ---- */

/* NAME:MODULE with the symbol's own name, where it has one. */
static void mangle(const struct wt_view_file *file, uint32_t id, struct wt_buf *name)
{
	const char *module = strrchr(wt_buf_cstr(name), ':');
	struct wt_buf raw = {0};

	for (uint32_t i = 0; module && !raw.len && i < file->raw_names.count; i++)
		if (file->raw_names.keys[i].b == id)
			wt_buf_puts(&raw,
				    wt_strings_get(&file->texts, (uint32_t)file->raw_names.keys[i].a, NULL));
	if (!raw.len)
		return;
	wt_buf_puts(&raw, module);
	wt_buf_deinit(name);
	*name = raw;
}

static int add_row(const struct wt_view_agg *agg, uint32_t node, const struct wt_sample_choice *choice,
		   struct wt_buf *name, struct wt_sample_event *event, struct wt_err *err)
{
	uint64_t n = agg->rows.nodes[node].total;
	struct wt_buf symbol = {0};
	struct wt_sample_row *row;

	if (wt_grow_one(&event->rows, event->n_rows, err))
		return -1;
	row = &event->rows[event->n_rows++];
	*row = (struct wt_sample_row){.name = strdup(wt_buf_cstr(name)),
				      .count = n,
				      .overhead = event->total ? 100.0 * (double)n / (double)event->total
							       : 0};
	event->shown += n;
	if (choice->mangled)
		mangle(agg->file, agg->rows.nodes[node].id, name);
	wt_text_escape(&symbol, (const char *)name->data, name->len);
	row->symbol = strdup(wt_buf_cstr(&symbol));
	wt_buf_deinit(&symbol);
	return row->name && row->symbol ? 0 : wt_fail_nomem(err);
}

static int take_row(const struct wt_view_agg *agg, uint32_t node, const struct wt_sample_choice *choice,
		    struct wt_sample_event *event, struct wt_err *err)
{
	struct wt_buf name = {0};
	int rc = 0;

	wt_view_key_text(agg->file, wt_view_agg_key(agg, node), agg->rows.nodes[node].id, &name);
	if (wt_sample_symbol_fits(choice->symbol, wt_buf_cstr(&name)) &&
	    (!choice->rows || event->n_rows < choice->rows))
		rc = add_row(agg, node, choice, &name, event, err);
	wt_buf_deinit(&name);
	return rc;
}

/* The period after the event's name, or after NAME=EVENT, in -e; 0: none. */
static uint64_t asked_interval(const struct wt_sample_choice *choice, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < choice->n_words; i++) {
		const char *word = choice->words[i], *colon;

		if (strncmp(word, name, len) != 0 || (word[len] != ':' && word[len] != '='))
			continue;
		colon = word[len] == ':' ? word + len : strrchr(word, ':');
		return colon ? strtoull(colon + 1, NULL, 0) : 0;
	}
	return 0;
}

static int take_event(const struct wt_view_agg *agg, uint32_t root, const struct wt_sample_choice *choice,
		      struct wt_sample_event *event, struct wt_err *err)
{
	struct wt_view_cell weight = wt_view_agg_cell(agg, root, 1);
	uint32_t n;
	const uint32_t *children = wt_view_agg_children(agg, root, &n);

	event->name = strdup(wt_strings_get(&agg->file->texts, agg->rows.nodes[root].id, NULL));
	if (!event->name)
		return wt_fail_nomem(err);
	event->total = agg->rows.nodes[root].total;
	event->n_all = n;
	event->interval = asked_interval(choice, event->name);
	if (!event->interval && event->total && weight.kind == WT_CELL_INTEGER)
		event->interval = (uint64_t)(weight.i / event->total);
	for (uint32_t i = 0; i < n; i++)
		if (take_row(agg, children[i], choice, event, err))
			return -1;
	return 0;
}

static void take_losses(const struct wt_view_facts *facts, struct wt_sample_result *ret)
{
	for (uint32_t i = 0; i < facts->n_losses; i++)
		if (!strcmp(wt_strings_get(&facts->file->texts, facts->losses[i].provider, NULL),
			    "pmu-profile"))
			ret->dropped += facts->losses[i].count;
	if (wt_view_facts_lossy(facts))
		wt_view_facts_missing(facts, &ret->missing);
}

static int take(const struct wt_view_counter *counter, const struct wt_sample_choice *choice,
		struct wt_sample_result *ret, struct wt_err *err)
{
	const struct wt_view_agg *agg = &counter->agg;

	for (uint32_t i = 0; i < agg->children.n_roots; i++) {
		struct wt_sample_event *event;

		if (wt_grow_one(&ret->events, ret->n_events, err))
			return -1;
		event = &ret->events[ret->n_events++];
		*event = (struct wt_sample_event){0};
		if (take_event(agg, agg->children.roots[i], choice, event, err))
			return -1;
		ret->samples += event->total;
	}
	take_losses(&counter->facts, ret);
	return ret->missing.failed ? wt_fail_nomem(err) : 0;
}

/* ---- annotating ---- */

static bool is_event(const struct wt_annotated_function *function, const struct wt_sample_event *event)
{
	size_t len = strlen(event->name);

	return function->event.len == len && !memcmp(function->event.p, event->name, len);
}

/* Annotates the functions of all rows. A row without a name has no code of its own to show. */
static int take_names(const struct wt_sample_result *result, const char ***ret, size_t *n, struct wt_err *err)
{
	*ret = NULL;
	*n = 0;
	for (size_t i = 0; i < result->n_events; i++)
		for (size_t k = 0; k < result->events[i].n_rows; k++) {
			if (result->events[i].rows[k].name[0] == '[')
				continue;
			if (wt_grow_one(ret, *n, err))
				return -1;
			(*ret)[(*n)++] = result->events[i].rows[k].name;
		}
	return 0;
}

static bool is_row(const struct wt_sample_result *result, const struct wt_annotated_function *function)
{
	struct wt_str module = wt_view_module_end(function->module);
	struct wt_buf name = {0};
	bool found = false;

	wt_buf_put(&name, function->name.p, function->name.len);
	wt_buf_puts(&name, ":");
	wt_buf_put(&name, module.p, module.len);
	for (size_t i = 0; i < result->n_events; i++) {
		const struct wt_sample_event *event = &result->events[i];

		if (!is_event(function, event))
			continue;
		for (size_t k = 0; !found && k < event->n_rows; k++)
			found = !strcmp(event->rows[k].name, wt_buf_cstr(&name));
	}
	wt_buf_deinit(&name);
	return found;
}

/* A row of one event may be missing for another event. */
static void prune(struct wt_sample_result *result)
{
	struct wt_annotation *all = &result->annotation;
	uint32_t n = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		if (is_row(result, &all->functions[i])) {
			all->functions[n++] = all->functions[i];
			continue;
		}
		free(all->functions[i].lines);
		free(all->functions[i].instructions);
	}
	all->n = n;
}

static int annotate(const struct reading *reading, struct wt_sample_result *ret, struct wt_err *err)
{
	struct wt_annotate_choice choice = {.no_source = true, .no_asm = !reading->choice->disassemble};
	const char **names = NULL;
	size_t n = 0;
	int rc = take_names(ret, &names, &n, err);

	choice.functions = names;
	choice.n_functions = n;
	if (!rc && n)
		rc = wt_annotate_finish(&reading->annotate, &choice, &ret->annotation, err);
	if (!rc)
		prune(ret);
	free(names);
	return rc;
}

uint32_t wt_sample_annotated(const struct wt_sample_result *result, const struct wt_sample_event *event,
			     uint32_t *end)
{
	const struct wt_annotated_function *functions = result->annotation.functions;
	uint32_t from = UINT32_MAX;

	*end = 0;
	for (uint32_t i = 0; i < result->annotation.n; i++)
		if (is_event(&functions[i], event)) {
			from = from < i ? from : i;
			*end = i + 1;
		}
	return from < *end ? from : *end;
}

int wt_sample_result_read(const char *path, const struct wt_sample_choice *choice,
			  struct wt_sample_result *ret, struct wt_err *err)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	int rc = reading ? wt_log_open(path, &reading->log, err) : wt_fail_nomem(err);

	if (!rc) {
		reading->choice = choice;
		rc = count(reading, err);
	}
	if (!rc)
		rc = take(&reading->counter, choice, ret, err);
	if (!rc && choice->annotate)
		rc = annotate(reading, ret, err);
	if (!rc && choice->details)
		rc = wt_hits_find(&reading->annotate, &ret->hits, err);
	if (reading && reading->log) {
		wt_annotate_deinit(&reading->annotate);
		wt_view_counter_deinit(&reading->counter);
		wt_log_close(reading->log);
	}
	free(reading);
	return rc;
}

void wt_sample_result_deinit(struct wt_sample_result *result)
{
	for (size_t i = 0; i < result->n_events; i++) {
		for (size_t k = 0; k < result->events[i].n_rows; k++)
			free(result->events[i].rows[k].symbol), free(result->events[i].rows[k].name);
		free(result->events[i].rows);
		free(result->events[i].name);
	}
	free(result->events);
	wt_buf_deinit(&result->missing);
	wt_annotation_deinit(&result->annotation);
	wt_hits_deinit(&result->hits);
	*result = (struct wt_sample_result){0};
}
