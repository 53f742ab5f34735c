/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/analysis/choice.h"
#include "consumers/session/requests.h"
#include "tools/annotate_run.h"
#include "tools/cmd.h"
#include "tools/near_misses.h"
#include "tools/progress.h"
#include "tracecore/base/nearest.h"
#include "tools/view/args.h"
#include "consumers/analysis/counter.h"
#include "consumers/analysis/wait_rows.h"
#include "consumers/analysis/why_none.h"
#include "tools/view/show.h"
#include "tools/wpa_columns.h"

struct view {
	struct wt_view_args args;
	struct wt_buf wpa_keys, wpa_columns; /**< what args has instead of columns of WPA */
	char *session_log;                   /**< owned; the log of --session */
	struct wt_log_reader *log;
	struct wt_view_counter counter;
	struct wt_region_rows rows;
	struct wt_wait_rows waits; /**< with --waits */
	bool by_region;            /**< rows are counted, not events */
	bool samples;              /**< the log has some */
	uint32_t threads;          /**< as requested; 0: not given */
	struct wt_view_missing missing;
	struct wt_view_histogram histogram; /**< with --histogram */
	struct wt_buf why_none;             /**< text for a table without rows */
	struct wt_view_show show;
};

/* ---- keys and columns ---- */

static int choose_events(const struct view *view, struct wt_view_counter *counter, struct wt_err *err)
{
	bool asks = view->args.group_by || view->args.where;

	if (view->by_region || view->args.waits)
		counter->agg.all_one_table = true;
	if (view->args.n_events || view->by_region || view->args.waits)
		return 0;
	return wt_view_choose_events(counter, view->samples, asks, err);
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

static const char *default_columns(const struct view *view, const struct wt_view_agg *agg)
{
	if (view->args.histogram)
		return "count";
	if (view->args.waits && !view->args.inclusive)
		return view->args.folded ? "blocked" : "life,running,ready,blocked,unknown,waits,longest";
	if (view->by_region && !view->args.inclusive && !view->args.folded)
		return "count,p50,p99,max,total,self";
	if (view->args.inclusive)
		return "overhead-inclusive,inclusive,overhead,count";
	if (view->args.folded)
		return "count";
	if (wt_view_agg_by_stack(agg) && agg->order == WT_ORDER_ROOT && agg->focus != WT_FOCUS_CALLERS)
		return "overhead,count,exclusive";
	return "overhead,count";
}

/* Returns the option that requires the key stack; NULL: none was given. */
static const char *stack_option(const struct wt_view_args *args)
{
	return args->stack_order  ? "--stack-order"
	       : args->callers_of ? "--callers-of"
	       : args->callees_of ? "--callees-of"
	       : args->folded     ? "--folded"
	       : args->depth      ? "--depth"
				  : NULL;
}

static int read_shape(const struct wt_view_args *args, struct wt_view_agg *agg, struct wt_err *err)
{
	static const char *const orders[] = {"root", "leaf"};
	int order = 0;

	if (args->callers_of && args->callees_of)
		return wt_fail(err, WT_ERR_USAGE, "--callers-of or --callees-of, not both");
	if (args->stack_order && (args->callers_of || args->callees_of))
		return wt_fail(err, WT_ERR_USAGE,
			       "--stack-order does not go with %s, which has its own order",
			       args->callers_of ? "--callers-of" : "--callees-of");
	if (args->stack_order)
		order = wt_one_of(err, "--stack-order", args->stack_order, orders, 2);
	if (order < 0)
		return -1;
	if (order)
		agg->order = WT_ORDER_LEAF;
	if (args->callers_of)
		agg->focus = WT_FOCUS_CALLERS;
	if (args->callees_of)
		agg->focus = WT_FOCUS_CALLEES;
	agg->focus_name = args->callers_of ? args->callers_of : args->callees_of;
	return 0;
}

static const char *default_keys(const struct view *view)
{
	if (view->by_region && !stack_option(&view->args))
		return "region";
	if (view->args.waits && !stack_option(&view->args))
		return "process,thread";
	if (view->args.folded)
		return "comm,stack";
	if (stack_option(&view->args))
		return "stack";
	return view->samples || view->args.inclusive ? "function" : "event";
}

static const char *default_sort(const struct view *view)
{
	if (view->by_region && !view->args.columns && !view->args.histogram && !view->args.inclusive &&
	    !view->args.folded)
		return "total";
	if (view->args.waits && !view->args.columns && !view->args.histogram && !view->args.inclusive)
		return "blocked";
	return view->args.inclusive ? "inclusive" : "count";
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
		     wt_options_each(wt_buf_cstr(&columns), "--columns", add_column, &counter->agg, err);
		if (!rc)
			rc = wt_view_agg_set_sort(&counter->agg, counter->agg.columns[0].word, err);
	}
	wt_buf_deinit(&columns);
	return rc ? -1 : 0;
}

/* True when the options do not determine the table. */
static bool is_left_open(const struct view *view)
{
	const struct wt_view_args *args = &view->args;

	return !view->samples && !view->by_region && !args->waits && !stack_option(args) && !args->n_events &&
	       !args->group_by && !args->columns && !args->sort && !args->inclusive && !args->histogram &&
	       !args->missing;
}

/* Columns of WPA are keys or columns here. Keys that were asked for come first. */
static int take_wpa_columns(struct view *view, struct wt_err *err)
{
	struct wt_view_args *args = &view->args;
	struct wt_buf *keys = &view->wpa_keys, *columns = &view->wpa_columns;

	if (!args->waits || !args->columns)
		return 0;
	if (args->group_by)
		wt_buf_puts(keys, args->group_by);
	if (!wt_wpa_columns(args->columns, keys, columns))
		return 0;
	if (keys->failed || columns->failed)
		return wt_fail_nomem(err);
	args->group_by = keys->len ? wt_buf_cstr(keys) : NULL;
	args->columns = columns->len ? wt_buf_cstr(columns) : NULL;
	return 0;
}

static int add_words(const struct view *view, struct wt_view_agg *agg, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;
	const char *keys = args->group_by ? args->group_by : default_keys(view);
	const char *sort = args->sort ? args->sort : default_sort(view);

	if (wt_options_each(keys, "--group-by", add_key, agg, err))
		return -1;
	if (stack_option(args) && !wt_view_agg_by_stack(agg))
		return wt_fail(err, WT_ERR_USAGE, "%s needs the key stack: --group-by %s,stack",
			       stack_option(args), keys);
	if (wt_options_each(args->columns ? args->columns : default_columns(view, agg), "--columns",
			    add_column, agg, err))
		return -1;
	agg->timeline = (!args->sort || !strcmp(args->sort, "key")) && !args->folded && !args->histogram;
	return wt_view_agg_set_sort(agg, sort, err);
}

/* Adds the field as a hidden column, so that exactly the events with the field are counted. */
static int add_histogram(const struct view *view, struct wt_view_agg *agg, struct wt_err *err)
{
	char word[WT_SCHEMA_MAX_NAME * 3];
	uint32_t shown;

	if (!view->args.histogram)
		return 0;
	if (wt_view_agg_by_stack(agg))
		return wt_fail(err, WT_ERR_USAGE, "key 'stack' does not go with --histogram");
	shown = agg->n_shown;
	snprintf(word, sizeof(word), "max:%s", view->args.histogram);
	if (wt_view_agg_add_column(agg, word, err))
		return -1;
	agg->n_shown = shown;
	return 0;
}

static int read_count(const char *option, const char *text, const char *what, uint32_t *ret,
		      struct wt_err *err)
{
	unsigned long n = strtoul(text, NULL, 10);

	if (!*text || strspn(text, "0123456789") != strlen(text) || n > UINT32_MAX)
		return wt_fail(err, WT_ERR_USAGE, "%s '%.40s': %s from 0 to %u expected", option, text, what,
			       UINT32_MAX);
	*ret = (uint32_t)n;
	return 0;
}

/* Percent of a table below which a row of a stack tree gets no line. */
#define STACK_MIN 0.5

static int read_numbers(struct view *view, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;
	const char *min = args->min;
	bool people = !args->json && !args->csv && !args->folded;
	char *end = NULL;

	view->show.top = people ? 50 : 0;
	view->counter.agg.min = people && wt_view_agg_by_stack(&view->counter.agg) ? STACK_MIN : 0;
	if (args->top && read_count("--top", args->top, "a number of rows", &view->show.top, err))
		return -1;
	if (args->depth && read_count("--depth", args->depth, "a number of levels", &view->show.depth, err))
		return -1;
	if (args->threads && (read_count("--threads", args->threads, "a number", &view->threads, err) ||
			      !view->threads || view->threads > WT_VIEW_MOST_THREADS))
		return wt_fail(err, WT_ERR_USAGE, "--threads '%.40s': a number from 1 to %d expected",
			       args->threads, WT_VIEW_MOST_THREADS);
	if (!min)
		return 0;
	view->counter.agg.min = strtod(min, &end);
	if (end == min || *end || !(view->counter.agg.min >= 0 && view->counter.agg.min <= 100))
		return wt_fail(err, WT_ERR_USAGE, "--min '%.40s': a percentage from 0 to 100 expected", min);
	return 0;
}

/* ---- the run ---- */

static int on_histogram_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;
	struct view *view = (struct view *)((char *)ctx - offsetof(struct view, counter));

	if (!batch->n || wt_view_counter_batch(counter, batch, err))
		return batch->n ? -1 : 0;
	return wt_view_histogram_add(&view->histogram, batch, counter->agg.leaves, err);
}

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;
	struct view *view = (struct view *)((char *)ctx - offsetof(struct view, counter));

	if (wt_view_counter_batch(counter, batch, err))
		return -1;
	return wt_view_missing_tally(&view->missing, batch, counter->agg.leaves, err);
}

/* Applies all options of the command line to a counter. */
static int prepare_counter(const struct view *view, struct wt_view_counter *counter, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;
	bool counts = false;

	if (wt_view_args_filter(args, &counter->filter, &counter->select, err) ||
	    read_shape(args, &counter->agg, err) || (is_left_open(view) && add_counts(counter, &counts, err)))
		return -1;
	if (!counts && (add_words(view, &counter->agg, err) || add_histogram(view, &counter->agg, err) ||
			choose_events(view, counter, err)))
		return -1;
	return wt_view_args_range(args, &counter->file, &counter->range, err);
}

static int open_counter(const struct view *view, struct wt_view_counter *counter, struct wt_err *err)
{
	struct wt_view_options options = {.resolve = !view->args.no_resolve,
					  .no_inline = view->args.no_inline,
					  .watched = view->args.session ? wt_session_written : NULL,
					  .watched_ctx = (void *)(uintptr_t)view->args.session};

	options.lines = view->args.group_by && strstr(view->args.group_by, "line");
	if (wt_view_file_init(&counter->file, view->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	return 0;
}

/* Prepares the counter of one of several threads. */
static int prepare_another(void *ctx, struct wt_view_counter *counter, struct wt_err *err)
{
	const struct view *view = ctx;

	return open_counter(view, counter, err) || prepare_counter(view, counter, err) ? -1 : 0;
}

static int scan_regions(void *from,
			int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err), void *ctx,
			struct wt_err *err)
{
	return wt_region_rows_scan(from, fn, ctx, err);
}

static int read_regions(struct view *view, struct wt_err *err)
{
	if (wt_region_rows_init(&view->rows, &view->counter.file, &view->args.pairs, err))
		return -1;
	view->rows.need = wt_view_counter_need;
	view->rows.need_ctx = &view->counter;
	view->counter.feed = (struct wt_view_feed){scan_regions, &view->rows};
	return 0;
}

static int scan_waits(void *from, int (*fn)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err),
		      void *ctx, struct wt_err *err)
{
	return wt_wait_rows_scan(from, fn, ctx, err);
}

static int read_waits(struct view *view, struct wt_err *err)
{
	if (wt_wait_rows_init(&view->waits, &view->counter.file, err))
		return -1;
	view->waits.need = wt_view_counter_need;
	view->waits.need_ctx = &view->counter;
	view->counter.feed = (struct wt_view_feed){scan_waits, &view->waits};
	return 0;
}

static int prepare(struct view *view, struct wt_err *err)
{
	view->by_region = wt_view_args_by_region(&view->args);
	if (wt_log_open(view->args.path, &view->log, err) || open_counter(view, &view->counter, err))
		return -1;
	view->counter.facts.growing = view->args.session != NULL;
	wt_view_missing_init(&view->missing, &view->counter.file);
	if ((view->by_region && read_regions(view, err)) || (view->args.waits && read_waits(view, err)))
		return -1;
	if (view->args.histogram &&
	    wt_view_histogram_init(&view->histogram, &view->counter.file, view->args.histogram, err))
		return -1;
	if (wt_view_find_samples(view->log, &view->samples, err))
		return -1;
	if (prepare_counter(view, &view->counter, err))
		return view->by_region ? -1 : wt_view_args_explain(err);
	return read_numbers(view, err);
}

static int count(struct view *view, struct wt_err *err)
{
	struct wt_view_crew crew = {.threads = view->threads, .prepare = prepare_another, .ctx = view};
	struct wt_progress progress = {.what = view->args.path};
	struct wt_log_filter all;
	int rc;

	view->counter.range.listener = view->rows.listener = wt_progress_listener(&progress);
	view->rows.from = view->waits.from = view->counter.range.from;
	view->rows.to = view->waits.to = view->counter.range.to;
	view->waits.listener = view->counter.range.listener;
	all = view->counter.range;
	all.need = NULL;
	all.may = NULL;
	if (view->args.missing)
		rc = wt_log_scan(view->log, &all, on_batch, &view->counter, err);
	else if (!view->args.histogram)
		rc = wt_view_count(&view->counter, &crew, err);
	else if (view->args.waits)
		rc = wt_wait_rows_scan(&view->waits, on_histogram_batch, &view->counter, err);
	else if (view->by_region)
		rc = wt_region_rows_scan(&view->rows, on_histogram_batch, &view->counter, err);
	else
		rc = wt_log_scan(view->log, &view->counter.range, on_histogram_batch, &view->counter, err);
	wt_progress_end(&progress);
	view->counter.range.listener = (struct wt_listener){0};
	return rc;
}

static bool wants_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

static int render(const struct view *view, struct wt_out *out, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;

	if (args->missing)
		return args->json ? wt_view_missing_json_out(&view->show, &view->missing, out, err)
				  : wt_view_missing_text_out(&view->show, &view->missing, out, err);
	if (args->histogram)
		return args->json ? wt_view_histogram_json_out(&view->show, &view->histogram, out, err)
				  : wt_view_histogram_text_out(&view->show, &view->histogram, out, err);
	if (args->json)
		return wt_view_json_out(&view->show, out, err);
	if (args->csv)
		return wt_view_csv_out(&view->show, out, err);
	if (args->folded)
		return wt_view_folded_out(&view->show, out, err);
	return wt_view_text_out(&view->show, out, err);
}

static int show(struct view *view, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;
	struct wt_out out = {.stream = stdout};
	int failed;

	wt_view_facts_sort_ends(&view->counter.facts);
	view->show.path = args->path;
	view->show.regions = view->by_region ? &view->rows.counts : NULL;
	view->show.waits = args->waits ? &view->waits : NULL;
	view->show.agg = &view->counter.agg;
	view->show.facts = &view->counter.facts;
	view->show.where = args->where;
	view->show.news = view->counter.select.mode == WT_SELECT_NEWS;
	view->show.from = args->from;
	view->show.to = args->to;
	view->show.events.words = args->events;
	view->show.events.n_words = args->n_events;
	view->show.no_self = args->no_self;
	view->show.proved = args->proved;
	view->show.colour = wants_colour();
	view->show.why_none = view->why_none.len ? wt_buf_cstr(&view->why_none) : NULL;
	failed = render(view, &out, err);
	if (failed)
		wt_buf_deinit(&out.buf);
	return failed ? -1 : wt_out_end(&out, err);
}

/* Explains to people why a table is empty. */
static int explain(struct view *view, struct wt_err *err)
{
	const struct wt_view_args *args = &view->args;

	if (view->counter.agg.children.n_roots || args->json || args->csv || args->folded || args->missing ||
	    view->by_region || args->waits)
		return 0;
	return wt_view_why_none(&view->counter, args->where, &view->why_none, err);
}

static int run(struct view *view, struct wt_err *err)
{
	struct wt_view_counter *counter = &view->counter;

	if (prepare(view, err) || wt_note_near_misses(&counter->filter, err) ||
	    wt_view_facts_read(&counter->facts, err) || count(view, err) ||
	    wt_view_agg_finish(&counter->agg, err) ||
	    (view->args.histogram && wt_view_histogram_roll(&view->histogram, &counter->agg.rows, err)) ||
	    (view->args.missing && wt_view_missing_finish(&view->missing, err)) || explain(view, err) ||
	    show(view, err))
		return -1;
	return wt_view_args_judge(&view->args, &counter->facts, view->args.csv || view->args.folded, err);
}

/* Finds a session's log in place of a file. */
static int find_log(struct view *view, struct wt_err *err)
{
	if (!view->args.session)
		return 0;
	if (wt_session_log(view->args.session, &view->session_log, err))
		return -1;
	view->args.path = view->session_log;
	return 0;
}

int cmd_view(int argc, char **argv, struct wt_err *err)
{
	struct view *view = calloc(1, sizeof(*view));
	int code = -1;

	if (!view)
		return wt_fail_nomem(err);
	signal(SIGPIPE, SIG_IGN);
	if (!wt_view_args_parse(WT_ARGS_VIEW, argc, argv, &view->args, err) && !find_log(view, err) &&
	    !take_wpa_columns(view, err))
		code = view->args.annotate ? wt_annotate_run(&view->args, err) : run(view, err);
	wt_view_missing_deinit(&view->missing);
	wt_view_histogram_deinit(&view->histogram);
	wt_view_counter_deinit(&view->counter);
	wt_region_rows_deinit(&view->rows);
	wt_wait_rows_deinit(&view->waits);
	if (view->log)
		wt_log_close(view->log);
	wt_view_args_deinit(&view->args);
	wt_buf_deinit(&view->why_none);
	wt_buf_deinit(&view->wpa_keys);
	wt_buf_deinit(&view->wpa_columns);
	free(view->session_log);
	free(view);
	return code;
}
