// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/progress.h"
#include "consumers/session/recover.h"
#include "tools/session/report.h"
#include "consumers/session/stop.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/foreign.h"

struct stop_args {
	const char *session, *output;
	bool force, strict, json;
};

const struct wt_option cmd_stop_options[] = {
	{"session", 's', "NAME", "which session; default 'default'", WT_TEXT(struct stop_args, session),
	 .values = "@sessions"},
	{"output", 'o', "FILE", "file of the log", WT_TEXT(struct stop_args, output), .values = "@files"},
	{"force", 0, NULL, "replace FILE if it exists", WT_FLAG(struct stop_args, force)},
	{"strict", 0, NULL, "exit with 3 when data was lost", WT_FLAG(struct stop_args, strict)},
	{"json", 0, NULL, "print the summary as a JSON object", WT_FLAG(struct stop_args, json)},
	WT_OPTIONS_END,
};

static int stop_dead(struct wt_place *place, const struct stop_args *args, struct wt_err *err)
{
	struct wt_progress progress = {.what = place->name};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_recovered got;
	char kept[PATH_MAX];
	int rc;

	if (args->output && wt_deliver_check(args->output, wt_replace_by(args->force), err) < 0)
		return -1;
	rc = wt_recover_session(place, &listener, kept, &got, err);
	wt_progress_end(&progress);
	if (rc == 1)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "session '%s' had died before it wrote anything: there is no log, and nothing "
			       "is left of the session",
			       place->name);
	if (rc < 0)
		return -1;
	if (args->output && wt_deliver(kept, args->output, wt_replace_by(args->force), err) < 0)
		return -1;
	wt_warn("session '%s' had died before it was stopped; the log ends there", place->name);
	wt_text_write(stdout, args->output ? args->output : kept);
	printf(": completed from the part that the dead session had written\n");
	return 0;
}

/* The log exists, even if the report cannot be printed. */
static int bring_out(const char *log, struct wt_err *err)
{
	struct wt_buf name = {0};

	if (!wt_output_end(err))
		return 0;
	if (!err->text[0])
		wt_fail(err, WT_ERR_SYSTEM, "standard output is closed");
	wt_text_escape(&name, log, strlen(log));
	wt_fail_prefix(err, "the session has ended and its log is complete, %s, only the summary is lost",
		       wt_buf_cstr(&name));
	wt_buf_deinit(&name);
	return -1;
}

static int stop_live(struct wt_place *place, const struct stop_args *args, struct wt_err *err)
{
	struct wt_status status;
	int code = WT_EXIT_OK;

	if (wt_stop_session(place, args->output, wt_replace_by(args->force), &status, err) < 0)
		return WT_EXIT_FAILED;
	wt_report(stdout, &status, WT_REPORT_STOPPED, args->json);
	if (bring_out(status.spool, err))
		code = WT_EXIT_FAILED;
	else if (wt_report_absent(&status, err))
		code = WT_EXIT_FAILED;
	else if (args->strict && wt_status_lossy(&status))
		code = WT_EXIT_LOSSY;
	wt_status_deinit(&status);
	return code;
}

/* NAME alone is a session, FILE is the target of its log. */
static int take_session(void *ctx, const char *word, struct wt_err *err)
{
	struct stop_args *args = ctx;

	const char *dot = strrchr(word, '.');

	/* As in wpr, a word in the form of a file name is not a session's name. */
	if (!args->output && (strchr(word, '/') || (dot && !strcmp(dot, ".etl")))) {
		args->output = word;
		return 0;
	}
	if (args->output && strchr(word, ' '))
		return wt_fail(
			err, WT_ERR_USAGE,
			"'%.80s' is no session; text goes into a running session by wtrace mark 'TEXT', "
			"before it is stopped",
			word);
	return wt_take_one(&args->session, word, "session", err);
}

int cmd_stop(int argc, char **argv, struct wt_err *err)
{
	struct stop_args args = {0};
	struct wt_place place;
	int rc = wt_options_words(argc, argv, cmd_stop_options, take_session, &args, err);
	int code;

	if (rc < 0)
		return WT_EXIT_FAILED;
	if (wt_place_open(args.session ? args.session : WT_SESSION_DEFAULT, &place, err) < 0)
		return WT_EXIT_FAILED;
	if (wt_place_alive(&place))
		code = stop_live(&place, &args, err);
	else if (wt_place_has_part(&place))
		code = stop_dead(&place, &args, err) < 0 ? WT_EXIT_FAILED
		       : args.strict                     ? WT_EXIT_LOSSY
							 : WT_EXIT_OK;
	else
		code = wt_session_fail_absent(&place, err) < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
	wt_place_close(&place);
	return code;
}
