// SPDX-License-Identifier: MIT
#include "consumers/stat/timeline.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/write_all.h"

/* ---- files ---- */

static int create(const char *path, struct wt_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	return fd < 0 ? wt_fail_errno(err, "cannot write %.300s", path) : fd;
}

#define AT_END UINT64_MAX

/* The place in the file; AT_END: after the last write. */
static int put_bytes(int fd, const struct wt_buf *text, uint64_t at, struct wt_err *err)
{
	int failed;

	if (text->failed)
		return wt_fail_nomem(err);
	failed = at == AT_END ? wt_write_all(fd, text->data, text->len)
			      : wt_write_all_at(fd, text->data, text->len, at);
	return failed ? wt_fail_errno(err, "cannot write the timeline") : 0;
}

static int first_cpu(const struct wt_stat_plan *plan)
{
	for (uint32_t cpu = 0; cpu < wt_cpuset_end(&plan->aim.cpus); cpu++)
		if (wt_cpuset_has(&plan->aim.cpus, cpu))
			return (int)cpu;
	return -1;
}

static void put_stamp(struct wt_buf *out)
{
	time_t now = time(NULL);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(text, sizeof(text), "%Y_%m_%d_%H_%M_%S", &tm);
	wt_buf_puts(out, text);
}

/* The text for the cores in file names: the first core that was asked for. */
static void put_core(const struct wt_stat_plan *plan, struct wt_buf *out)
{
	int cpu = first_cpu(plan);

	if (cpu < 0 || plan->whole)
		wt_buf_puts(out, plan->whole ? "system_side" : "tasks");
	else
		wt_buf_printf(out, "%d", cpu);
}

/* Returns the text after a placeholder; NULL: there is none at `at`. */
static const char *fill(const char *at, const struct wt_stat_plan *plan, struct wt_buf *out)
{
	if (!strncmp(at, "{timestamp}", 11)) {
		put_stamp(out);
		return at + 11;
	}
	if (!strncmp(at, "{class}", 7)) {
		wt_buf_puts(out, "core");
		return at + 7;
	}
	if (!strncmp(at, "{core}", 6)) {
		put_core(plan, out);
		return at + 6;
	}
	return NULL;
}

static int fill_template(const char *template, const struct wt_stat_plan *plan, struct wt_buf *out,
			 struct wt_err *err)
{
	for (const char *at = template; *at;) {
		const char *behind = *at == '{' ? fill(at, plan, out) : NULL;

		if (*at == '{' && !behind)
			return wt_fail(
				err, WT_ERR_USAGE,
				"--output-csv '%.200s': '%.40s' is none of {timestamp}, {class} and {core}",
				template, at);
		if (!behind)
			wt_buf_put_u8(out, (uint8_t)*at++);
		else
			at = behind;
	}
	return 0;
}

int wt_timeline_name(const struct wt_stat_args *args, const struct wt_stat_plan *plan, struct wt_buf *ret,
		     struct wt_err *err)
{
	const char *template = args->csv ? args->csv : args->output ? args->output : NULL;

	if (args->directory && !(template && template[0] == '/'))
		wt_buf_printf(ret, "%s/", args->directory);
	if (!template)
		template = first_cpu(plan) >= 0 && !plan->whole ? "wtrace_core_{core}_{timestamp}.{class}.csv"
								: "wtrace_{core}_{timestamp}.{class}.csv";
	if (fill_template(template, plan, ret, err))
		return -1;
	return ret->failed ? wt_fail_nomem(err) : 0;
}

int wt_timeline_open_csv(struct wt_timeline *timeline, const char *path, struct wt_err *err)
{
	timeline->csv = create(path, err);
	return timeline->csv < 0 ? -1 : 0;
}

void wt_timeline_json_head(const struct wt_stat_plan *plan, struct wt_buf *out)
{
	wt_buf_printf(
		out,
		"{\"count_duration\":%.2f,\"count_interval\":%.2f,\"count_timeline\":%llu,\"timeline\":[",
		(double)plan->length / (double)WT_NSEC, (double)plan->gap / (double)WT_NSEC,
		(unsigned long long)plan->n_counts);
}

int wt_timeline_open_json(struct wt_timeline *timeline, const struct wt_stat_plan *plan, const char *path,
			  struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc;

	timeline->json = create(path, err);
	if (timeline->json < 0)
		return -1;
	wt_timeline_json_head(plan, &text);
	timeline->json_end = text.len;
	wt_buf_puts(&text, "]}\n");
	rc = put_bytes(timeline->json, &text, 0, err);
	wt_buf_deinit(&text);
	return rc;
}

void wt_timeline_deinit(struct wt_timeline *timeline)
{
	if (timeline->csv >= 0)
		close(timeline->csv);
	if (timeline->json >= 0)
		close(timeline->json);
	free(timeline->sparks);
	*timeline = (struct wt_timeline)WT_TIMELINE_NONE;
}

/* ---- CSV ---- */

static void each_column(const struct wt_stat_found *found, bool multiplexed,
			void (*put)(const struct wt_stat_found *found, const struct wt_count_row *row,
				    size_t event, bool turns, size_t metric, struct wt_buf *out),
			struct wt_buf *out)
{
	const struct wt_count_result *result = found->result;
	size_t n_rows = result->n_rows ? result->n_rows : 1;

	for (size_t r = 0; r < n_rows; r++)
		for (size_t i = 0; i < found->plan->list.n; i++) {
			if (!wt_stat_shows(found, wt_stat_row(result, r), i))
				continue;
			put(found, wt_stat_row(result, r), i, false, SIZE_MAX, out);
			if (multiplexed)
				put(found, wt_stat_row(result, r), i, true, SIZE_MAX, out);
		}
	for (size_t r = 0; r < n_rows; r++)
		for (size_t i = 0; i < found->plan->metrics.n; i++)
			if (found->plan->metrics.metrics[i].valued)
				put(found, wt_stat_row(result, r), SIZE_MAX, false, i, out);
}

static void put_whose(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event,
		      bool turns, size_t metric, struct wt_buf *out)
{
	char whose[160];

	(void)event;
	(void)turns;
	(void)metric;
	wt_stat_whose(found, row, whose);
	for (char *p = whose; *p; p++)
		*p = *p == ',' || *p == '\n' || *p == '\r' ? ' ' : *p;
	wt_buf_printf(out, "%s,", whose);
}

/* The name of a PMU's event may contain commas. */
static void put_name(const char *name, struct wt_buf *out)
{
	wt_buf_printf(out, strpbrk(name, ",\"") ? "\"%s\"," : "%s,", name);
}

static void put_what(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event,
		     bool turns, size_t metric, struct wt_buf *out)
{
	(void)row;
	if (metric != SIZE_MAX)
		wt_buf_printf(out, "M@%s,", found->plan->metrics.metrics[metric].name);
	else if (turns)
		wt_buf_puts(out, "sched_times,");
	else
		put_name(found->plan->list.events[event].name, out);
}

static void put_value(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event,
		      bool turns, size_t metric, struct wt_buf *out)
{
	const struct wt_count_value *value = event == SIZE_MAX ? NULL : &row->values[event];
	char text[48];

	/* Every number in the file is from a whole count. */
	if (row->offline && row->cpu >= 0)
		wt_buf_puts(out, "n/a,");
	else if (metric != SIZE_MAX && row->metrics[metric].given)
		wt_buf_printf(out, "%.3f,", row->metrics[metric].span.value);
	else if (!value || wt_stat_no_count(value))
		wt_buf_puts(out, "n/a,");
	else if (!turns)
		wt_buf_printf(out, "%.0f,", value->scaled.value);
	else {
		wt_stat_turns(&found->plan->list.events[event], value, text);
		text[strcspn(text, "/")] = '\0';
		wt_buf_printf(out, "%s,", text[0] == '~' ? text + 1 : text);
	}
}

static void put_head(const struct wt_stat_args *args, const struct wt_stat_found *found, bool multiplexed,
		     struct wt_buf *out)
{
	const struct wt_stat_plan *plan = found->plan;
	const char *vendor = plan->cores.types[0].model->vendor;

	wt_buf_printf(out, "Multiplexing,%s\n", multiplexed ? "TRUE" : "FALSE");
	wt_buf_printf(out, "Kernel mode,%s\n", strcmp(wt_stat_kernel(found), "excluded") ? "TRUE" : "FALSE");
	wt_buf_printf(out, "Count interval,%.2f\n", (double)plan->gap / (double)WT_NSEC);
	wt_buf_printf(out, "Vendor,%s\n", vendor && vendor[0] ? vendor : "unknown");
	wt_buf_puts(out, "Event class,core\n\n");
	wt_buf_puts(out, args->with_time ? "," : "");
	each_column(found, multiplexed, put_whose, out);
	wt_buf_puts(out, args->with_time ? "\ntime," : "\n");
	each_column(found, multiplexed, put_what, out);
	wt_buf_puts(out, "\n");
}

static int add_csv(struct wt_timeline *timeline, const struct wt_stat_args *args,
		   const struct wt_stat_found *found, double time, struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc;

	if (!timeline->headed) {
		timeline->multiplexed = found->result->multiplexed;
		put_head(args, found, timeline->multiplexed, &text);
	}
	timeline->headed = true;
	if (args->with_time)
		wt_buf_printf(&text, "%.6f,", time);
	each_column(found, timeline->multiplexed, put_value, &text);
	wt_buf_puts(&text, "\n");
	rc = put_bytes(timeline->csv, &text, AT_END, err);
	wt_buf_deinit(&text);
	return rc;
}

/* ---- JSON ---- */

/* The new item overwrites the end, and a new end follows it: one write. */
static int add_json(struct wt_timeline *timeline, const struct wt_stat_found *found, struct wt_err *err)
{
	struct wt_buf text = {0};
	struct wt_json json = wt_json(&text);
	size_t item;
	int rc;

	wt_buf_puts(&text, timeline->n ? ",\n" : "\n");
	wt_stat_json(found, NULL, &json);
	item = text.len;
	wt_buf_puts(&text, "]}\n");
	rc = put_bytes(timeline->json, &text, timeline->json_end, err);
	timeline->json_end += item;
	wt_buf_deinit(&text);
	return rc;
}

/* ---- output on a terminal ---- */

static int add_sparks(struct wt_timeline *timeline, const struct wt_stat_found *found, struct wt_err *err)
{
	size_t n = found->plan->list.n;

	if (!timeline->sparks && !(timeline->sparks = calloc(n + 1, WT_SPARKS * sizeof(*timeline->sparks))))
		return wt_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const struct wt_count_value *value = &found->result->total.values[i];

		timeline->sparks[i * WT_SPARKS + timeline->n % WT_SPARKS] = wt_stat_no_count(value)
										    ? -1
										    : value->scaled.value;
	}
	return 0;
}

static void put_sparks(const double *counts, uint64_t first, uint64_t n, struct wt_buf *out)
{
	static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	double most = 0;

	for (uint64_t i = first; i < n; i++)
		most = fmax(most, counts[i % WT_SPARKS]);
	for (uint64_t i = first; i < n; i++) {
		double count = counts[i % WT_SPARKS];

		wt_buf_puts(out, count < 0 ? "?" : bars[most > 0 ? (size_t)(7 * count / most) : 0]);
	}
	wt_buf_puts(out, "  at most ");
	wt_buf_printf(out, "%.0f", most);
}

void wt_timeline_sparks(const struct wt_timeline *timeline, const struct wt_stat_plan *plan,
			struct wt_buf *out)
{
	uint64_t first = timeline->n > WT_SPARKS ? timeline->n - WT_SPARKS : 0;
	int width = 0;

	for (size_t i = 0; i < plan->list.n; i++)
		width = (int)strlen(plan->list.events[i].name) > width
				? (int)strlen(plan->list.events[i].name)
				: width;
	wt_buf_puts(out, "\n");
	for (size_t i = 0; timeline->sparks && i < plan->list.n; i++) {
		wt_buf_printf(out, "        %-*s  ", width, plan->list.events[i].name);
		put_sparks(timeline->sparks + i * WT_SPARKS, first, timeline->n, out);
		wt_buf_puts(out, "\n");
	}
}

int wt_timeline_add(struct wt_timeline *timeline, const struct wt_stat_args *args,
		    const struct wt_stat_found *found, double time, struct wt_err *err)
{
	if (timeline->csv >= 0 && add_csv(timeline, args, found, time, err))
		return -1;
	if (timeline->json >= 0 && add_json(timeline, found, err))
		return -1;
	if (add_sparks(timeline, found, err))
		return -1;
	timeline->n++;
	return 0;
}
