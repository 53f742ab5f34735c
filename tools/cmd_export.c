// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/export/ctf.h"
#include "tools/view/args.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/nearest.h"

const char cmd_export_help[] =
	"usage: wtrace export FILE -o FOLDER [--format ctf] [--from T] [--to T]\n"
	"\n"
	"Writes the events of a log for other tools. With them go process and thread, the stack by name, "
	"activity\n"
	"ids, and all fields by their types.\n"
	"\n"
	"      --format FORMAT      ctf: a trace in the Common Trace Format 1.8, for babeltrace2 and Trace "
	"Compass\n"
	"  -o, --output FOLDER      where it goes; must not be there yet\n"
	"      --from T, --to T     only this time, written as for view\n"
	"      --no-resolve         do not ask this machine's files for names the log lacks\n"
	"\n"
	"examples:\n"
	"  wtrace export run.etl -o run.ctf && babeltrace2 run.ctf\n";

struct args {
	struct wt_view_args view; /* path, from, to, no_resolve */
	const char *output;
};

static int set_format(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const char *const formats[] = {"ctf"};

	(void)ctx, (void)option;
	return strcmp(value, "ctf") ? wt_fail_unknown(err, "format", value, formats, 1) : 0;
}

static int set_arg(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct args *args = ctx;

	(void)err;
	if (!strcmp(option->name, "output"))
		args->output = value;
	else if (!strcmp(option->name, "from"))
		args->view.from = value;
	else if (!strcmp(option->name, "to"))
		args->view.to = value;
	else
		args->view.no_resolve = true;
	return 0;
}

static const struct wt_option options[] = {
	{"format", 0, WT_OPT_VALUE, set_format}, {"output", 'o', WT_OPT_VALUE, set_arg},
	{"from", 0, WT_OPT_VALUE, set_arg},      {"to", 0, WT_OPT_VALUE, set_arg},
	{"no-resolve", 0, WT_OPT_FLAG, set_arg},
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	struct args *args = ctx;

	if (args->view.path)
		return wt_fail(err, WT_ERR_USAGE, "one log at a time: '%s' is too many", word);
	args->view.path = word;
	return 0;
}

static int export_log(const struct args *args, struct wt_log_reader *log, struct wt_err *err)
{
	struct wt_view_options view = {.resolve = !args->view.no_resolve};
	struct wt_log_filter filter = {0};
	struct wt_ctf_count count;
	struct wt_view_file file;
	int rc = wt_view_file_init(&file, log, &view, err);

	if (!rc)
		rc = wt_view_args_range(&args->view, &file, &filter, err);
	if (!rc)
		rc = wt_ctf_export(&file, &filter, args->output, &count, err);
	if (!rc && count.strings_cut)
		wt_warn("%llu strings hold zero bytes, which end a string in CTF: what follows was left out",
			(unsigned long long)count.strings_cut);
	if (!rc && wt_log_info(log)->n_damages)
		wt_warn("%s is damaged in %u places: what could not be read is not in the trace (wtrace "
			"verify)",
			args->view.path, wt_log_info(log)->n_damages);
	if (!rc)
		printf("%s: %llu events, %llu %s\n", args->output, (unsigned long long)count.events,
		       (unsigned long long)count.streams, count.streams == 1 ? "stream" : "streams");
	wt_view_file_deinit(&file);
	return rc;
}

int cmd_export(int argc, char **argv, struct wt_err *err)
{
	struct wt_log_reader *log;
	struct args args = {0};
	int rc;

	if (wt_options_parse(argc, argv, options, sizeof(options) / sizeof(options[0]), take_path, &args,
			     err) < 0)
		return -1;
	if (!args.view.path || !args.output)
		return wt_fail(err, WT_ERR_USAGE, "%s usage: wtrace export FILE -o FOLDER",
			       args.view.path ? "where to?" : "which log?");
	if (wt_log_open(args.view.path, &log, err))
		return -1;
	rc = export_log(&args, log, err);
	wt_log_close(log);
	return rc;
}
