// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/annotate/json.h"
#include "consumers/annotate/of_log.h"
#include "consumers/session/requests.h"
#include "tools/annotate/text.h"
#include "tools/runs.h"
#include "tools/near_misses.h"
#include "tools/pager.h"
#include "tools/progress.h"
#include "tools/view/show.h"

struct run {
	const struct wt_view_args *args;
	struct wt_annotated_log of;
};

static int choose(struct run *run, struct wt_err *err)
{
	const struct wt_view_args *args = run->args;
	char *end = NULL;
	unsigned long top = args->top ? strtoul(args->top, &end, 10) : 0;

	if (args->top && (end == args->top || *end || *args->top == '-' || top > UINT32_MAX))
		return wt_fail(err, WT_ERR_USAGE, "--top '%.40s': a number of functions expected", args->top);
	run->of.choice = (struct wt_annotate_choice){
		.functions = (const char *const *)(uintptr_t)args->functions,
		.n_functions = args->n_functions,
		.top = args->top && !top ? UINT32_MAX : (uint32_t)top,
		.source_prefix = args->source_prefix,
		.disassembler = args->disassembler,
		.no_source = args->no_source,
		.no_asm = args->no_asm,
	};
	return 0;
}

/* The first word is the function, as in perf. */
static int explain_no_log(const struct wt_view_args *args, struct wt_err *err)
{
	const char *path = args->path;

	if (args->n_functions && !access(args->functions[0], R_OK))
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"there is no log '%.80s'; the log stands before its functions: wtrace annotate "
			"%.80s %.80s",
			path, args->functions[0], path);
	if (!args->n_functions && !strpbrk(path, "./"))
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"there is no log '%.80s'; a function follows the log: wtrace annotate LOG %.80s",
			path, path);
	return -1;
}

static int prepare(struct run *run, struct wt_err *err)
{
	const struct wt_view_args *args = run->args;
	struct wt_buf shown = {0};
	int rc;

	if (choose(run, err))
		return -1;
	run->of.ask = args->ask;
	run->of.process = args->process;
	run->of.watched = args->session ? wt_session_written : NULL;
	run->of.watched_ctx = (void *)(uintptr_t)args->session;
	rc = wt_annotated_log_open(&run->of, args->path, &shown, err);
	wt_view_args_show(&shown);
	return rc && !run->of.log && err->code == WT_ERR_NOTFOUND ? explain_no_log(args, err) : rc;
}

static int count(struct run *run, struct wt_err *err)
{
	struct wt_progress progress = {.what = run->args->path};
	int rc = wt_annotated_log_count(&run->of, wt_progress_listener(&progress), err);

	wt_progress_end(&progress);
	return rc;
}

static struct wt_view_show header_of(const struct run *run)
{
	struct wt_view_show show = {0};

	wt_view_show_of(&show, run->args->path, &run->of.ask, &run->of.counter);
	return show;
}

static void put_json(const struct run *run, struct wt_buf *out)
{
	struct wt_view_show show = header_of(run);
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_view_header_json(&show, &json);
	wt_annotation_sampling(&run->of.annotation, &run->of.choice, run->of.counter.facts.samples,
			       run->of.counter.facts.lost, &json);
	wt_annotation_json(&run->of.annotation, &json);
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
		failed = wt_annotation_text(&run->of.annotation,
					    !run->args->output && wt_output_wants_colours(), out, err);
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
	if (!prepare(run, err) && !wt_note_near_misses(&run->of.counter.filter, err) && !count(run, err) &&
	    !show(run, err))
		code = wt_view_args_judge(args, &run->of.counter.facts, false, err);
	wt_annotated_log_deinit(&run->of);
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
