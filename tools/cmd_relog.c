// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "consumers/relog/sift.h"
#include "consumers/relog/target.h"
#include "tools/cmd.h"
#include "tools/damaged.h"
#include "tools/near_misses.h"
#include "tools/progress.h"
#include "tools/view/args.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/json.h"

struct relog {
	struct wt_view_args args;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_filter filter, pids;
	struct wt_view_select select;
	struct wt_log_filter range;
};

static int parse_pids(struct relog *relog, struct wt_err *err)
{
	const struct wt_view_args *args = &relog->args;
	struct wt_buf text = {0};
	int rc;

	if (!args->n_pids)
		return 0;
	for (size_t i = 0; i < args->n_pids; i++)
		wt_buf_printf(&text, "%spid == %s", i ? " || " : "", args->pids[i]);
	rc = text.failed ? wt_fail_nomem(err)
			 : wt_view_filter_where(&relog->pids, wt_buf_cstr(&text), NULL, err);
	wt_buf_deinit(&text);
	return rc;
}

static bool is_filtered(const struct wt_view_args *args)
{
	return args->ask.where || args->ask.n_events || args->n_pids || args->ask.from || args->ask.to ||
	       args->drop_stacks || args->ask.no_self;
}

static int prepare(struct relog *relog, struct wt_err *err)
{
	const struct wt_view_args *args = &relog->args;
	struct wt_view_options options = {.resolve = !args->ask.no_resolve, .no_inline = args->ask.no_inline};

	if (wt_log_open(args->path, &relog->log, err))
		return -1;
	if (!is_filtered(args))
		return 0;
	if (wt_view_file_init(&relog->file, relog->log, &options, err))
		return -1;
	relog->filter.file = relog->pids.file = &relog->file;
	relog->select.file = &relog->file;
	if (wt_view_args_filter(args, &relog->filter, &relog->select, err) || parse_pids(relog, err) ||
	    wt_note_near_misses(&relog->filter, err))
		return -1;
	return wt_question_range(&args->ask, &relog->file, &relog->range, err);
}

static void report(const struct relog *relog, uint64_t events)
{
	const struct wt_log_info *info = wt_log_info(relog->log);
	const struct wt_view_args *args = &relog->args;
	struct wt_buf text = {0};
	struct wt_json json = wt_json(&text);

	wt_warn_damaged(relog->log, args->path, "result");
	if (!info->complete)
		wt_warn("%s is not complete: the part that can be read was taken", args->path);
	if (args->json) {
		wt_json_object(&json, NULL);
		wt_json_text(&json, "file", args->output);
		wt_json_number(&json, "events", events);
		wt_json_number(&json, "of", info->events);
		wt_json_end_document(&json);
	} else {
		wt_buf_printf(&text, "%s: %llu event%s of %llu\n", args->output, (unsigned long long)events,
			      events == 1 ? "" : "s", (unsigned long long)info->events);
	}
	fwrite(text.data, 1, text.len, stdout);
	wt_buf_deinit(&text);
}

static int write_log(struct relog *relog, struct wt_target *target, struct wt_err *err)
{
	struct wt_progress progress = {.what = relog->args.output};
	struct wt_sift sift = {.log = relog->log,
			       .file = is_filtered(&relog->args) ? &relog->file : NULL,
			       .select = &relog->select,
			       .filter = &relog->filter,
			       .pids = &relog->pids,
			       .from = relog->range.from,
			       .to = relog->range.to,
			       .drop_stacks = relog->args.drop_stacks,
			       .listener = wt_progress_listener(&progress)};
	uint64_t events;
	int rc = wt_sift_write(&sift, target->fd, &events, err);

	wt_progress_end(&progress);
	if (!rc)
		rc = wt_target_keep(target, err);
	if (!rc)
		report(relog, events);
	return rc;
}

static int run(struct relog *relog, struct wt_err *err)
{
	const struct wt_view_args *args = &relog->args;
	struct wt_target target;
	int rc;

	if (!args->output)
		return wt_fail(err, WT_ERR_USAGE, "no output file: wtrace relog LOG -o FILE");
	if (prepare(relog, err) || wt_target_open(&target, args->output, wt_replace_by(args->force), err))
		return -1;
	rc = write_log(relog, &target, err);
	wt_target_close(&target);
	return rc;
}

int cmd_relog(int argc, char **argv, struct wt_err *err)
{
	struct relog *relog = calloc(1, sizeof(*relog));
	int rc;

	if (!relog)
		return wt_fail_nomem(err);
	rc = wt_view_args_parse(WT_ARGS_RELOG, argc, argv, &relog->args, err);
	if (!rc)
		rc = run(relog, err);
	wt_view_filter_deinit(&relog->filter);
	wt_view_filter_deinit(&relog->pids);
	wt_view_select_deinit(&relog->select);
	wt_view_file_deinit(&relog->file);
	if (relog->log)
		wt_log_close(relog->log);
	wt_view_args_deinit(&relog->args);
	free(relog);
	return rc;
}
