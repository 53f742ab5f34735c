/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/session/log_of.h"
#include "tools/near_misses.h"
#include "consumers/model/follow.h"
#include "tools/view/args.h"
#include "tools/view/dump_csv.h"
#include "tools/view/out.h"

const char cmd_dump_help[] =
	"usage: wtrace dump FILE | -s NAME [OPTION]...\n"
	"       wtrace dump --follow [FILE | -s NAME] [OPTION]...\n"
	"\n"
	"Prints the events of a log in the order of time, one line each:\n"
	"  seconds from the start, [cpu], process(pid)/tid, provider/event, fields, code address\n"
	"\n"
	"@options\n"
	"\n"
	"examples:\n"
	"  wtrace dump run.etl --event proc_thread\n"
	"  wtrace dump run.etl --from 1.5 --to 1.6 --where \"cpu == 0\"\n"
	"  wtrace dump run.etl --event sched_switch --stack --where \"prev_comm == 'make'\"\n"
	"  wtrace dump run.etl --csv --event sched_switch >switches.csv\n"
	"  wtrace dump --follow -s web --event my-app\n"
	"  wtrace dump run.etl --json | jq -r 'select(.event == \"mark\") | .fields.text'\n";

struct command {
	struct wt_view_args args;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_filter filter;
	struct wt_view_select select;
	struct wt_view_facts facts;
	struct wt_dump dump;
	struct wt_dump_csv csv;
	struct wt_follow follow;
	char *session_log;      /* owned */
	uint64_t behind;        /* the offset from which on blocks are new... */
	uint32_t first_segment; /* ...and the segment */
	uint64_t origin;        /* with --follow: of the first round */
	struct wt_log_column columns[WT_SCHEMA_MAX_FIELDS];
};

static int passes(struct command *command, const struct wt_log_batch *batch, uint32_t i, uint8_t *ret,
		  struct wt_err *err)
{
	struct wt_log_batch one;
	struct wt_view_segment *segment;

	*ret = 1;
	if (!command->filter.where && !command->filter.sources && !command->filter.no_self)
		return 0;
	one = wt_dump_single(batch, i, command->columns);
	if (wt_view_file_segment(&command->file, batch->segment, &segment, err))
		return -1;
	return wt_view_filter_mask(&command->filter, segment, &one, ret, err);
}

static int print_events(struct command *command, struct wt_log_iter *iter, struct wt_out *out,
			struct wt_err *err)
{
	int (*print)(struct wt_dump *, const struct wt_log_batch *, uint32_t, struct wt_buf *,
		     struct wt_err *) = command->args.json  ? wt_dump_json
					: command->args.csv ? wt_dump_csv
							    : wt_dump_text;
	const struct wt_log_batch *batch;
	uint32_t i;
	int more;

	while (!(more = wt_log_iter_next(iter, &batch, &i, err))) {
		uint8_t pass;

		if (passes(command, batch, i, &pass, err))
			return -1;
		if (pass && (print(&command->dump, batch, i, &out->buf, err) || wt_out_flow(out, err)))
			return -1;
	}
	return more < 0 ? -1 : 0;
}

/* The columns of CSV are the fields of all kinds that are in the log. */
static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	struct command *command = ctx;

	if (!wt_view_select_want(&command->select, segment, kind))
		return false;
	if (command->args.csv)
		wt_dump_csv_add(&command->csv, segment->kinds.kinds[kind].event);
	return true;
}

/* What blocks say of their fields may rule all their events out. */
static bool may(void *ctx, const struct wt_log_outline *outline)
{
	return wt_view_filter_may(&((const struct command *)ctx)->filter, outline);
}

static int prepare(struct command *command, struct wt_log_filter *range, struct wt_err *err)
{
	const struct wt_view_args *args = &command->args;
	struct wt_view_options options = {.resolve = !args->no_resolve,
					  .first_segment = command->first_segment};

	if ((args->follow ? wt_follow_read(&command->follow, &command->log, err)
			  : wt_log_open(args->path, &command->log, err)) ||
	    wt_view_file_init(&command->file, command->log, &options, err))
		return -1;
	/* Events that come late do not move the moment all others are counted from. */
	if (!command->origin)
		command->origin = command->file.origin;
	command->file.origin = command->origin;
	command->filter.file = &command->file;
	command->select.file = &command->file;
	wt_view_facts_init(&command->facts, &command->file);
	command->dump = (struct wt_dump){.file = &command->file,
					 .clock = &wt_log_info(command->log)->clock,
					 .csv = args->csv ? &command->csv : NULL,
					 .absolute = args->absolute,
					 .stack = args->stack};
	if (wt_view_args_filter(args, &command->filter, &command->select, err) ||
	    (!args->follow && wt_note_near_misses(&command->filter, err)))
		return -1;
	range->want = want;
	range->may = may;
	range->ctx = command;
	range->behind = command->behind;
	return wt_view_args_range(args, &command->file, range, err);
}

static void drop_view(struct command *command)
{
	wt_dump_deinit(&command->dump);
	wt_dump_csv_deinit(&command->csv);
	wt_view_facts_deinit(&command->facts);
	wt_view_filter_deinit(&command->filter);
	wt_view_select_deinit(&command->select);
	wt_view_file_deinit(&command->file);
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
	return run(command, err) ? -1 : judge(command, err);
}

/* What came since the one before. The next need not look at events that were printed and at tables of
 * segments that were left. */
static int run_round(struct command *command, bool *complete, struct wt_err *err)
{
	uint32_t n;

	drop_view(command);
	if (run(command, err))
		return -1;
	n = wt_log_info(command->log)->n_segments;
	command->behind = wt_log_followed(command->log);
	for (; command->first_segment + 1 < n; command->first_segment++)
		wt_log_unload_segment(command->log, command->first_segment);
	*complete = wt_log_info(command->log)->complete;
	return 0;
}

/* The last round, over everything. */
static int judge_all(struct command *command, bool growing, struct wt_err *err)
{
	struct wt_log_filter range = {0};

	drop_view(command);
	command->first_segment = 0;
	if (prepare(command, &range, err))
		return -1;
	command->facts.growing = growing;
	return judge(command, err);
}

/* Round by round. A log its session left on the way is not found fault with:
 * what is complete lies elsewhere. */
static int follow(struct command *command, struct wt_err *err)
{
	const char *session = command->args.session ? command->args.session : WT_SESSION_DEFAULT;
	bool complete = false;
	int ended = wt_follow_open(&command->follow, command->args.path, session, err);

	while (!ended && !complete && !(ended = wt_follow_wait(&command->follow, err)))
		if (run_round(command, &complete, err))
			return -1;
	if (ended > 0 && !complete && wt_follow_is_over(&command->follow) &&
	    run_round(command, &complete, err))
		return -1;
	if (ended >= 0 && !complete && wt_follow_is_left(&command->follow))
		return wt_fail(
			err, WT_ERR_LIMIT,
			"session '%s' has dropped the oldest part of its log (--max-file): follow it anew",
			session);
	if (ended < 0)
		return -1;
	if (!complete && !(command->args.strict && command->log))
		return WT_EXIT_OK;
	return judge_all(command, !complete, err);
}

/* A session's log in place of a file, as it is by now. */
static int find_log(struct command *command, struct wt_err *err)
{
	struct wt_view_args *args = &command->args;

	if (args->follow || !args->session)
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
		code = command->args.follow ? follow(command, err) : run_once(command, err);
	drop_view(command);
	wt_log_close(command->log);
	wt_follow_close(&command->follow);
	wt_view_args_deinit(&command->args);
	free(command->session_log);
	free(command);
	return code;
}
