// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/sample/args.h"
#include "tools/session/report.h"
#include "consumers/counting/sampled_word.h"
#include "consumers/session/spec_word.h"
#include "consumers/session/workload.h"
#include "consumers/session/stop.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/list.h"

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct record_args {
	struct wt_sample_args sample; /* must be first: rows of start and sample set its members */
	const char *cpu, *delay;
	char *json_file;   /* owned */
	uint64_t delay_ns; /* until sampling begins */
	bool tables;       /* options of wperf were given */
	bool cut;          /* the time was over before the command ended */
	bool strict;
};

const struct wt_option cmd_record_options[] = {
	{.rows = wt_spec_options},
	{"strict", 0, NULL, "exit with 3 when the command succeeded but data was lost",
	 WT_FLAG(struct record_args, strict)},
	{"timeout", 0, "T",
	 "print the hot functions after T (10, 1.5s, 200ms, 2m) or when COMMAND ends; COMMAND gets SIGTERM "
	 "then, "
	 "which is no failure",
	 .set = wt_sample_set_timeout},
	{"symbol", 0, "NAME",
	 "show only the function NAME, in any case; ^NAME: those that begin so, NAME$: that end so",
	 WT_TEXT(struct wt_sample_args, symbol)},
	{.rows = wt_sample_options},
	{"record_spawn_delay", 0, "MS",
	 "sampling begins MS milliseconds after COMMAND; default 0: with its first instruction",
	 WT_TEXT(struct record_args, delay)},
	{"run-on", 'c', "LIST", "with wperf's options: COMMAND runs on these CPUs alone, as in 1 or 0,2-3",
	 WT_TEXT(struct record_args, cpu)},
	{"pe_file", 0, "FILE", "named in the JSON; COMMAND is what is sampled",
	 WT_TEXT(struct wt_sample_args, pe_file), .values = "@files"},
	{"image_name", 0, "NAME", "of no effect: COMMAND is what is sampled",
	 WT_TEXT(struct wt_sample_args, image_name)},
	WT_OPTIONS_END,
};

/* True for options that only wperf has, and where the output is no log. */
static bool wants_tables(const struct record_args *args)
{
	const struct wt_sample_args *sample = &args->sample;

	return sample->timeout || sample->symbol || sample->rows || sample->pe_file || sample->pdb_file ||
	       sample->image_name || sample->annotate || sample->disassemble || sample->mangled ||
	       sample->force_lock || sample->csv || args->delay || wt_output_names_json(sample->spec.output);
}

/* In NAME -o FILE -- COMMAND the meaning of NAME is unclear. */
static int check_command(int argc, char **argv, int end, struct wt_err *err)
{
	if (end > 0 && !strcmp(argv[end - 1], "--"))
		return 0;
	for (int i = end; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return wt_fail(
				err, WT_ERR_USAGE,
				"'%s' is not expected here; a command follows '--': wtrace record [options] "
				"-o FILE -- COMMAND; a session's name follows -s, a provider's -p",
				argv[end]);
	return 0;
}

/* The error shows the line as it was typed, with the missing part added. What is wrong in the line comes
 * first. */
static int fail_no_output(struct record_args *args, int argc, char **argv, int end, struct wt_err *err)
{
	struct wt_spec *spec = &args->sample.spec;
	struct wt_buf line = {0};
	bool dashes = !strcmp(argv[end - 1], "--");

	if (wt_spec_has_programs(spec) && wt_spec_resolve(spec, err))
		return -1;
	for (size_t i = 0; i < spec->n_events; i++)
		if (wt_sampled_check(spec->events[i], err))
			return -1;
	for (int i = 1; i < end - dashes; i++)
		wt_buf_printf(&line, "%s ", argv[i]);
	wt_buf_puts(&line, "-o FILE --");
	for (int i = end; i < argc; i++)
		wt_buf_printf(&line, " %s", argv[i]);
	if (wt_workload_find(argv[end], NULL, NULL))
		wt_fail(err, WT_ERR_USAGE,
			"no output file, and there is no program '%.80s': wtrace record [options] -o FILE -- "
			"COMMAND",
			argv[end]);
	else
		wt_fail(err, WT_ERR_USAGE,
			"no output file: wtrace record %.300s; hot functions without a log: --timeout T in "
			"place of -o FILE",
			wt_buf_cstr(&line));
	wt_buf_deinit(&line);
	return -1;
}

/* If the output's name ends in .json, it is for the JSON result; otherwise it is the log. */
static void choose_output(struct record_args *args)
{
	struct wt_spec *spec = &args->sample.spec;

	args->sample.json = spec->json;
	spec->json = false;
	if (!wt_output_names_json(spec->output))
		return;
	args->sample.output = args->json_file = spec->output;
	spec->output = NULL;
}

static int settle_tables(struct record_args *args, struct wt_err *err)
{
	uint64_t ms = 0;

	if (args->delay && wt_spec_number(args->delay, "--record_spawn_delay", UINT32_MAX, &ms, err))
		return -1;
	args->delay_ns = ms * (WT_NSEC / 1000);
	if (args->sample.spec.n_pids)
		return wt_fail(
			err, WT_ERR_USAGE,
			"--pid and wperf's options: a running process is sampled by wtrace sample --pid "
			"PID");
	if (args->sample.spec.session)
		return wt_fail(
			err, WT_ERR_USAGE,
			"-s %.80s is the name of a session, which has no use beside wperf's options; a "
			"function is --symbol %.80s",
			args->sample.spec.session, args->sample.spec.session);
	choose_output(args);
	if (args->cpu && wt_list_each(args->cpu, "--cpu", wt_spec_take_cpus, &args->sample.spec, err))
		return -1;
	return wt_sample_args_settle(&args->sample, err);
}

static int fail_no_command(const struct wt_spec *spec, struct wt_err *err)
{
	const char *name = spec->n_providers ? spec->providers[0].name : "";

	if (spec->n_pids)
		return wt_fail(
			err, WT_ERR_USAGE,
			"no command: sleep 5 records for 5 s: wtrace record --pid %d -o FILE -- sleep 5",
			(int)spec->pids[0]);
	if (name[0] && strspn(name, "0123456789") == strlen(name))
		return wt_fail(err, WT_ERR_USAGE,
			       "-p takes names of providers, and '%s' is a number; a process is --pid %s: "
			       "wtrace record --pid %s -o FILE -- sleep 5",
			       name, name, name);
	return wt_fail(err, WT_ERR_USAGE, "no command: wtrace record [options] -o FILE -- COMMAND [ARG...]");
}

static int parse(int argc, char **argv, struct record_args *args, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, cmd_record_options, wt_begin_command, args, err);

	if (end < 0)
		return -1;
	if (end >= argc)
		return fail_no_command(&args->sample.spec, err);
	if (check_command(argc, argv, end, err))
		return -1;
	args->tables = wants_tables(args);
	if (args->tables)
		return settle_tables(args, err) ? -1 : end;
	if (args->cpu)
		return wt_fail(
			err, WT_ERR_USAGE,
			"'-c' is a word of another tool; in wtrace: -e EVENT:N, a sample every N events "
			"(perf); a core (wperf) is -c N beside --timeout or --annotate, else --cpu N");
	return args->sample.spec.output ? end : fail_no_output(args, argc, argv, end, err);
}

/* Makes a session of its own unless one was named; restricts it to the command's process where only that may
 * be recorded. */
static int prepare(struct record_args *args, pid_t child, struct wt_err *err)
{
	struct wt_spec *spec = &args->sample.spec;

	if (!spec->session && asprintf(&spec->session, "record-%d", getpid()) < 0)
		return wt_fail_nomem(err);
	if ((geteuid() != 0 || args->tables) && !spec->n_pids) {
		spec->pids[spec->n_pids++] = child;
		spec->child = !args->delay_ns;
	}
	if (wt_spec_settle(spec, err) < 0 ||
	    (args->tables && args->cpu && wt_workload_pin(child, spec->cpus, spec->n_cpus, args->cpu, err)))
		return -1;
	return !spec->output ? 0 : wt_deliver_check(spec->output, wt_replace_by(spec->force), err);
}

/* The session's status decides the exit code only when the command has succeeded. */
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

/* Drops the session of a command that did not run; nothing is kept and no file is replaced. */
static void drop(const char *session)
{
	struct wt_err why = WT_ERR_INIT;
	struct wt_status status;

	if (wt_stop_named(session, "", &status, &why)) {
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

	if (wt_stop_named(session, NULL, &status, err))
		return WT_EXIT_FAILED;
	if (!json)
		wt_status_forget(&status, armed);
	if (json || wt_diag_enabled())
		wt_report(stderr, &status, WT_REPORT_STOPPED, json);
	code = judge(&status, strict, code, err);
	wt_status_deinit(&status);
	return code;
}

/* Prints a line of the settings in force; a warning begins with that word. */
static void tell(const char *line)
{
	static const char warning[] = "warning: ";

	if (!strncmp(line, warning, strlen(warning)))
		wt_warn("%s", line + strlen(warning));
	else
		wt_note("%s", line);
}

static int launch(struct wt_spec *spec, const char *path, char session[WT_SESSION_NAME_MAX + 1],
		  struct wt_status *armed, struct wt_err *err)
{
	spec->tied = true;
	spec->command = realpath(path, NULL);
	snprintf(session, WT_SESSION_NAME_MAX + 1, "%s", spec->session);
	if (wt_session_launch(spec, armed, err) < 0)
		return -1;
	for (uint32_t i = 0; i < armed->n_lines; i++)
		tell(armed->lines[i]);
	return 0;
}

/* Records from the session's start to its end. */
static int record(struct record_args *args, struct wt_workload *work, const char *path, char **command,
		  struct wt_err *err)
{
	char session[WT_SESSION_NAME_MAX + 1];
	struct wt_status armed = {0};
	int status = 0, code;

	if (launch(&args->sample.spec, path, session, &armed, err))
		return WT_EXIT_FAILED;
	if (wt_workload_run(work, command[0], &status, err) < 0) {
		drop(session);
		code = WT_EXIT_NO_COMMAND;
	} else {
		code = stop_and_report(session, &armed, args->sample.spec.json, args->strict,
				       exit_code(status), err);
	}
	wt_status_deinit(&armed);
	return code;
}

/* ---- wperf's table ---- */

/* The command runs for a while before it is sampled. Returns an exit code; 0: it still runs. */
static int run_ahead(const struct record_args *args, struct wt_workload *work, const char *name,
		     struct wt_err *err)
{
	int status, rc;

	if (!args->delay_ns)
		return 0;
	if (wt_workload_release(work, name, err))
		return WT_EXIT_NO_COMMAND;
	rc = wt_workload_await(work, name, wt_clock_now() + args->delay_ns, &status, err);
	if (rc > 0)
		return 0;
	if (!rc)
		wt_fail(err, WT_ERR_NOTFOUND,
			"'%.200s' ended within --record_spawn_delay %s: nothing was sampled", name,
			args->delay);
	return rc ? WT_EXIT_NO_COMMAND : WT_EXIT_FAILED;
}

/* Samples until the command ends or the time is over; then ends the command. *code is the exit code to pass
 * on. -1: the command did not run. */
static int sample_command(struct record_args *args, struct wt_workload *work, const char *session,
			  const char *name, struct wt_status *ret, int *code, struct wt_err *err)
{
	uint64_t begun = wt_clock_now(), length = args->sample.length;
	uint64_t until = length < UINT64_MAX - begun ? begun + length : UINT64_MAX;
	int status = 0, rc = args->delay_ns ? 0 : wt_workload_release(work, name, err);

	rc = rc ? -1 : wt_workload_await(work, name, until, &status, err);
	if (rc < 0) {
		drop(session);
		*code = WT_EXIT_NO_COMMAND;
		return -1;
	}
	*code = rc ? 0 : exit_code(status);
	args->sample.choice.seconds = (double)(wt_clock_now() - begun) / (double)WT_NSEC;
	if (wt_stop_named(session, NULL, ret, err)) {
		*code = WT_EXIT_FAILED;
		return -1;
	}
	args->cut = rc;
	return args->cut && kill(work->pid, SIGTERM) ? wt_fail_errno(err, "cannot end %s", name) : 0;
}

static int record_tables(struct record_args *args, struct wt_workload *work, const char *path, char **command,
			 struct wt_err *err)
{
	char session[WT_SESSION_NAME_MAX + 1];
	struct wt_status armed = {0}, status = {0};
	bool keeps = args->sample.spec.output;
	int ended, code = run_ahead(args, work, command[0], err);

	if (code)
		return code;
	if (launch(&args->sample.spec, path, session, &armed, err)) {
		if (args->delay_ns)
			kill(work->pid, SIGTERM);
		return WT_EXIT_FAILED;
	}
	if (!sample_command(args, work, session, command[0], &status, &code, err)) {
		wt_status_forget(&status, &armed);
		if (keeps && wt_diag_enabled())
			wt_report(stderr, &status, WT_REPORT_STOPPED, false);
		code = wt_sample_show(&args->sample, status.spool, err)
			       ? WT_EXIT_FAILED
			       : judge(&status, args->strict, code, err);
		if (!keeps)
			unlink(status.spool);
		if (args->cut) /* the table is printed before a slow command ends */
			wt_workload_await(work, command[0], UINT64_MAX, &ended, err);
	}
	wt_status_deinit(&status);
	wt_status_deinit(&armed);
	return code;
}

/* JSON must be alone on standard output, so the command's output goes to standard error. */
static int fork_command(const struct record_args *args, char **command, struct wt_workload *ret,
			struct wt_err *err)
{
	bool alone = args->tables && args->sample.json && !args->sample.output;
	int out = alone ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1, failed;

	if (out >= 0)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	failed = wt_workload_fork(command, ret, err);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
	return failed;
}

int cmd_record(int argc, char **argv, struct wt_err *err)
{
	struct wt_workload work = WT_WORKLOAD_NONE;
	struct record_args *args = calloc(1, sizeof(*args));
	char path[PATH_MAX] = "";
	int end, code = WT_EXIT_FAILED;

	if (!args)
		return wt_fail_nomem(err);
	wt_spec_init(&args->sample.spec);
	args->sample.fd = -1;
	end = parse(argc, argv, args, err);
	wt_workload_hold_signals();
	if (end >= 0 && wt_workload_find(argv[end], path, err) < 0)
		code = WT_EXIT_NO_COMMAND;
	else if (end >= 0 && fork_command(args, argv + end, &work, err) == 0 &&
		 prepare(args, work.pid, err) == 0)
		code = (args->tables ? record_tables : record)(args, &work, path, argv + end, err);
	wt_workload_close(&work);
	wt_sample_args_deinit(&args->sample);
	free(args->json_file);
	free(args);
	return code;
}
