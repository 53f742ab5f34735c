// SPDX-License-Identifier: MIT
#include "consumers/annotate/of_log.h"

#include <stddef.h>
#include <string.h>

#include "consumers/analysis/choice.h"

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_annotated_log *of = ctx;

	if (!batch->n || wt_view_counter_batch(&of->counter, batch, err))
		return batch->n ? -1 : 0;
	return wt_annotate_batch(&of->annotate, batch, err);
}

/* --process P is pid == P or comm == 'P'. */
static int add_process(struct wt_annotated_log *of, struct wt_err *err)
{
	const char *process = of->process;
	bool number = process && *process && !process[strspn(process, "0123456789")];

	if (!process)
		return 0;
	if (strchr(process, '\'') || strchr(process, '\\'))
		return wt_fail(err, WT_ERR_USAGE, "--process '%.40s': a name with a quote is for --where",
			       process);
	wt_buf_printf(&of->where, number ? "pid == %s" : "comm == '%s'", process);
	if (of->ask.where)
		wt_buf_printf(&of->where, " && (%s)", of->ask.where);
	of->ask.where = wt_buf_cstr(&of->where);
	return of->where.failed ? wt_fail_nomem(err) : 0;
}

int wt_annotated_log_open(struct wt_annotated_log *of, const char *path, struct wt_buf *shown,
			  struct wt_err *err)
{
	const struct wt_view_options options = {.resolve = !of->ask.no_resolve,
						.lines = true,
						.no_inline = true,
						.watched = of->watched,
						.watched_ctx = of->watched_ctx};
	struct wt_view_counter *counter = &of->counter;
	bool samples = false;

	of->choice.no_resolve = of->ask.no_resolve;
	if (add_process(of, err) || wt_log_open(path, &of->log, err) ||
	    wt_view_file_init(&counter->file, of->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	counter->facts.growing = of->watched != NULL;
	if (wt_view_find_samples(of->log, &samples, err) ||
	    wt_question_filter(&of->ask, &counter->filter, &counter->select, shown, err) ||
	    wt_view_agg_add_key(&counter->agg, "function", err) ||
	    wt_view_agg_add_column(&counter->agg, "count", err) ||
	    wt_view_agg_set_sort(&counter->agg, "count", err))
		return -1;
	if (!of->ask.n_events && wt_view_choose_events(counter, samples, false, err))
		return -1;
	wt_annotate_init(&of->annotate, counter);
	return wt_question_range(&of->ask, &counter->file, &counter->range, err);
}

int wt_annotated_log_count(struct wt_annotated_log *of, struct wt_listener listener, struct wt_err *err)
{
	struct wt_view_counter *counter = &of->counter;

	counter->range.listener = listener;
	if (wt_view_facts_read(&counter->facts, err) ||
	    wt_log_scan(of->log, &counter->range, on_batch, of, err) ||
	    wt_view_agg_finish(&counter->agg, err) ||
	    wt_annotate_finish(&of->annotate, &of->choice, &of->annotation, err))
		return -1;
	wt_view_facts_sort_ends(&counter->facts);
	return 0;
}

void wt_annotated_log_deinit(struct wt_annotated_log *of)
{
	wt_annotation_deinit(&of->annotation);
	wt_annotate_deinit(&of->annotate);
	wt_view_counter_deinit(&of->counter);
	if (of->log)
		wt_log_close(of->log);
	wt_buf_deinit(&of->where);
}
