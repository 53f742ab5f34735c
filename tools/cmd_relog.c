// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tools/cmd.h"
#include "tools/logs/target.h"
#include "tools/near_misses.h"
#include "tools/progress.h"
#include "tools/view/args.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/json.h"
#include "tracecore/logfmt/rewrite/copy.h"
#include "tracecore/schema/decode.h"

const char cmd_relog_help[] =
	"usage: wtrace relog LOG -o FILE [OPTION]...\n"
	"\n"
	"Makes a log of the events of another that pass, with the processes, images, stacks, names and "
	"schemas\n"
	"they need, so that it is smaller and opens anywhere all the same. What the recording says of "
	"itself\n"
	"(what was in force, what was lost or not seen) stays, losses if their span is in the time range.\n"
	"Without any filter the log is copied as it lies, less what is damaged in it.\n"
	"\n"
	"@options\n"
	"\n"
	"examples:\n"
	"  wtrace relog run.etl -o start.etl --to 2.5\n"
	"  wtrace relog run.etl -o make.etl -e sched_switch -e proc_thread --where \"comm == 'make'\"\n"
	"  wtrace relog run.etl -o small.etl --drop-stacks\n";

struct relog {
	struct wt_view_args args;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_filter filter, pids;
	struct wt_view_select select;
	struct wt_log_sieve sieve;
	uint8_t *of_pid;
	uint32_t n_of_pid;
	uint64_t bytes; /* of all segments */
};

/* What the recording says of itself; marks are what somebody said during it. */
static bool is_notice(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *row = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(row->provider->name, "wtrace") && row->event->id != WT_CORE_MARK;
}

/* Losses and blind spans outside of the time range are not this log's. */
static void mask_losses(const struct relog *relog, const struct wt_log_batch *batch, uint8_t *mask)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	const struct wt_log_filter *range = &relog->sieve.filter;
	int from = wt_event_field(event, "from"), to = wt_event_field(event, "to");

	if (event->id != WT_CORE_LOST || from < 0 || to < 0 || !batch->columns[from].values ||
	    !batch->columns[to].values)
		return;
	for (uint32_t i = 0; i < batch->n; i++)
		mask[i] = batch->columns[to].values[i] >= range->from &&
			  (!range->to || batch->columns[from].values[i] < range->to);
}

/* One of --pid, too. */
static int mask_pids(struct relog *relog, struct wt_view_segment *segment, const struct wt_log_batch *batch,
		     uint8_t *mask, struct wt_err *err)
{
	if (wt_grow(&relog->of_pid, &relog->n_of_pid, 0, batch->n, err) ||
	    wt_view_filter_mask(&relog->pids, segment, batch, relog->of_pid, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		mask[i] &= relog->of_pid[i];
	return 0;
}

static int mask(void *ctx, const struct wt_log_batch *batch, bool always, uint8_t *ret, struct wt_err *err)
{
	struct relog *relog = ctx;
	struct wt_view_segment *segment;

	if (always) {
		mask_losses(relog, batch, ret);
		return 0;
	}
	if (wt_view_file_segment(&relog->file, batch->segment, &segment, err) ||
	    wt_view_filter_mask(&relog->filter, segment, batch, ret, err))
		return -1;
	return relog->pids.where ? mask_pids(relog, segment, batch, ret, err) : 0;
}

static enum wt_log_keep_stack keep_stack(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	(void)ctx;
	return wt_view_is_sample(segment, kind) ? WT_LOG_STACK_INNERMOST : WT_LOG_STACK_DROPPED;
}

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
	return args->where || args->n_events || args->n_pids || args->from || args->to || args->drop_stacks ||
	       args->no_self;
}

static int prepare(struct relog *relog, struct wt_err *err)
{
	const struct wt_view_args *args = &relog->args;
	struct wt_view_options options = {.resolve = !args->no_resolve, .no_inline = args->no_inline};

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
	relog->sieve = (struct wt_log_sieve){
		.filter = {.want = wt_view_select_want, .ctx = &relog->select},
		.always = is_notice,
		.mask = mask,
		.stack = args->drop_stacks ? keep_stack : NULL,
		.ctx = relog,
	};
	return wt_view_args_range(args, &relog->file, &relog->sieve.filter, err);
}

static int sum_bytes(struct relog *relog, struct wt_err *err)
{
	for (uint32_t i = 0; i < wt_log_info(relog->log)->n_segments; i++) {
		struct wt_log_extent extent;

		if (wt_log_extent(relog->log, i, &extent, err))
			return -1;
		relog->bytes += extent.bytes;
	}
	return 0;
}

static int copy_segments(struct relog *relog, struct wt_log_copy *copy, struct wt_err *err)
{
	const struct wt_log_sieve *sieve = is_filtered(&relog->args) ? &relog->sieve : NULL;
	struct wt_progress progress = {.what = relog->args.output};
	uint64_t done = 0;
	int rc = sum_bytes(relog, err);

	for (uint32_t i = 0; i < wt_log_info(relog->log)->n_segments && !rc; i++) {
		struct wt_log_extent extent;

		rc = wt_log_extent(relog->log, i, &extent, err);
		if (!rc)
			rc = wt_log_copy_segment(copy, relog->log, i, sieve, err);
		/* Views keep what they know of a segment. */
		if (!sieve)
			wt_log_unload_segment(relog->log, i);
		done += extent.bytes;
		wt_progress_show(&progress, done, relog->bytes);
	}
	wt_progress_end(&progress);
	return rc;
}

static void report(const struct relog *relog, uint64_t events)
{
	const struct wt_log_info *info = wt_log_info(relog->log);
	const struct wt_view_args *args = &relog->args;
	struct wt_buf text = {0};
	struct wt_json json = wt_json(&text);

	if (info->n_damages)
		wt_warn("%s is damaged in %u place%s: what could not be read is not in the result (wtrace "
			"verify)",
			args->path, info->n_damages, info->n_damages == 1 ? "" : "s");
	if (!info->complete)
		wt_warn("%s is not complete: what it has was taken", args->path);
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
	const struct wt_log_info *info = wt_log_info(relog->log);
	struct wt_log_copy *copy;
	uint64_t events;
	int rc;

	if (wt_log_copy_create(target->fd, info->session_id, &info->clock, &copy, err))
		return -1;
	rc = copy_segments(relog, copy, err);
	if (!rc)
		rc = wt_log_copy_finish(copy, &events, err);
	if (!rc)
		rc = wt_target_keep(target, err);
	wt_log_copy_destroy(copy);
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
		return wt_fail(err, WT_ERR_USAGE, "where to? usage: wtrace relog LOG -o FILE");
	if (prepare(relog, err) ||
	    wt_target_open(&target, args->output, args->force ? WT_REPLACE_ANYTHING : WT_REPLACE_NOTHING,
			   err))
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
	free(relog->of_pid);
	free(relog);
	return rc;
}
