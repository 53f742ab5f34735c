// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/session/spec_options.h"
#include "tools/session/report.h"
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

/* The command, forked before the session so that it can be recorded from its first instruction. */
struct workload {
	pid_t pid;
	int go_fd;     /* a byte sent here lets it exec */
	int failed_fd; /* errno of a failed exec comes back here */
};

static volatile sig_atomic_t workload_pid;

/* Ctrl-C reaches the command through the terminal by itself; SIGTERM is for us to pass on. */
static void pass_on(int sig)
{
	if (workload_pid > 0 && sig != SIGINT)
		kill((pid_t)workload_pid, sig);
}

/* Signals that end a recording wait until there is something to end in order. */
static void hold_signals(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(how, &set, NULL);
}

static int run_workload(char **command, int go_fd, int failed_fd)
{
	char byte;
	int error;

	if (read(go_fd, &byte, 1) != 1)
		_exit(0);
	hold_signals(SIG_UNBLOCK);
	execvp(command[0], command);
	error = errno;
	if (write(failed_fd, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static int fork_workload(char **command, struct workload *ret, struct wt_err *err)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		return wt_fail_errno(err, "cannot make a pipe");
	ret->pid = fork();
	if (ret->pid < 0)
		return wt_fail_errno(err, "cannot fork");
	if (ret->pid == 0) {
		close(go[1]);
		close(failed[0]);
		run_workload(command, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	ret->go_fd = go[1];
	ret->failed_fd = failed[0];
	return 0;
}

/* Lets the command run to its end; *status as waitpid gives it. */
static int run(struct workload *work, const char *name, int *status, struct wt_err *err)
{
	struct sigaction action = {.sa_handler = pass_on};
	int error = 0;

	workload_pid = work->pid;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	hold_signals(SIG_UNBLOCK);
	if (write(work->go_fd, "", 1) < 0)
		return wt_fail_errno(err, "cannot start %s", name);
	close(work->go_fd);
	work->go_fd = -1;
	while (waitpid(work->pid, status, 0) < 0)
		if (errno != EINTR)
			return wt_fail_errno(err, "cannot wait for %s", name);
	workload_pid = 0;
	if (read(work->failed_fd, &error, sizeof(error)) == sizeof(error)) {
		errno = error;
		return wt_fail_errno(err, "cannot run %s", name);
	}
	return 0;
}

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

/* As other tools have it: the command without "--". */
static int stray_word(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is not expected here; a command comes behind '--': wtrace record [options] -o "
		       "FILE -- %s ...",
		       word, word);
}

static int parse(int argc, char **argv, struct record_args *args, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, cmd_record_options, stray_word, args, err);

	if (end < 0)
		return -1;
	if (end >= argc)
		return wt_fail(err, WT_ERR_USAGE,
			       "no command: wtrace record [options] -o FILE -- COMMAND [ARG...]");
	if (!args->spec.output)
		return wt_fail(err, WT_ERR_USAGE,
			       "no output file: wtrace record [options] -o FILE -- COMMAND [ARG...]");
	return end;
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
	return wt_deliver_check(spec->output, spec->force ? WT_REPLACE_ANYTHING : WT_REPLACE_LOGS_ONLY, err);
}

static int stop_and_report(const char *session, bool json, bool strict, int code, struct wt_err *err)
{
	struct wt_status status;
	struct wt_place place;
	int rc = wt_place_open(session, &place, err);

	if (rc == 0)
		rc = wt_stop_session(&place, NULL, WT_REPLACE_LOGS_ONLY, &status, err);
	wt_place_close(&place);
	if (rc < 0)
		return WT_EXIT_FAILED;
	if (json)
		wt_report_json(stderr, &status, WT_REPORT_STOPPED);
	else if (wt_diag_enabled())
		wt_report_text(stderr, &status, WT_REPORT_STOPPED);
	if (code == 0 && strict && wt_report_lossy(&status))
		code = WT_EXIT_LOSSY;
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

int cmd_record(int argc, char **argv, struct wt_err *err)
{
	struct record_args args = {0};
	struct workload work = {.pid = -1, .go_fd = -1, .failed_fd = -1};
	struct wt_err stop_err = WT_ERR_INIT;
	struct wt_status armed = {0};
	char session[WT_SESSION_NAME_MAX + 1];
	int end, status = 0, rc, code;
	bool json;

	wt_spec_init(&args.spec);
	end = parse(argc, argv, &args, err);
	hold_signals(SIG_BLOCK);
	if (end < 0 || fork_workload(argv + end, &work, err) < 0 || prepare(&args, work.pid, err) < 0) {
		code = WT_EXIT_FAILED;
		goto out;
	}
	args.spec.tied = true;
	json = args.spec.json;
	snprintf(session, sizeof(session), "%s", args.spec.session);
	if (wt_session_launch(&args.spec, &armed, err) < 0) {
		code = WT_EXIT_FAILED;
		goto out;
	}
	for (uint32_t i = 0; i < armed.n_lines; i++)
		tell(armed.lines[i]);
	rc = run(&work, argv[end], &status, err);
	code = stop_and_report(session, json, args.strict, rc < 0 ? 127 : exit_code(status),
			       rc < 0 ? &stop_err : err);
out:
	if (work.go_fd >= 0)
		close(work.go_fd);
	wt_status_deinit(&armed);
	wt_spec_deinit(&args.spec);
	return code;
}
