// SPDX-License-Identifier: MIT
#include "consumers/stat/report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/write_all.h"

/* ---- the output ---- */

/* True when -o names the CSV of a timeline that is not JSON. */
static bool output_is_csv(const struct wt_stat_report *report)
{
	return report->plan->timeline && !report->plan->perf_lines && report->plan->form == WT_STAT_TEXT;
}

static bool has_csv(const struct wt_stat_report *report)
{
	return output_is_csv(report) || report->args->csv;
}

static int path_of(const struct wt_stat_report *report, struct wt_buf *ret, struct wt_err *err)
{
	if (report->args->directory && report->args->output[0] != '/')
		wt_buf_printf(ret, "%s/", report->args->directory);
	wt_buf_puts(ret, report->args->output);
	return ret->failed ? wt_fail_nomem(err) : 0;
}

static int open_csv(struct wt_stat_report *report, struct wt_err *err)
{
	struct wt_buf name = {0};
	int rc = wt_timeline_name(report->args, report->plan, &name, err);

	if (!rc)
		rc = wt_timeline_open_csv(&report->timeline, wt_buf_cstr(&name), err);
	if (!rc)
		wt_note("timeline file: '%s'", wt_buf_cstr(&name));
	wt_buf_deinit(&name);
	return rc;
}

static int open_output(struct wt_stat_report *report, struct wt_err *err)
{
	bool timeline_json = report->plan->timeline && report->plan->form == WT_STAT_JSON;
	struct wt_buf path = {0};
	int rc = path_of(report, &path, err);

	if (!rc && timeline_json)
		rc = wt_timeline_open_json(&report->timeline, report->plan, wt_buf_cstr(&path), err);
	if (!rc && !timeline_json) {
		report->fd = open(wt_buf_cstr(&path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (report->fd < 0)
			rc = wt_fail_errno(err, "cannot write %.300s", wt_buf_cstr(&path));
	}
	wt_buf_deinit(&path);
	return rc;
}

int wt_stat_report_begin(struct wt_stat_report *report, struct wt_err *err)
{
	report->timeline = (struct wt_timeline)WT_TIMELINE_NONE;
	report->fd = -1;
	if (has_csv(report) && open_csv(report, err))
		return -1;
	if (report->args->output && !(output_is_csv(report) && !report->args->csv))
		return open_output(report, err);
	return 0;
}

/* Writes the content of `out`. */
static int put(struct wt_stat_report *report, struct wt_err *err)
{
	int rc = 0;

	if (report->out.failed)
		return wt_fail_nomem(err);
	if (report->fd < 0)
		rc = report->print(&report->out, err);
	else if (wt_write_all(report->fd, report->out.data, report->out.len))
		return wt_fail_errno(err, "cannot write %.300s", report->args->output);
	wt_buf_clear(&report->out);
	return rc;
}

/* ---- the content ---- */

static void render(struct wt_stat_report *report, const struct wt_stat_found *found, double time)
{
	struct wt_json json = wt_json(&report->out);
	const char *separator = report->args->separator;

	switch (report->plan->form) {
	case WT_STAT_JSON:
		wt_stat_json(found, NULL, &json);
		wt_buf_puts(&report->out, "\n");
		break;
	case WT_STAT_LINES:
		wt_stat_lines(found, separator, time, &report->out);
		break;
	case WT_STAT_TEXT:
		if (!report->shown)
			wt_buf_puts(&report->out, "counting ... done\n");
		report->text(found, &report->out);
		break;
	}
	report->shown = true;
}

/* Adds items to one object: its beginning comes with the first item, its end at the end of the report. */
static void render_item(struct wt_stat_report *report, const struct wt_stat_found *found)
{
	struct wt_json json = wt_json(&report->out);

	if (!report->shown)
		wt_timeline_json_head(report->plan, &report->out);
	wt_buf_puts(&report->out, report->shown ? ",\n" : "\n");
	wt_stat_json(found, NULL, &json);
	report->shown = true;
}

static int add_count(struct wt_stat_report *report, const struct wt_stat_found *found, double time,
		     struct wt_err *err)
{
	if (wt_timeline_add(&report->timeline, report->args, found, time, err))
		return -1;
	if (report->plan->form == WT_STAT_JSON && report->timeline.json < 0)
		render_item(report, found);
	else if (report->plan->form == WT_STAT_LINES)
		render(report, found, time);
	else if (report->plan->form == WT_STAT_TEXT && report->plan->perf_lines)
		wt_stat_interval(found, time, report->timeline.n == 1, &report->out);
	else if (report->plan->form == WT_STAT_TEXT && wt_diag_enabled())
		render(report, found, time);
	return put(report, err);
}

static int keep(struct wt_stat_report *report, struct wt_count_result *result, struct wt_err *err)
{
	if (wt_grow_one(&report->kept, report->n_kept, err)) {
		wt_count_result_deinit(result);
		return -1;
	}
	report->kept[report->n_kept++] = *result;
	return 0;
}

/* Shows the mean, with the counters of the last run, which are still open. */
static int show_mean(struct wt_stat_report *report, const struct wt_counting *counting, struct wt_err *err)
{
	struct wt_stat_found found = {.plan = report->plan, .counting = counting};
	struct wt_count_result mean;

	if (wt_count_result_mean(report->kept, report->n_kept, report->plan->list.n, report->plan->metrics.n,
				 &mean, err))
		return -1;
	found.result = &mean;
	report->out.len = 0;
	report->shown = false;
	render(report, &found, 0);
	wt_count_result_deinit(&mean);
	return 0;
}

int wt_stat_report_take(void *ctx, const struct wt_counting *counting, struct wt_count_result *result,
			double time, struct wt_err *err)
{
	struct wt_stat_report *report = ctx;
	const struct wt_stat_found found = {report->plan, counting, result};
	int rc = 0;

	if (report->plan->repeat > 1) {
		rc = keep(report, result, err);
		return rc ? rc : show_mean(report, counting, err);
	}
	if (report->plan->timeline)
		rc = add_count(report, &found, time, err);
	else
		render(report, &found, time);
	wt_count_result_deinit(result);
	return rc;
}

int wt_stat_report_end(struct wt_stat_report *report, struct wt_err *err)
{
	if (report->plan->timeline && report->plan->form == WT_STAT_JSON && report->timeline.json < 0 &&
	    report->shown)
		wt_buf_puts(&report->out, "]}\n");
	if (output_is_csv(report) && isatty(STDOUT_FILENO) && report->fd < 0 && wt_diag_enabled())
		wt_timeline_sparks(&report->timeline, report->plan, &report->out);
	return put(report, err);
}

void wt_stat_report_deinit(struct wt_stat_report *report)
{
	for (size_t i = 0; i < report->n_kept; i++)
		wt_count_result_deinit(&report->kept[i]);
	free(report->kept);
	wt_timeline_deinit(&report->timeline);
	if (report->fd >= 0)
		close(report->fd);
	wt_buf_deinit(&report->out);
}
