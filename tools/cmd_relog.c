// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "consumers/relog/relog.h"
#include "consumers/relog/target.h"
#include "tools/cmd.h"
#include "tools/damaged.h"
#include "tools/near_misses.h"
#include "tools/progress.h"
#include "tools/view/args.h"
#include "tracecore/base/diag.h"

struct relog {
	struct wt_view_args args;
	struct wt_relog of;
};

static int prepare(struct relog *relog, struct wt_err *err)
{
	const struct wt_view_args *args = &relog->args;
	struct wt_buf shown = {0};
	int rc;

	relog->of.ask = &args->ask;
	relog->of.pids = args->pids;
	relog->of.n_pids = args->n_pids;
	relog->of.drop_stacks = args->drop_stacks;
	rc = wt_relog_open(&relog->of, args->path, &shown, err);
	wt_view_args_show(&shown);
	return rc ? rc : wt_note_near_misses(&relog->of.filter, err);
}

static void report(const struct relog *relog, uint64_t events)
{
	const struct wt_log_info *info = wt_log_info(relog->of.log);
	const struct wt_view_args *args = &relog->args;
	struct wt_buf text = {0};

	wt_warn_damaged(relog->of.log, args->path, "result");
	if (!info->complete)
		wt_warn("%s is not complete: the part that can be read was taken", args->path);
	if (args->json)
		wt_relog_json(&relog->of, args->output, events, &text);
	else
		wt_buf_printf(&text, "%s: %llu event%s of %llu\n", args->output, (unsigned long long)events,
			      events == 1 ? "" : "s", (unsigned long long)info->events);
	fwrite(text.data, 1, text.len, stdout);
	wt_buf_deinit(&text);
}

static int write_log(struct relog *relog, struct wt_target *target, struct wt_err *err)
{
	struct wt_progress progress = {.what = relog->args.output};
	uint64_t events;
	int rc = wt_relog_write(&relog->of, target->fd, wt_progress_listener(&progress), &events, err);

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
	wt_relog_close(&relog->of);
	wt_view_args_deinit(&relog->args);
	free(relog);
	return rc;
}
