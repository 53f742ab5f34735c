// SPDX-License-Identifier: MIT
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/damaged.h"
#include "consumers/export/ctf.h"
#include "consumers/export/perf_script.h"
#include "consumers/relog/target.h"
#include "tools/progress.h"
#include "tools/runs.h"
#include "tools/view/args.h"
#include "tracecore/base/out.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"

struct args {
	struct wt_view_args view; /* path, from, to, no_resolve, events */
	const char *output;
	const char *format;
};

static int take_format(void *ctx, const char *value, struct wt_err *err)
{
	static const char *const formats[] = {"ctf", "perf-script", "folded"};
	int at = wt_one_of(err, "format", value, formats, sizeof(formats) / sizeof(formats[0]));

	if (at < 0)
		return -1;
	((struct args *)ctx)->format = formats[at];
	return 0;
}

const struct wt_option cmd_export_options[] = {
	{"format", 0, "FORMAT",
	 "'ctf': a trace in the Common Trace Format 1.8, for babeltrace2 and Trace Compass, with process and "
	 "thread, "
	 "the stack by name, activity ids and all fields by their types; 'perf-script': the text of perf "
	 "script, "
	 "samples and tracepoints with their stacks, for stackcollapse-perf.pl, speedscope and others; "
	 "'folded': a "
	 "line for each stack with the number of its events, for flame graphs; default ctf",
	 WT_WORD(take_format), .values = "ctf perf-script folded"},
	{"output", 'o', "OUTPUT",
	 "the output: a directory for ctf, else a file; it must not exist yet; default for text is standard "
	 "output",
	 WT_TEXT(struct args, output), .values = "@files"},
	{"event", 'e', "NAME,...", "perf-script, folded: only these events, named as for dump",
	 WT_LIST(wt_view_add_event)},
	{"from", 0, "TIME", "only events from this time on, written as for view",
	 WT_TEXT(struct args, view.ask.from)},
	{"to", 0, "TIME", "only events before this time", WT_TEXT(struct args, view.ask.to)},
	{"no-resolve", 0, NULL, "use only the names in the log, not files of this machine",
	 WT_FLAG(struct args, view.ask.no_resolve)},
	{"no-inline", 0, NULL, "leave out inlined functions: frames are the functions that addresses lie in",
	 WT_FLAG(struct args, view.ask.no_inline)},
	WT_OPTIONS_END,
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	return wt_take_one(&((struct args *)ctx)->view.path, word, "log", err);
}

static int export_log(const struct args *args, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_view_options view = {.resolve = !args->view.ask.no_resolve,
				       .no_inline = args->view.ask.no_inline};
	struct wt_progress progress = {.what = args->output};
	struct wt_log_filter filter = {.listener = wt_progress_listener(&progress)};
	struct wt_ctf_count count;
	struct wt_view_file file;
	int rc = wt_view_file_init(&file, log, &view, err);

	if (!rc)
		rc = wt_question_range(&args->view.ask, &file, &filter, err);
	if (!rc)
		rc = wt_ctf_export(&file, &filter, args->output, &count, err);
	wt_progress_end(&progress);
	if (!rc && count.strings_cut)
		wt_warn("%llu strings hold zero bytes, which end a string in CTF: the bytes after them were "
			"left out",
			(unsigned long long)count.strings_cut);
	if (!rc)
		wt_warn_damaged(log, args->view.path, "trace");
	if (!rc) {
		wt_text_write(stdout, args->output);
		printf(": %llu event%s, %llu %s\n", (unsigned long long)count.events,
		       count.events == 1 ? "" : "s", (unsigned long long)count.streams,
		       count.streams == 1 ? "stream" : "streams");
	}
	wt_view_file_deinit(&file);
	return rc;
}

/* ---- text ---- */

static int export_script(const struct args *args, struct wt_err *err)
{
	struct wt_progress progress = {.what = args->view.path};
	struct wt_listener listener = {0};
	struct wt_out out = {.stream = stdout};
	struct wt_log_reader *log;
	int rc;

	if (wt_log_open(args->view.path, &log, err))
		return -1;
	if (!isatty(STDOUT_FILENO)) /* not on a terminal, where the line would appear inside the output */
		listener = wt_progress_listener(&progress);
	rc = wt_perf_script(log, &args->view.ask, listener, &out, err);
	wt_progress_end(&progress);
	if (rc)
		wt_buf_deinit(&out.buf);
	else
		rc = wt_out_end(&out, err);
	if (!rc)
		wt_warn_damaged(log, args->view.path, "text");
	wt_log_close(log);
	return rc;
}

/* Writes the rows of view: programs, then frames from the root to the leaf. */
static int export_folded(const struct args *args, struct wt_err *err)
{
	struct wt_view_args view = args->view;

	view.ask.folded = true;
	view.ask.group_by = "comm,stack";
	return wt_view_run(&view, err);
}

/* With -o, standard output is a file that gets its name when it is complete. */
static int open_output(const struct args *args, struct wt_target *target, struct wt_err *err)
{
	struct stat st;

	if (!args->output)
		return 0;
	if (lstat(args->output, &st) == 0)
		return wt_fail(err, WT_ERR_EXISTS, "%s exists already: name a file that does not",
			       args->output);
	if (wt_target_open(target, args->output, WT_REPLACE_NOTHING, err))
		return -1;
	if (dup2(target->fd, STDOUT_FILENO) < 0)
		return wt_fail_errno(err, "cannot write %s", args->output);
	return 0;
}

static int export_text(const struct args *args, struct wt_err *err)
{
	struct wt_target target = {.fd = -1};
	int rc = open_output(args, &target, err);

	signal(SIGPIPE, SIG_IGN);
	if (!rc)
		rc = !strcmp(args->format, "folded") ? export_folded(args, err) : export_script(args, err);
	if (!rc && args->output)
		rc = fflush(stdout) ? wt_fail_errno(err, "cannot write %s", args->output)
				    : wt_target_keep(&target, err);
	wt_target_close(&target);
	return rc;
}

static int export_trace(const struct args *args, struct wt_err *err)
{
	struct wt_log_reader *log;
	int rc;

	if (!args->output)
		return wt_fail(err, WT_ERR_USAGE, "no output: wtrace export FILE -o DIRECTORY");
	if (args->view.ask.n_events)
		return wt_fail(err, WT_ERR_USAGE,
			       "--event is for perf-script and folded: ctf has all events");
	if (wt_log_open(args->view.path, &log, err))
		return -1;
	rc = export_log(args, log, err);
	wt_log_close(log);
	return rc;
}

static int run(struct args *args, int argc, char **argv, struct wt_err *err)
{
	if (wt_options_words(argc, argv, cmd_export_options, take_path, args, err))
		return -1;
	if (!args->view.path)
		return wt_fail(err, WT_ERR_USAGE, "no log: wtrace export FILE -o OUTPUT");
	return strcmp(args->format, "ctf") ? export_text(args, err) : export_trace(args, err);
}

int cmd_export(int argc, char **argv, struct wt_err *err)
{
	struct args args = {.format = "ctf"};
	int rc = run(&args, argc, argv, err);

	wt_view_args_deinit(&args.view);
	return rc;
}
