// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/stat/args.h"
#include "tools/stat/text.h"
#include "consumers/counting/drive.h"
#include "consumers/session/workload.h"
#include "consumers/stat/report.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

const struct wt_option cmd_stat_options[] = {
	{.rows = wt_stat_options},
	WT_OPTIONS_END,
};

static struct wt_count_job job_of(const struct wt_stat_plan *plan)
{
	return (struct wt_count_job){
		.cores = &plan->cores,
		.list = &plan->list,
		.metrics = &plan->metrics,
		.aim = plan->aim,
		.by = plan->by,
		.command = plan->command,
		.length = plan->length,
		.ends_command = !plan->timeline || plan->ends,
		.timeline = plan->timeline,
		.gap = plan->gap,
		.n_counts = plan->n_counts,
	};
}

static int print(const struct wt_buf *text, struct wt_err *err)
{
	return wt_output_put(text, err) || wt_output_end(err) ? -1 : 0;
}

/* Runs the command once or repeatedly. */
static int run(struct wt_stat_args *args, struct wt_stat_plan *plan, int *code, struct wt_err *err)
{
	struct wt_stat_report report = {.args = args, .plan = plan, .text = wt_stat_text, .print = print};
	struct wt_count_drive drive = {.job = job_of(plan), .take = wt_stat_report_take, .ctx = &report};
	int rc = wt_stat_report_begin(&report, err);

	for (unsigned i = 0; !rc && i < plan->repeat && !drive.interrupted; i++) {
		drive.code = 0;
		rc = wt_count_drive(&drive, err);
		*code = drive.code ? drive.code : *code;
	}
	if (!rc)
		rc = wt_stat_report_end(&report, err);
	wt_stat_report_deinit(&report);
	return rc;
}

/* perf's -t TID. */
static int check_command(const struct wt_stat_args *args, const char *name, struct wt_err *err)
{
	char path[PATH_MAX];

	if (!wt_workload_find(name, path, err))
		return 0;
	if (args->timeline && name[0] && !name[strspn(name, "0123456789,")])
		wt_fail(err, WT_ERR_USAGE,
			"'%.80s' is no command; -t is the timeline, a thread is --tid %.80s", name, name);
	return -1;
}

/* From this number of seconds on, milliseconds in perf's style were probably meant. */
enum { MANY_SECONDS = 100 };

static void note_seconds(const char *timeout)
{
	if (!timeout[strspn(timeout, "0123456789")] && strtoul(timeout, NULL, 10) >= MANY_SECONDS)
		wt_note("--timeout %s is in seconds; milliseconds: --timeout %sms", timeout, timeout);
}

static int count(struct wt_stat_args *args, char **command, struct wt_err *err)
{
	struct wt_stat_plan plan;
	int code = 0, rc = wt_stat_plan_make(args, command, &plan, err);

	if (!rc && command && check_command(args, command[0], err)) {
		rc = -1;
		code = err->code == WT_ERR_USAGE ? WT_EXIT_USAGE : WT_EXIT_NO_COMMAND;
	}
	if (!rc && plan.by >= WT_BY_PROCESS && plan.aim.n_pids && !plan.aim.n_tids)
		wt_note("a thread or process that begins meanwhile counts for the one that starts it");
	if (!rc) {
		wt_workload_hold_signals();
		rc = run(args, &plan, &code, err);
	}
	wt_stat_plan_deinit(&plan);
	return rc && !code ? WT_EXIT_FAILED : code;
}

int cmd_stat(int argc, char **argv, struct wt_err *err)
{
	struct wt_stat_args args = {.slept = wt_stat_read_sleep(argc, argv)};
	int end, code = WT_EXIT_FAILED;
	end = wt_stat_args_parse(argc, argv, &args, err);
	if (end >= 0 && args.timeout)
		note_seconds(args.timeout);
	if (end >= 0 && argc == 1)
		wt_note("counts the whole machine until Ctrl-C; 'wtrace status' shows running sessions");
	if (end >= 0)
		code = count(&args, end < argc ? argv + end : NULL, err);
	wt_stat_args_deinit(&args);
	return code;
}
