/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/answer.h"
#include "consumers/analysis/why_none.h"
#include "consumers/session/requests.h"
#include "tools/cmd.h"
#include "tools/near_misses.h"
#include "tools/progress.h"
#include "tools/runs.h"
#include "tools/view/show.h"
#include "tools/wpa_columns.h"

struct view {
	const struct wt_view_args *args;
	struct wt_answer answer;
	uint32_t threads;       /**< as requested; 0: not given */
	struct wt_buf why_none; /**< text for a table without rows */
	struct wt_view_show show;
};

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
	const struct wt_view_args *args = view->args;
	struct wt_view_agg *agg = &view->answer.counter.agg;
	bool people = !args->json && !args->csv && !args->ask.folded;
	char *end = NULL;

	view->show.top = people ? 50 : 0;
	agg->min = people && wt_view_agg_by_stack(agg) ? STACK_MIN : 0;
	if (args->top && read_count("--top", args->top, "a number of rows", &view->show.top, err))
		return -1;
	if (args->ask.depth &&
	    read_count("--depth", args->ask.depth, "a number of levels", &view->show.depth, err))
		return -1;
	if (args->threads && (read_count("--threads", args->threads, "a number", &view->threads, err) ||
			      !view->threads || view->threads > WT_VIEW_MOST_THREADS))
		return wt_fail(err, WT_ERR_USAGE, "--threads '%.40s': a number from 1 to %d expected",
			       args->threads, WT_VIEW_MOST_THREADS);
	if (!args->min)
		return 0;
	agg->min = strtod(args->min, &end);
	if (end == args->min || *end || !(agg->min >= 0 && agg->min <= 100))
		return wt_fail(err, WT_ERR_USAGE, "--min '%.40s': a percentage from 0 to 100 expected",
			       args->min);
	return 0;
}

static int prepare(struct view *view, struct wt_err *err)
{
	const char *session = view->args->session;
	struct wt_buf shown = {0};
	int rc;

	view->answer.ask = &view->args->ask;
	view->answer.watched = session ? wt_session_written : NULL;
	view->answer.watched_ctx = (void *)(uintptr_t)session;
	rc = wt_answer_open(&view->answer, view->args->path, &shown, err);
	wt_view_args_show(&shown);
	return rc ? rc : read_numbers(view, err);
}

static int count(struct view *view, struct wt_err *err)
{
	struct wt_progress progress = {.what = view->args->path};
	int rc = wt_answer_count(&view->answer, view->threads, wt_progress_listener(&progress), err);

	wt_progress_end(&progress);
	return rc;
}

static int render(const struct view *view, struct wt_out *out, struct wt_err *err)
{
	const struct wt_view_args *args = view->args;
	const struct wt_answer *answer = &view->answer;

	if (args->ask.missing)
		return args->json ? wt_view_missing_json_out(&view->show, &answer->missing, out, err)
				  : wt_view_missing_text_out(&view->show, &answer->missing, out, err);
	if (args->ask.histogram)
		return args->json ? wt_view_histogram_json_out(&view->show, &answer->histogram, out, err)
				  : wt_view_histogram_text_out(&view->show, &answer->histogram, out, err);
	if (args->json)
		return wt_view_json_out(&view->show, out, err);
	if (args->csv)
		return wt_view_csv_out(&view->show, out, err);
	if (args->ask.folded)
		return wt_view_folded_out(&view->show, out, err);
	return wt_view_text_out(&view->show, out, err);
}

static int show(struct view *view, struct wt_err *err)
{
	const struct wt_question *ask = &view->args->ask;
	const struct wt_answer *answer = &view->answer;
	struct wt_out out = {.stream = stdout};
	int failed;

	wt_view_show_of(&view->show, view->args->path, ask, &answer->counter);
	view->show.regions = answer->by_region ? &answer->rows.counts : NULL;
	view->show.waits = ask->waits ? &answer->waits : NULL;
	view->show.colour = wt_output_wants_colours();
	view->show.why_none = view->why_none.len ? wt_buf_cstr(&view->why_none) : NULL;
	failed = render(view, &out, err);
	if (failed)
		wt_buf_deinit(&out.buf);
	return failed ? -1 : wt_out_end(&out, err);
}

/* Explains to people why a table is empty. */
static int explain(struct view *view, struct wt_err *err)
{
	const struct wt_view_args *args = view->args;

	if (view->answer.counter.agg.children.n_roots || args->json || args->csv || args->ask.folded ||
	    args->ask.missing || view->answer.by_region || args->ask.waits)
		return 0;
	return wt_view_why_none(&view->answer.counter, args->ask.where, &view->why_none, err);
}

static int run(struct view *view, struct wt_err *err)
{
	struct wt_view_counter *counter = &view->answer.counter;

	if (prepare(view, err) || wt_note_near_misses(&counter->filter, err) || count(view, err) ||
	    explain(view, err) || show(view, err))
		return -1;
	return wt_view_args_judge(view->args, &counter->facts, view->args->csv || view->args->ask.folded,
				  err);
}

int wt_view_run(const struct wt_view_args *args, struct wt_err *err)
{
	struct view *view = calloc(1, sizeof(*view));
	int code;

	if (!view)
		return wt_fail_nomem(err);
	view->args = args;
	code = run(view, err);
	wt_answer_close(&view->answer);
	wt_buf_deinit(&view->why_none);
	free(view);
	return code;
}

/* Columns of WPA are keys or columns here. Keys that were asked for come first. */
static int take_wpa_columns(struct wt_question *ask, struct wt_buf *keys, struct wt_buf *columns,
			    struct wt_err *err)
{
	if (!ask->waits || !ask->columns)
		return 0;
	if (ask->group_by)
		wt_buf_puts(keys, ask->group_by);
	if (!wt_wpa_columns(ask->columns, keys, columns))
		return 0;
	if (keys->failed || columns->failed)
		return wt_fail_nomem(err);
	ask->group_by = keys->len ? wt_buf_cstr(keys) : NULL;
	ask->columns = columns->len ? wt_buf_cstr(columns) : NULL;
	return 0;
}

int cmd_view(int argc, char **argv, struct wt_err *err)
{
	struct wt_view_args args = {0};
	struct wt_buf keys = {0}, columns = {0}; /* what args has instead of columns of WPA */
	char *session_log = NULL;
	int code = -1;

	signal(SIGPIPE, SIG_IGN);
	if (!wt_view_args_parse(WT_ARGS_VIEW, argc, argv, &args, err) &&
	    (!args.session || !wt_session_log(args.session, &session_log, err)) &&
	    !take_wpa_columns(&args.ask, &keys, &columns, err)) {
		args.path = session_log ? session_log : args.path;
		code = args.annotate ? wt_annotate_run(&args, err) : wt_view_run(&args, err);
	}
	free(session_log);
	wt_buf_deinit(&keys);
	wt_buf_deinit(&columns);
	wt_view_args_deinit(&args);
	return code;
}
