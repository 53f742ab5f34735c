// SPDX-License-Identifier: MIT
#include "tools/stat/args.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "consumers/counting/length.h"

/* Lists given several times are joined to one list. */
static int append(struct wt_buf *list, const char *value)
{
	wt_buf_puts(list, list->len ? "," : "");
	wt_buf_puts(list, value);
	return 0;
}

static int set_events(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_stat_args *args = ctx;

	if (!value[0])
		return wt_fail(err, WT_ERR_USAGE, "--%s needs the names of events: it is empty",
			       option->name);
	return append(&args->events, value);
}

static int set_metrics(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_stat_args *args = ctx;

	if (!value[0])
		return wt_fail(err, WT_ERR_USAGE, "--%s needs the names of metrics: it is empty",
			       option->name);
	return append(&args->metrics, value);
}

/* -C 0,1 is perf's option for CPUs, -C FILE wperf's for custom metrics. */
static int set_own(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_stat_args *args = ctx;
	bool list = value[0] && !value[strspn(value, "0123456789,-")] && access(value, F_OK) != 0;
	const char **at = list ? &args->cpus : &args->own;

	if (*at)
		return wt_fail(err, WT_ERR_USAGE, "%s are given twice", list ? "CPUs" : option->name);
	*at = value;
	return 0;
}

/* perf's word for a tab, which shells do not translate. */
static int set_separator(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_stat_args *args = ctx;

	if (args->separator)
		return wt_fail(err, WT_ERR_USAGE, "--%s is given twice", option->name);
	args->separator = strcmp(value, "\\t") ? value : "\t";
	return 0;
}

const struct wt_option wt_stat_options[] = {
	{"event", 'e', "LIST",
	 "events with commas, groups between braces: a,b,{c,d}; names, rHEX, PMU/TERM=VALUE/, "
	 "SUBSYSTEM:EVENT; :u or :k after an event: only in user or kernel mode",
	 .set = set_events, .values = "@events"},
	{"metric", 'm', "LIST", "metrics of the CPU's model and groups of metrics", .set = set_metrics},
	{"cpu", 'c', "LIST", "these CPUs, as in 0,3-5, and all code that runs on them",
	 WT_TEXT(struct wt_stat_args, cpus)},
	{"all-cpus", 'a', NULL, "all CPUs, as one sum", WT_FLAG(struct wt_stat_args, all)},
	{"pid", 'p', "LIST", "these processes: their threads, and the threads and processes that these start",
	 WT_TEXT(struct wt_stat_args, pids)},
	{"tid", 0, "LIST", "only these threads", WT_TEXT(struct wt_stat_args, tids)},
	{"cgroup", 0, "DIR", "only this control group: a directory, or a path below /sys/fs/cgroup",
	 WT_TEXT(struct wt_stat_args, cgroup)},
	{"kernel", 'k', NULL, "hardware events count in kernel mode as well",
	 WT_FLAG(struct wt_stat_args, kernel)},
	{"by", 0, "KEY", "a table for each cpu, type of core, process or thread, or only for the total",
	 WT_TEXT(struct wt_stat_args, by), .values = "cpu type process thread total"},
	{"timeout", 0, "T", "count for T: 10, 1.5s, 200ms, 2m, 1h, 1d; a command then gets SIGTERM",
	 WT_TEXT(struct wt_stat_args, timeout)},
	{"repeat", 'r', "N", "run the command N times: mean and deviation",
	 WT_TEXT(struct wt_stat_args, repeat)},
	{"timeline", 't', NULL,
	 "count again and again, into a CSV file; --timeout is the length of a count (1s)",
	 WT_FLAG(struct wt_stat_args, timeline)},
	{"interval", 'i', "T", "timeline: time between two counts (60s)",
	 WT_TEXT(struct wt_stat_args, interval)},
	{"count", 'n', "N", "timeline: number of counts; 0: until Ctrl-C (0)",
	 WT_TEXT(struct wt_stat_args, count)},
	{"interval-print", 'I', "MS", "print the counts every MS milliseconds",
	 WT_TEXT(struct wt_stat_args, every)},
	{"output-csv", 0, "FILE", "timeline: its CSV file; {timestamp}, {class} and {core} are filled in",
	 WT_TEXT(struct wt_stat_args, csv), .values = "@files"},
	{"output-prefix", 0, "DIR", "directory of output files", WT_TEXT(struct wt_stat_args, directory),
	 .values = "@files"},
	{"csv-time", 0, NULL, "timeline: a first column with the time of each count, in seconds",
	 WT_FLAG(struct wt_stat_args, with_time)},
	{"output", 'o', "FILE",
	 "write the result to FILE: JSON where the name ends in .json, the timeline's CSV with -t, else the "
	 "table",
	 WT_TEXT(struct wt_stat_args, output), .values = "@files"},
	{"json", 0, NULL, "JSON instead of tables", WT_FLAG(struct wt_stat_args, json)},
	{"field-separator", 'x', "SEP",
	 "a line for each event, with SEP between its fields, instead of tables; \\t is a tab",
	 .set = set_separator},
	{"detailed", 'd', NULL, "count cache events too", WT_FLAG(struct wt_stat_args, detailed)},
	{"metrics-file", 'C', "FILE", "metrics of your own: lines NAME:{EVENT,EVENT} or NAME=FORMULA",
	 .set = set_own, .values = "@files"},
	{"events-file", 'E', "FILE", "events of your own: NAME:HEX with commas, or a file of them",
	 WT_TEXT(struct wt_stat_args, own_events), .values = "@files"},
	{"telemetry", 0, "FILE", "a vendor's JSON file of events and metrics for this CPU",
	 WT_TEXT(struct wt_stat_args, telemetry), .values = "@files"},
	WT_OPTIONS_END,
};

bool wt_stat_read_sleep(int argc, char **argv)
{
	static char timeout[] = "--timeout";
	uint64_t unused;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0;
	     i += wt_options_takes(wt_stat_options, argv[i]) == 2 ? 2 : 1)
		if (!strncmp(argv[i], timeout, sizeof(timeout) - 1))
			return false; /* the program whose time is limited */
	if (i + 1 < argc && !strcmp(argv[i], "sleep") && wt_length_parse(argv[i + 1], &unused) &&
	    (i + 2 == argc || (argv[i + 2][0] == '-' && isalpha((unsigned char)argv[i + 2][1])) ||
	     !strncmp(argv[i + 2], "--", 2))) {
		argv[i] = timeout;
		return true;
	}
	return false;
}

int wt_stat_args_parse(int argc, char **argv, struct wt_stat_args *ret, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, wt_stat_options, wt_begin_command, ret, err);

	if (end > 0 && end == argc && !strcmp(argv[argc - 1], "--"))
		return wt_fail(err, WT_ERR_USAGE,
			       "no command after '--': wtrace stat [options] -- COMMAND [ARG...]");
	if (ret->events.failed || ret->metrics.failed)
		return wt_fail_nomem(err);
	return end;
}

void wt_stat_args_deinit(struct wt_stat_args *args)
{
	wt_buf_deinit(&args->events);
	wt_buf_deinit(&args->metrics);
}
