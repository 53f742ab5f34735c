/* SPDX-License-Identifier: MIT */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/session/requests.h"
#include "tools/cmd.h"
#include "tools/near_misses.h"
#include "consumers/model/follow.h"
#include "tools/view/args.h"
#include "consumers/export/dump.h"
#include "consumers/export/dump_csv.h"
#include "tracecore/base/out.h"
#include "tracecore/base/diag.h"

/* Time between two looks at a log that grows. */
enum { LOOK_MS = 100 };

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

struct command {
	struct wt_view_args args;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_region_rows rows; /* with --regions */
	struct wt_view_filter filter;
	struct wt_view_select select;
	struct wt_view_facts facts;
	struct wt_dump dump;
	struct wt_dump_csv csv;
	struct wt_follow follow;
	char *session_log;      /* owned */
	uint64_t behind;        /* blocks are new from this offset on... */
	uint32_t first_segment; /* ...and the segment */
	uint64_t origin;        /* with --follow: origin of the first round */
};

static int print_event(struct command *command, const struct wt_log_batch *batch, uint32_t i,
		       struct wt_out *out, struct wt_err *err)
{
	int (*print)(struct wt_dump *, const struct wt_log_batch *, uint32_t, struct wt_buf *,
		     struct wt_err *) = command->args.json  ? wt_dump_json
					: command->args.csv ? wt_dump_csv
							    : wt_dump_text;
	uint8_t pass;

	if (wt_view_filter_one(&command->filter, batch, i, &pass, err))
		return -1;
	return pass && (print(&command->dump, batch, i, &out->buf, err) || wt_out_flow(out, err)) ? -1 : 0;
}

static int print_events(struct command *command, struct wt_log_iter *iter, struct wt_out *out,
			struct wt_err *err)
{
	const struct wt_log_batch *batch;
	uint32_t i;
	int more;

	while (!(more = wt_log_iter_next(iter, &batch, &i, err)))
		if (print_event(command, batch, i, out, err))
			return -1;
	return more < 0 ? -1 : 0;
}

/* Collects the columns of CSV: the fields of all kinds in the log. */
static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct command *command = ctx;

	if (!wt_view_select_want(&command->select, segment, kind))
		return false;
	if (command->args.csv)
		wt_dump_csv_add(&command->csv, segment->kinds.kinds[kind].event);
	return true;
}

/* Returns false when the ranges of a block's fields rule out all its events. */
static bool may(void *ctx, const struct wt_log_outline *outline)
{
	return wt_view_filter_may(&((const struct command *)ctx)->filter, outline);
}

static int prepare(struct command *command, struct wt_log_filter *range, struct wt_err *err)
{
	const struct wt_view_args *args = &command->args;
	bool of_session = args->session || (args->ask.follow && !args->path);
	struct wt_view_options options = {.resolve = !args->ask.no_resolve,
					  .no_inline = args->ask.no_inline,
					  .first_segment = command->first_segment,
					  .watched = of_session ? wt_session_written : NULL,
					  .watched_ctx = (void *)(uintptr_t)args->session};

	if ((!args->ask.follow && wt_log_open(args->path, &command->log, err)) ||
	    wt_view_file_init(&command->file, command->log, &options, err))
		return -1;
	if (args->ask.regions && wt_region_rows_init(&command->rows, &command->file, &args->ask.pairs, err))
		return -1;
	/* Late events must not move the moment from which all times are counted. */
	if (!command->origin)
		command->origin = command->file.origin;
	command->file.origin = command->origin;
	command->filter.file = &command->file;
	command->select.file = &command->file;
	wt_view_facts_init(&command->facts, &command->file);
	command->facts.growing = args->session && !args->ask.follow;
	command->dump = (struct wt_dump){.file = &command->file,
					 .clock = &wt_log_info(command->log)->clock,
					 .csv = args->csv ? &command->csv : NULL,
					 .absolute = args->absolute,
					 .stack = args->stack};
	if (wt_view_args_filter(args, &command->filter, &command->select, err))
		return args->ask.regions ? -1 : wt_question_explain(err);
	if (!args->ask.follow && wt_note_near_misses(&command->filter, err))
		return -1;
	range->want = want;
	range->may = may;
	range->ctx = command;
	range->behind = command->behind;
	return wt_question_range(&args->ask, &command->file, range, err);
}

static void drop_view(struct command *command)
{
	wt_dump_deinit(&command->dump);
	wt_dump_csv_deinit(&command->csv);
	wt_view_facts_deinit(&command->facts);
	wt_view_filter_deinit(&command->filter);
	wt_view_select_deinit(&command->select);
	wt_view_file_deinit(&command->file);
	wt_region_rows_deinit(&command->rows);
}

/* ---- regions ---- */

struct lines {
	struct command *command;
	struct wt_out *out;
};

static int print_regions(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct lines *lines = ctx;
	struct command *command = lines->command;

	if (!wt_view_select_want(&command->select, batch->segment, batch->kind))
		return 0;
	for (uint32_t i = 0; i < batch->n; i++)
		if (print_event(command, batch, i, lines->out, err))
			return -1;
	return 0;
}

/* The columns of CSV are determined before the first region. */
static void add_columns(struct command *command)
{
	const struct wt_region_segment *segment = command->rows.kinds.segments;
	uint32_t n = command->rows.kinds.n_segments ? segment->shadow.kinds.n : 0;

	for (uint32_t k = n ? segment->real->kinds.n : 0; k < n; k++)
		want(command, &segment->shadow, k);
}

static int run_regions(struct command *command, struct wt_err *err)
{
	struct wt_out out = {.stream = stdout};
	struct lines lines = {command, &out};
	struct wt_log_filter range = {0};
	int failed;

	if (prepare(command, &range, err))
		return -1;
	command->rows.from = range.from;
	command->rows.to = range.to;
	command->rows.most = 1;
	add_columns(command);
	failed = (command->args.csv && wt_dump_csv_head(&command->csv, &command->dump, &out.buf, err)) ||
		 wt_region_rows_scan(&command->rows, print_regions, &lines, err);
	if (failed)
		wt_buf_deinit(&out.buf);
	return failed || wt_out_end(&out, err) ? -1 : 0;
}

static int run(struct command *command, struct wt_err *err)
{
	struct wt_log_filter range = {0};
	struct wt_out out = {.stream = stdout};
	struct wt_log_iter *iter;
	int failed;

	if (prepare(command, &range, err) || wt_log_iter_create(command->log, &range, &iter, err))
		return -1;
	failed = command->args.csv && wt_dump_csv_head(&command->csv, &command->dump, &out.buf, err);
	if (!failed)
		failed = print_events(command, iter, &out, err);
	wt_log_iter_destroy(iter);
	if (failed)
		wt_buf_deinit(&out.buf);
	return failed || wt_out_end(&out, err) ? -1 : 0;
}

static int judge(struct command *command, struct wt_err *err)
{
	if (wt_view_facts_read(&command->facts, err))
		return -1;
	return wt_view_args_judge(&command->args, &command->facts, true, err);
}

static int run_once(struct command *command, struct wt_err *err)
{
	return (command->args.ask.regions ? run_regions(command, err) : run(command, err))
		       ? -1
		       : judge(command, err);
}

/* Prints the events since the last round. The next round skips printed events and the tables of finished
 * segments. */
static int run_round(struct command *command, struct wt_err *err)
{
	uint32_t n;

	if (run(command, err))
		return -1;
	drop_view(command);
	n = wt_log_info(command->log)->n_segments;
	command->behind = wt_log_followed(command->log);
	for (; command->first_segment + 1 < n; command->first_segment++)
		wt_log_unload_segment(command->log, command->first_segment);
	return 0;
}

/* Judges the whole log after the last round. */
static int judge_all(struct command *command, bool growing, struct wt_err *err)
{
	struct wt_log_filter range = {0};

	command->first_segment = 0;
	if (prepare(command, &range, err))
		return -1;
	command->facts.growing = growing;
	return judge(command, err);
}

static int open_followed(struct command *command, struct wt_err *err)
{
	const struct wt_view_args *args = &command->args;
	struct sigaction action = {.sa_handler = on_signal};

	if (args->path ? wt_follow_file(&command->follow, args->path, WT_LOG_ARRIVES, err)
		       : wt_follow_session(&command->follow,
					   args->session ? args->session : WT_SESSION_DEFAULT, err))
		return -1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return 0;
}

static bool is_complete(const struct command *command)
{
	return command->log && wt_log_info(command->log)->complete;
}

/* Follows round by round; no view is open between rounds. */
static enum wt_follow_state follow_on(struct command *command, struct wt_err *err)
{
	enum wt_follow_state state = WT_FOLLOW_NOT_YET;

	while (!interrupted && !is_complete(command) && state <= WT_FOLLOW_NOT_YET) {
		state = wt_follow_look(&command->follow, &command->log, err);
		if (state == WT_FOLLOW_FAILED || (state == WT_FOLLOW_MORE && run_round(command, err)))
			return WT_FOLLOW_FAILED;
		if (state == WT_FOLLOW_NOT_YET)
			poll(NULL, 0, LOOK_MS);
	}
	return interrupted ? WT_FOLLOW_NOT_YET : state;
}

/* A log that its session left for another file is not judged: the complete log is that file. */
static int follow(struct command *command, struct wt_err *err)
{
	enum wt_follow_state state = open_followed(command, err) ? WT_FOLLOW_FAILED : follow_on(command, err);
	bool complete = is_complete(command);

	if (state == WT_FOLLOW_FAILED)
		return -1;
	if (state == WT_FOLLOW_LEFT)
		return wt_follow_fail_left(&command->follow, err);
	if (!complete && !(command->args.strict && command->log))
		return WT_EXIT_OK;
	return judge_all(command, !complete, err);
}

/* Finds a session's log in place of a file, with everything in it by now. */
static int find_log(struct command *command, struct wt_err *err)
{
	struct wt_view_args *args = &command->args;

	if (args->ask.follow || !args->session)
		return 0;
	if (wt_session_log(args->session, &command->session_log, err))
		return -1;
	args->path = command->session_log;
	return 0;
}

int cmd_dump(int argc, char **argv, struct wt_err *err)
{
	struct command *command = calloc(1, sizeof(*command));
	int code = -1;

	if (!command)
		return wt_fail_nomem(err);
	signal(SIGPIPE, SIG_IGN);
	command->follow.fd = -1;
	if (!wt_view_args_parse(WT_ARGS_DUMP, argc, argv, &command->args, err) && !find_log(command, err))
		code = command->args.ask.follow ? follow(command, err) : run_once(command, err);
	drop_view(command);
	wt_log_close(command->log);
	wt_follow_close(&command->follow);
	wt_view_args_deinit(&command->args);
	free(command->session_log);
	free(command);
	return code;
}
