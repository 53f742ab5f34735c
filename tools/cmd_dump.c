/* SPDX-License-Identifier: MIT */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "consumers/session/requests.h"
#include "tools/cmd.h"
#include "tools/near_misses.h"
#include "consumers/model/follow.h"
#include "tools/view/args.h"
#include "consumers/export/dump_log.h"
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
	struct wt_dump_log all;
	struct wt_follow follow;
	char *session_log; /* owned */
};

static int prepare(struct command *command, struct wt_err *err)
{
	const struct wt_view_args *args = &command->args;
	bool of_session = args->session || (args->ask.follow && !args->path);
	struct wt_buf shown = {0};
	int rc;

	command->all.ask = &args->ask;
	command->all.form = args->json ? WT_DUMP_JSON : args->csv ? WT_DUMP_CSV : WT_DUMP_TEXT;
	command->all.absolute = args->absolute;
	command->all.stack = args->stack;
	command->all.watched = of_session ? wt_session_written : NULL;
	command->all.watched_ctx = (void *)(uintptr_t)args->session;
	rc = wt_dump_log_open(&command->all, &shown, err);
	wt_view_args_show(&shown);
	command->all.facts.growing = args->session && !args->ask.follow;
	return rc || args->ask.follow ? rc : wt_note_near_misses(&command->all.filter, err);
}

static int run(struct command *command, struct wt_err *err)
{
	struct wt_out out = {.stream = stdout};

	if (prepare(command, err))
		return -1;
	if (!wt_dump_log_put(&command->all, &out, err))
		return wt_out_end(&out, err);
	wt_buf_deinit(&out.buf);
	return -1;
}

static int judge(struct command *command, struct wt_err *err)
{
	if (wt_view_facts_read(&command->all.facts, err))
		return -1;
	return wt_view_args_judge(&command->args, &command->all.facts, true, err);
}

static int run_once(struct command *command, struct wt_err *err)
{
	if (wt_log_open(command->args.path, &command->all.log, err) || run(command, err))
		return -1;
	return judge(command, err);
}

/* Prints the events since the last round. */
static int run_round(struct command *command, struct wt_err *err)
{
	if (run(command, err))
		return -1;
	wt_dump_log_next(&command->all);
	return 0;
}

/* Judges the whole log after the last round. */
static int judge_all(struct command *command, bool growing, struct wt_err *err)
{
	command->all.first_segment = 0;
	if (prepare(command, err))
		return -1;
	command->all.facts.growing = growing;
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
	return command->all.log && wt_log_info(command->all.log)->complete;
}

/* Follows round by round; no view is open between rounds. */
static enum wt_follow_state follow_on(struct command *command, struct wt_err *err)
{
	enum wt_follow_state state = WT_FOLLOW_NOT_YET;

	while (!interrupted && !is_complete(command) && state <= WT_FOLLOW_NOT_YET) {
		state = wt_follow_look(&command->follow, &command->all.log, err);
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
	if (!complete && !(command->args.strict && command->all.log))
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
	wt_dump_log_close(&command->all);
	wt_follow_close(&command->follow);
	wt_view_args_deinit(&command->args);
	free(command->session_log);
	free(command);
	return code;
}
