// SPDX-License-Identifier: MIT
#include "consumers/analysis/answer.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "consumers/analysis/choice.h"
#include "tracecore/base/list.h"
#include "tracecore/base/nearest.h"

/* ---- keys and columns ---- */

static int choose_events(const struct wt_answer *answer, struct wt_view_counter *counter, struct wt_err *err)
{
	bool asks = answer->ask->group_by || answer->ask->where;

	if (answer->by_region || answer->ask->waits)
		counter->agg.all_one_table = true;
	if (answer->ask->n_events || answer->by_region || answer->ask->waits)
		return 0;
	return wt_view_choose_events(counter, answer->samples, asks, err);
}

static int add_key(void *ctx, char *word, struct wt_err *err)
{
	const struct wt_view_agg *agg = ctx;

	for (uint32_t i = 0; i < agg->n_keys; i++)
		if (!strcmp(agg->keys[i].word, word))
			return wt_fail(err, WT_ERR_USAGE, "key '%s' is given twice in --group-by", word);
	return wt_view_agg_add_key(ctx, word, err);
}

static int add_column(void *ctx, char *word, struct wt_err *err)
{
	return wt_view_agg_add_column(ctx, word, err);
}

static const char *default_columns(const struct wt_answer *answer, const struct wt_view_agg *agg)
{
	if (answer->ask->histogram)
		return "count";
	if (answer->ask->waits && !answer->ask->inclusive)
		return answer->ask->folded ? "blocked" : "life,running,ready,blocked,unknown,waits,longest";
	if (answer->by_region && !answer->ask->inclusive && !answer->ask->folded)
		return "count,p50,p99,max,total,self";
	if (answer->ask->inclusive)
		return "overhead-inclusive,inclusive,overhead,count";
	if (answer->ask->folded)
		return "count";
	if (wt_view_agg_by_stack(agg) && agg->order == WT_ORDER_ROOT && agg->focus != WT_FOCUS_CALLERS)
		return "overhead,count,exclusive";
	return "overhead,count";
}

/* Returns the option that requires the key stack; NULL: none was given. */
static const char *stack_option(const struct wt_question *ask)
{
	return ask->stack_order  ? "--stack-order"
	       : ask->callers_of ? "--callers-of"
	       : ask->callees_of ? "--callees-of"
	       : ask->folded     ? "--folded"
	       : ask->depth      ? "--depth"
				 : NULL;
}

static int read_shape(const struct wt_question *ask, struct wt_view_agg *agg, struct wt_err *err)
{
	static const char *const orders[] = {"root", "leaf"};
	int order = 0;

	if (ask->callers_of && ask->callees_of)
		return wt_fail(err, WT_ERR_USAGE, "--callers-of or --callees-of, not both");
	if (ask->stack_order && (ask->callers_of || ask->callees_of))
		return wt_fail(err, WT_ERR_USAGE,
			       "--stack-order does not go with %s, which has its own order",
			       ask->callers_of ? "--callers-of" : "--callees-of");
	if (ask->stack_order)
		order = wt_one_of(err, "--stack-order", ask->stack_order, orders, 2);
	if (order < 0)
		return -1;
	if (order)
		agg->order = WT_ORDER_LEAF;
	if (ask->callers_of)
		agg->focus = WT_FOCUS_CALLERS;
	if (ask->callees_of)
		agg->focus = WT_FOCUS_CALLEES;
	agg->focus_name = ask->callers_of ? ask->callers_of : ask->callees_of;
	return 0;
}

static const char *default_keys(const struct wt_answer *answer)
{
	if (answer->by_region && !stack_option(answer->ask))
		return "region";
	if (answer->ask->waits && !stack_option(answer->ask))
		return "process,thread";
	if (answer->ask->folded)
		return "comm,stack";
	if (stack_option(answer->ask))
		return "stack";
	return answer->samples || answer->ask->inclusive ? "function" : "event";
}

static const char *default_sort(const struct wt_answer *answer)
{
	if (answer->by_region && !answer->ask->columns && !answer->ask->histogram &&
	    !answer->ask->inclusive && !answer->ask->folded)
		return "total";
	if (answer->ask->waits && !answer->ask->columns && !answer->ask->histogram && !answer->ask->inclusive)
		return "blocked";
	return answer->ask->inclusive ? "inclusive" : "count";
}

/* Adds the columns of recorded counts; the table is sorted by the first one. */
static int add_counts(struct wt_view_counter *counter, bool *ret, struct wt_err *err)
{
	struct wt_buf columns = {0};
	const char *keys;
	int rc = wt_view_choose_counts(counter, &keys, &columns, err);

	*ret = !rc && keys;
	if (*ret) {
		rc = wt_view_agg_add_key(&counter->agg, keys, err) ||
		     wt_list_each(wt_buf_cstr(&columns), "--columns", add_column, &counter->agg, err);
		if (!rc)
			rc = wt_view_agg_set_sort(&counter->agg, counter->agg.columns[0].word, err);
	}
	wt_buf_deinit(&columns);
	return rc ? -1 : 0;
}

/* True when the options do not determine the table. */
static bool is_left_open(const struct wt_answer *answer)
{
	const struct wt_question *ask = answer->ask;

	return !answer->samples && !answer->by_region && !ask->waits && !stack_option(ask) &&
	       !ask->n_events && !ask->group_by && !ask->columns && !ask->sort && !ask->inclusive &&
	       !ask->histogram && !ask->missing;
}

static int add_words(const struct wt_answer *answer, struct wt_view_agg *agg, struct wt_err *err)
{
	const struct wt_question *ask = answer->ask;
	const char *keys = ask->group_by ? ask->group_by : default_keys(answer);
	const char *sort = ask->sort ? ask->sort : default_sort(answer);

	if (wt_list_each(keys, "--group-by", add_key, agg, err))
		return -1;
	if (stack_option(ask) && !wt_view_agg_by_stack(agg))
		return wt_fail(err, WT_ERR_USAGE, "%s needs the key stack: --group-by %s,stack",
			       stack_option(ask), keys);
	if (wt_list_each(ask->columns ? ask->columns : default_columns(answer, agg), "--columns", add_column,
			 agg, err))
		return -1;
	agg->timeline = (!ask->sort || !strcmp(ask->sort, "key")) && !ask->folded && !ask->histogram;
	return wt_view_agg_set_sort(agg, sort, err);
}

/* Adds the field as a hidden column, so that exactly the events with the field are counted. */
static int add_histogram(const struct wt_answer *answer, struct wt_view_agg *agg, struct wt_err *err)
{
	char word[WT_SCHEMA_MAX_NAME * 3];
	uint32_t shown;

	if (!answer->ask->histogram)
		return 0;
	if (wt_view_agg_by_stack(agg))
		return wt_fail(err, WT_ERR_USAGE, "key 'stack' does not go with --histogram");
	shown = agg->n_shown;
	snprintf(word, sizeof(word), "max:%s", answer->ask->histogram);
	if (wt_view_agg_add_column(agg, word, err))
		return -1;
	agg->n_shown = shown;
	return 0;
}

static int on_histogram_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;
	struct wt_answer *answer = (struct wt_answer *)((char *)ctx - offsetof(struct wt_answer, counter));

	if (!batch->n || wt_view_counter_batch(counter, batch, err))
		return batch->n ? -1 : 0;
	return wt_view_histogram_add(&answer->histogram, batch, counter->agg.leaves, err);
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;
	struct wt_answer *answer = (struct wt_answer *)((char *)ctx - offsetof(struct wt_answer, counter));

	if (wt_view_counter_batch(counter, batch, err))
		return -1;
	return wt_view_missing_tally(&answer->missing, batch, counter->agg.leaves, err);
}

/* Applies the whole question to a counter. */
static int prepare_counter(const struct wt_answer *answer, struct wt_view_counter *counter,
			   struct wt_buf *shown, struct wt_err *err)
{
	const struct wt_question *ask = answer->ask;
	bool counts = false;

	if (wt_question_filter(ask, &counter->filter, &counter->select, shown, err) ||
	    read_shape(ask, &counter->agg, err) ||
	    (is_left_open(answer) && add_counts(counter, &counts, err)))
		return -1;
	if (!counts && (add_words(answer, &counter->agg, err) || add_histogram(answer, &counter->agg, err) ||
			choose_events(answer, counter, err)))
		return -1;
	return wt_question_range(ask, &counter->file, &counter->range, err);
}

static int open_counter(const struct wt_answer *answer, struct wt_view_counter *counter, struct wt_err *err)
{
	struct wt_view_options options = {.resolve = !answer->ask->no_resolve,
					  .no_inline = answer->ask->no_inline,
					  .watched = answer->watched,
					  .watched_ctx = answer->watched_ctx};

	options.lines = answer->ask->group_by && strstr(answer->ask->group_by, "line");
	if (wt_view_file_init(&counter->file, answer->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	return 0;
}

/* Prepares the counter of one of several threads. */
static int prepare_another(void *ctx, struct wt_view_counter *counter, struct wt_err *err)
{
	const struct wt_answer *answer = ctx;

	return open_counter(answer, counter, err) || prepare_counter(answer, counter, NULL, err) ? -1 : 0;
}

static int scan_regions(void *from,
			int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
			struct wt_err *err)
{
	return wt_region_rows_scan(from, fn, ctx, err);
}

static int read_regions(struct wt_answer *answer, struct wt_err *err)
{
	if (wt_region_rows_init(&answer->rows, &answer->counter.file, &answer->ask->pairs, err))
		return -1;
	answer->rows.need = wt_view_counter_need;
	answer->rows.need_ctx = &answer->counter;
	answer->counter.feed = (struct wt_view_feed){scan_regions, &answer->rows};
	return 0;
}

static int scan_waits(void *from, int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err),
		      void *ctx, struct wt_err *err)
{
	return wt_wait_rows_scan(from, fn, ctx, err);
}

static int read_waits(struct wt_answer *answer, struct wt_err *err)
{
	if (wt_wait_rows_init(&answer->waits, &answer->counter.file, err))
		return -1;
	answer->waits.need = wt_view_counter_need;
	answer->waits.need_ctx = &answer->counter;
	answer->counter.feed = (struct wt_view_feed){scan_waits, &answer->waits};
	return 0;
}

int wt_answer_open(struct wt_answer *answer, const char *path, struct wt_buf *shown, struct wt_err *err)
{
	const struct wt_question *ask = answer->ask;

	answer->by_region = wt_question_by_region(ask);
	if (wt_log_open(path, &answer->log, err) || open_counter(answer, &answer->counter, err))
		return -1;
	answer->counter.facts.growing = answer->watched != NULL;
	wt_view_missing_init(&answer->missing, &answer->counter.file);
	if ((answer->by_region && read_regions(answer, err)) || (ask->waits && read_waits(answer, err)))
		return -1;
	if (ask->histogram &&
	    wt_view_histogram_init(&answer->histogram, &answer->counter.file, ask->histogram, err))
		return -1;
	if (wt_view_find_samples(answer->log, &answer->samples, err))
		return -1;
	if (prepare_counter(answer, &answer->counter, shown, err))
		return answer->by_region ? -1 : wt_question_explain(err);
	return 0;
}

static int count(struct wt_answer *answer, uint32_t threads, struct wt_listener listener, struct wt_err *err)
{
	struct wt_view_crew crew = {.threads = threads, .prepare = prepare_another, .ctx = answer};
	struct wt_view_counter *counter = &answer->counter;
	struct wt_log_filter all;

	counter->range.listener = answer->rows.listener = answer->waits.listener = listener;
	answer->rows.from = answer->waits.from = counter->range.from;
	answer->rows.to = answer->waits.to = counter->range.to;
	all = counter->range;
	all.need = NULL;
	all.may = NULL;
	if (answer->ask->missing)
		return wt_log_scan(answer->log, &all, on_batch, counter, err);
	if (!answer->ask->histogram)
		return wt_view_count(counter, &crew, err);
	if (answer->ask->waits)
		return wt_wait_rows_scan(&answer->waits, on_histogram_batch, counter, err);
	if (answer->by_region)
		return wt_region_rows_scan(&answer->rows, on_histogram_batch, counter, err);
	return wt_log_scan(answer->log, &counter->range, on_histogram_batch, counter, err);
}

int wt_answer_count(struct wt_answer *answer, uint32_t threads, struct wt_listener listener,
		    struct wt_err *err)
{
	struct wt_view_counter *counter = &answer->counter;

	if (wt_view_facts_read(&counter->facts, err) || count(answer, threads, listener, err) ||
	    wt_view_agg_finish(&counter->agg, err) ||
	    (answer->ask->histogram && wt_view_histogram_roll(&answer->histogram, &counter->agg.rows, err)) ||
	    (answer->ask->missing && wt_view_missing_finish(&answer->missing, err)))
		return -1;
	wt_view_facts_sort_ends(&counter->facts);
	return 0;
}

void wt_answer_close(struct wt_answer *answer)
{
	wt_view_missing_deinit(&answer->missing);
	wt_view_histogram_deinit(&answer->histogram);
	wt_view_counter_deinit(&answer->counter);
	wt_region_rows_deinit(&answer->rows);
	wt_wait_rows_deinit(&answer->waits);
	if (answer->log)
		wt_log_close(answer->log);
}
