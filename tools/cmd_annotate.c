// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/analysis/choice.h"
#include "consumers/annotate/json.h"
#include "consumers/session/requests.h"
#include "tools/annotate/text.h"
#include "tools/runs.h"
#include "tools/near_misses.h"
#include "tools/pager.h"
#include "tools/progress.h"
#include "tools/view/show.h"

struct run {
	const struct wt_view_args *args;
	struct wt_log_reader *log;
	struct wt_view_counter counter;
	struct wt_annotate annotate;
	struct wt_annotate_choice choice;
	struct wt_annotation annotation;
	struct wt_view_args narrowed; /* args with the process in its expression; owns nothing */
	struct wt_buf where;
};

static int on_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct wt_view_counter *counter = ctx;
	struct run *run = (struct run *)((char *)ctx - offsetof(struct run, counter));

	if (!batch->n || wt_view_counter_batch(counter, batch, err))
		return batch->n ? -1 : 0;
	return wt_annotate_batch(&run->annotate, batch, err);
}

/* --process P is pid == P or comm == 'P'. */
static int add_process(struct run *run, struct wt_err *err)
{
	const char *process = run->args->process;
	bool number = process && *process && !process[strspn(process, "0123456789")];

	run->narrowed = *run->args;
	if (!process)
		return 0;
	if (strchr(process, '\'') || strchr(process, '\\'))
		return wt_fail(err, WT_ERR_USAGE, "--process '%.40s': a name with a quote is for --where",
			       process);
	wt_buf_printf(&run->where, number ? "pid == %s" : "comm == '%s'", process);
	if (run->args->ask.where)
		wt_buf_printf(&run->where, " && (%s)", run->args->ask.where);
	run->narrowed.ask.where = wt_buf_cstr(&run->where);
	return run->where.failed ? wt_fail_nomem(err) : 0;
}

static int choose(struct run *run, struct wt_err *err)
{
	const struct wt_view_args *args = run->args;
	char *end = NULL;
	unsigned long top = args->top ? strtoul(args->top, &end, 10) : 0;

	if (args->top && (end == args->top || *end || *args->top == '-' || top > UINT32_MAX))
		return wt_fail(err, WT_ERR_USAGE, "--top '%.40s': a number of functions expected", args->top);
	run->choice = (struct wt_annotate_choice){
		.functions = (const char *const *)(uintptr_t)args->functions,
		.n_functions = args->n_functions,
		.top = args->top && !top ? UINT32_MAX : (uint32_t)top,
		.source_prefix = args->source_prefix,
		.disassembler = args->disassembler,
		.no_source = args->no_source,
		.no_asm = args->no_asm,
		.no_resolve = args->ask.no_resolve,
	};
	return 0;
}

/* The first word is the function, as in perf. */
static int open_log(struct run *run, struct wt_err *err)
{
	const char *path = run->args->path;

	if (!wt_log_open(path, &run->log, err))
		return 0;
	if (err->code == WT_ERR_NOTFOUND && run->args->n_functions && !access(run->args->functions[0], R_OK))
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"there is no log '%.80s'; the log stands before its functions: wtrace annotate "
			"%.80s %.80s",
			path, run->args->functions[0], path);
	if (err->code == WT_ERR_NOTFOUND && !run->args->n_functions && !strpbrk(path, "./"))
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"there is no log '%.80s'; a function follows the log: wtrace annotate LOG %.80s",
			path, path);
	return -1;
}

static int prepare(struct run *run, struct wt_err *err)
{
	const struct wt_view_options options = {.resolve = !run->args->ask.no_resolve,
						.lines = true,
						.no_inline = true,
						.watched = run->args->session ? wt_session_written : NULL,
						.watched_ctx = (void *)(uintptr_t)run->args->session};
	struct wt_view_counter *counter = &run->counter;
	bool samples = false;

	if (choose(run, err) || add_process(run, err) || open_log(run, err) ||
	    wt_view_file_init(&counter->file, run->log, &options, err))
		return -1;
	wt_view_counter_bind(counter);
	counter->facts.growing = run->args->session != NULL;
	if (wt_view_find_samples(run->log, &samples, err) ||
	    wt_view_args_filter(&run->narrowed, &counter->filter, &counter->select, err) ||
	    wt_view_agg_add_key(&counter->agg, "function", err) ||
	    wt_view_agg_add_column(&counter->agg, "count", err) ||
	    wt_view_agg_set_sort(&counter->agg, "count", err))
		return -1;
	if (!run->args->ask.n_events && wt_view_choose_events(counter, samples, false, err))
		return -1;
	wt_annotate_init(&run->annotate, counter);
	return wt_question_range(&run->args->ask, &counter->file, &counter->range, err);
}

static int count(struct run *run, struct wt_err *err)
{
	struct wt_progress progress = {.what = run->args->path};
	int rc;

	run->counter.range.listener = wt_progress_listener(&progress);
	rc = wt_log_scan(run->log, &run->counter.range, on_batch, &run->counter, err);
	wt_progress_end(&progress);
	run->counter.range.listener = (struct wt_listener){0};
	return rc;
}

static bool wants_colour(const struct run *run)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !run->args->output && isatty(STDOUT_FILENO) && !(no && *no) && term &&
	       strcmp(term, "dumb") != 0;
}

static struct wt_view_show header_of(const struct run *run)
{
	struct wt_view_show show = {0};

	wt_view_show_of(&show, run->args->path, &run->narrowed.ask, &run->counter);
	return show;
}

static void put_json(const struct run *run, struct wt_buf *out)
{
	struct wt_view_show show = header_of(run);
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_view_header_json(&show, &json);
	wt_annotation_sampling(&run->annotation, &run->choice, run->counter.facts.samples,
			       run->counter.facts.lost, &json);
	wt_annotation_json(&run->annotation, &json);
	wt_json_end_document(&json);
}

static int print(struct run *run, struct wt_out *out, struct wt_err *err)
{
	struct wt_view_show show = header_of(run);
	int failed = 0;

	if (run->args->json) {
		put_json(run, &out->buf);
	} else {
		wt_view_header(&show, &out->buf);
		failed = wt_annotation_text(&run->annotation, wants_colour(run), out, err);
	}
	if (failed)
		wt_buf_deinit(&out->buf);
	return failed ? -1 : wt_out_end(out, err);
}

static int show_pages(struct run *run, struct wt_err *err)
{
	struct wt_pager pager;
	struct wt_out out = {0};

	wt_pager_begin(&pager);
	out.stream = pager.stream;
	return wt_pager_end(&pager, print(run, &out, err), err);
}

static int show(struct run *run, struct wt_err *err)
{
	struct wt_out out = {.stream = stdout};
	int failed;

	wt_view_facts_sort_ends(&run->counter.facts);
	if (!run->args->output && run->args->json)
		return print(run, &out, err);
	if (!run->args->output)
		return show_pages(run, err);
	out.stream = fopen(run->args->output, "we");
	if (!out.stream)
		return wt_fail_errno(err, "cannot write %.300s", run->args->output);
	failed = print(run, &out, err);
	if (fclose(out.stream) && !failed)
		failed = wt_fail_errno(err, "cannot write %.300s", run->args->output);
	return failed;
}

int wt_annotate_run(const struct wt_view_args *args, struct wt_err *err)
{
	struct run *run = calloc(1, sizeof(*run));
	int code = -1;

	if (!run)
		return wt_fail_nomem(err);
	run->args = args;
	if (!prepare(run, err) && !wt_note_near_misses(&run->counter.filter, err) &&
	    !wt_view_facts_read(&run->counter.facts, err) && !count(run, err) &&
	    !wt_view_agg_finish(&run->counter.agg, err) &&
	    !wt_annotate_finish(&run->annotate, &run->choice, &run->annotation, err) && !show(run, err))
		code = wt_view_args_judge(args, &run->counter.facts, false, err);
	wt_annotation_deinit(&run->annotation);
	wt_annotate_deinit(&run->annotate);
	wt_view_counter_deinit(&run->counter);
	if (run->log)
		wt_log_close(run->log);
	wt_buf_deinit(&run->where);
	free(run);
	return code;
}

int cmd_annotate(int argc, char **argv, struct wt_err *err)
{
	struct wt_view_args args = {0};
	char *session_log = NULL;
	int code = -1;

	signal(SIGPIPE, SIG_IGN);
	if (!wt_view_args_parse(WT_ARGS_ANNOTATE, argc, argv, &args, err) &&
	    (!args.session || !wt_session_log(args.session, &session_log, err))) {
		args.path = session_log ? session_log : args.path;
		code = wt_annotate_run(&args, err);
	}
	free(session_log);
	wt_view_args_deinit(&args);
	return code;
}
