// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/session/spec_options.h"
#include "tools/session/report.h"
#include "consumers/session/workload.h"
#include "consumers/session/stop.h"
#include "tracecore/base/diag.h"

const char cmd_record_help[] = "usage: wtrace record [start options] -o FILE -- COMMAND [ARG...]\n"
			       "\n"
			       "Starts a session, runs COMMAND, stops the session when it ends. Nothing of "
			       "the command is missed. Its exit\n"
			       "code is passed on (128 + N when signal N ended it). Ctrl-C ends the command; "
			       "the log is complete all the\n"
			       "same. Root records the whole machine unless --pid says otherwise; others "
			       "record the command and what\n"
			       "it starts.\n"
			       "\n"
			       "-o is required.\n\n"
			       "@options\n"
			       "\n"
			       "examples:\n"
			       "  wtrace record -o run.etl --stackwalk -- make\n"
			       "  wtrace record -e page-faults:1 -o faults.etl -- python3 script.py\n";

/* As a shell has it. */
enum { WT_EXIT_NO_COMMAND = 127 };

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct record_args {
	struct wt_spec spec;
	bool strict;
};

/* The shared options expect the spec as their context: it is the first member. */
const struct wt_option cmd_record_options[] = {
	{.rows = wt_spec_options},
	{"strict", 0, NULL, "exit with 3 when the command succeeded but data was lost",
	 WT_FLAG(struct record_args, strict)},
	WT_OPTIONS_END,
};

/* The first word that is no option begins the command. */
static int begin_command(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	(void)word;
	(void)err;
	return 1;
}

/* NAME -o FILE -- COMMAND: what NAME should be nobody knows. */
static int check_command(int argc, char **argv, int end, struct wt_err *err)
{
	if (end > 0 && !strcmp(argv[end - 1], "--"))
		return 0;
	for (int i = end; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return wt_fail(
				err, WT_ERR_USAGE,
				"'%s' is not expected here; a command comes behind '--': wtrace record "
				"[options] "
				"-o FILE -- COMMAND, a session's name behind -s, a provider's behind -p",
				argv[end]);
	return 0;
}

/* The line as it was given, with what lacks. */
static int fail_no_output(int argc, char **argv, int end, struct wt_err *err)
{
	struct wt_buf line = {0};
	bool dashes = !strcmp(argv[end - 1], "--");

	for (int i = 1; i < end - dashes; i++)
		wt_buf_printf(&line, "%s ", argv[i]);
	wt_buf_puts(&line, "-o FILE --");
	for (int i = end; i < argc; i++)
		wt_buf_printf(&line, " %s", argv[i]);
	wt_fail(err, WT_ERR_USAGE, "no output file: wtrace record %.300s", wt_buf_cstr(&line));
	wt_buf_deinit(&line);
	return -1;
}

static int parse(int argc, char **argv, struct record_args *args, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, cmd_record_options, begin_command, args, err);

	if (end < 0)
		return -1;
	if (end >= argc)
		return wt_fail(err, WT_ERR_USAGE,
			       "no command: wtrace record [options] -o FILE -- COMMAND [ARG...]");
	if (check_command(argc, argv, end, err))
		return -1;
	return args->spec.output ? end : fail_no_output(argc, argv, end, err);
}

/* A session of its own unless one was named; the command's process when that is all there is to see. */
static int prepare(struct record_args *args, pid_t child, struct wt_err *err)
{
	struct wt_spec *spec = &args->spec;

	if (!spec->session && asprintf(&spec->session, "record-%d", getpid()) < 0)
		return wt_fail_nomem(err);
	if (geteuid() != 0 && !spec->n_pids) {
		spec->pids[spec->n_pids++] = child;
		spec->child = true;
	}
	if (wt_spec_settle(spec, err) < 0)
		return -1;
	return wt_deliver_check(spec->output, wt_replace_by(spec->force), err);
}

/* What the session says of itself decides only where the command has succeeded. */
static int judge(const struct wt_status *status, bool strict, int code, struct wt_err *err)
{
	struct wt_err absent = WT_ERR_INIT;

	if (!wt_report_absent(status, &absent))
		return code == 0 && strict && wt_status_lossy(status) ? WT_EXIT_LOSSY : code;
	if (code) {
		wt_warn("%s", absent.text);
		return code;
	}
	*err = absent;
	return WT_EXIT_FAILED;
}

static int stop(const char *session, const char *output, struct wt_status *ret, struct wt_err *err)
{
	struct wt_place place;
	int rc = wt_place_open(session, &place, err);

	if (rc == 0)
		rc = wt_stop_session(&place, output, WT_REPLACE_NOTHING, ret, err);
	wt_place_close(&place);
	return rc;
}

/* The command did not run: what was recorded until then is of nobody, and takes nobody's place. */
static void drop(const char *session)
{
	struct wt_err why = WT_ERR_INIT;
	struct wt_status status;

	if (stop(session, "", &status, &why)) {
		wt_warn("session '%s' was not stopped: %s", session, why.text);
		return;
	}
	unlink(status.spool);
	wt_status_deinit(&status);
}

static int stop_and_report(const char *session, const struct wt_status *armed, bool json, bool strict,
			   int code, struct wt_err *err)
{
	struct wt_status status;

	if (stop(session, NULL, &status, err))
		return WT_EXIT_FAILED;
	if (!json)
		wt_status_forget(&status, armed);
	if (json)
		wt_report_json(stderr, &status, WT_REPORT_STOPPED);
	else if (wt_diag_enabled())
		wt_report_text(stderr, &status, WT_REPORT_STOPPED);
	code = judge(&status, strict, code, err);
	wt_status_deinit(&status);
	return code;
}

/* A line of what is in force; a warning among them says so itself. */
static void tell(const char *line)
{
	static const char warning[] = "warning: ";

	if (!strncmp(line, warning, strlen(warning)))
		wt_warn("%s", line + strlen(warning));
	else
		wt_note("%s", line);
}

/* From the session's start to its end. */
static int record(struct record_args *args, struct wt_workload *work, const char *path, char **command,
		  struct wt_err *err)
{
	char session[WT_SESSION_NAME_MAX + 1];
	struct wt_status armed = {0};
	int status = 0, code;

	args->spec.tied = true;
	args->spec.command = realpath(path, NULL);
	snprintf(session, sizeof(session), "%s", args->spec.session);
	if (wt_session_launch(&args->spec, &armed, err) < 0)
		return WT_EXIT_FAILED;
	for (uint32_t i = 0; i < armed.n_lines; i++)
		tell(armed.lines[i]);
	if (wt_workload_run(work, command[0], &status, err) < 0) {
		drop(session);
		code = WT_EXIT_NO_COMMAND;
	} else {
		code = stop_and_report(session, &armed, args->spec.json, args->strict, exit_code(status),
				       err);
	}
	wt_status_deinit(&armed);
	return code;
}

int cmd_record(int argc, char **argv, struct wt_err *err)
{
	struct wt_workload work = WT_WORKLOAD_NONE;
	struct record_args args = {0};
	char path[PATH_MAX] = "";
	int end, code = WT_EXIT_FAILED;

	wt_spec_init(&args.spec);
	end = parse(argc, argv, &args, err);
	wt_workload_hold_signals();
	if (end >= 0 && wt_workload_find(argv[end], path, err) < 0)
		code = WT_EXIT_NO_COMMAND;
	else if (end >= 0 && wt_workload_fork(argv + end, &work, err) == 0 &&
		 prepare(&args, work.pid, err) == 0)
		code = record(&args, &work, path, argv + end, err);
	wt_workload_close(&work);
	wt_spec_deinit(&args.spec);
	return code;
}
