// SPDX-License-Identifier: MIT
/* A line for each event: perf stat -x and perf stat -I. */
#include "consumers/stat/found.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/base/plain.h"
#include "tracecore/base/table.h"

/* "CPU0", "comm-TID": perf's words for the owner of a count. Empty for a total. */
static void whose(const struct wt_count_row *row, char ret[64])
{
	ret[0] = '\0';
	if (row->cpu >= 0)
		snprintf(ret, 64, "CPU%d", row->cpu);
	else if (row->tid >= 0 || row->pid >= 0)
		snprintf(ret, 64, "%s-%d", row->comm, row->tid >= 0 ? row->tid : row->pid);
	wt_plain(ret, 64);
}

static size_t n_rows(const struct wt_count_result *result)
{
	return result->n_rows ? result->n_rows : 1;
}

static const char *type_of(const struct wt_stat_found *found, const struct wt_count_row *row)
{
	return found->result->by == WT_BY_TYPE ? found->plan->cores.types[row->core].name : "";
}

/* The first field of a line. A process chooses its name: a separator in it would shift the fields. */
static void put_whose(const struct wt_stat_found *found, const struct wt_count_row *row,
		      const char *separator, struct wt_buf *out)
{
	char instead = strchr(separator, '_') ? ' ' : '_', who[64];
	const char *at = who;

	whose(row, who);
	if (!who[0])
		at = type_of(found, row);
	if (!*at)
		return;
	while (*at) {
		bool parts = !strncmp(at, separator, strlen(separator));

		wt_buf_put_u8(out, (uint8_t)(parts ? instead : *at));
		at += parts ? strlen(separator) : 1;
	}
	wt_buf_puts(out, separator);
}

/* The terms of a PMU's event are separated by commas. */
static void put_name(const char *name, const char *separator, struct wt_buf *out)
{
	const char *quote = strstr(name, separator) ? "\"" : "";

	wt_buf_printf(out, "%s%s%s%s", quote, name, quote, separator);
}

static void put_line(const struct wt_stat_found *found, const struct wt_count_row *row, size_t i,
		     const char *separator, struct wt_buf *out)
{
	const struct wt_count_event *event = &found->plan->list.events[i];
	const struct wt_count_value *value = &row->values[i];
	const char *no_count = wt_stat_no_count(value);

	put_whose(found, row, separator, out);
	if (no_count)
		wt_buf_printf(out, "<%s>%s", no_count, separator);
	else
		wt_buf_printf(out, "%.0f%s", value->scaled.value, separator);
	wt_buf_printf(out, "%s%s", wt_count_event_is_clock(event) ? "ns" : "", separator);
	put_name(event->name, separator, out);
	if (found->result->n_runs > 1)
		wt_buf_printf(out, "%.2f%%%s",
			      value->scaled.value > 0 ? 100 * value->deviation / sqrt(found->result->n_runs) /
								value->scaled.value
						      : 0,
			      separator);
	/* perf's last two fields are a metric and its unit. */
	wt_buf_printf(out, "%llu%s%.2f%s%s%s\n", (unsigned long long)value->running, separator,
		      value->enabled ? 100 * (double)value->running / (double)value->enabled : 100, separator,
		      separator, row->offline ? "offline" : "");
}

static void put_metric_line(const struct wt_stat_found *found, const struct wt_count_row *row, size_t i,
			    const char *separator, struct wt_buf *out)
{
	const struct wt_metric_value *value = &row->metrics[i];

	put_whose(found, row, separator, out);
	if (value->given)
		wt_buf_printf(out, "%.3f", value->span.value);
	else
		wt_buf_puts(out, "n/a");
	wt_buf_printf(out, "%s%sM@%s%s%s\n", separator, separator, found->plan->metrics.metrics[i].name,
		      separator, separator);
}

void wt_stat_lines(const struct wt_stat_found *found, const char *separator, double time, struct wt_buf *out)
{
	for (size_t r = 0; r < n_rows(found->result); r++) {
		const struct wt_count_row *row = wt_stat_row(found->result, r);

		for (size_t i = 0; i < found->plan->list.n; i++) {
			if (!wt_stat_shows(found, row, i))
				continue;
			if (found->plan->timeline)
				wt_buf_printf(out, "%.9f%s", time, separator);
			put_line(found, row, i, separator, out);
		}
		for (size_t i = 0; i < found->plan->metrics.n; i++) {
			if (!wt_stat_shows_metric(found, row, i))
				continue;
			if (found->plan->timeline)
				wt_buf_printf(out, "%.9f%s", time, separator);
			put_metric_line(found, row, i, separator, out);
		}
	}
}

static void put_interval(const struct wt_stat_found *found, const struct wt_count_row *row, size_t i,
			 double time, struct wt_buf *out)
{
	const struct wt_count_value *value = &row->values[i];
	struct wt_buf count = {0};
	char who[64];

	whose(row, who);
	if (wt_stat_no_count(value))
		wt_buf_printf(&count, "<%s>", wt_stat_no_count(value));
	else
		wt_commas(value->scaled.value, &count);
	wt_buf_printf(out, "%15.6f  ", time);
	if (found->result->n_rows)
		wt_buf_printf(out, "%-20s ", who[0] ? who : type_of(found, row));
	wt_buf_printf(out, "%18s  %s\n", wt_buf_cstr(&count), found->plan->list.events[i].name);
	wt_buf_deinit(&count);
}

void wt_stat_interval(const struct wt_stat_found *found, double time, bool first, struct wt_buf *out)
{
	if (first) {
		wt_buf_printf(out, "#%14s  ", "time");
		if (found->result->n_rows)
			wt_buf_printf(out, "%-20s ", "whose");
		wt_buf_printf(out, "%18s  %s\n", "counts", "events");
	}
	for (size_t r = 0; r < n_rows(found->result); r++) {
		const struct wt_count_row *row = wt_stat_row(found->result, r);

		for (size_t i = 0; i < found->plan->list.n; i++)
			if (wt_stat_shows(found, row, i))
				put_interval(found, row, i, time, out);
		for (size_t i = 0; i < found->plan->metrics.n; i++)
			if (found->plan->metrics.metrics[i].valued && row->metrics[i].given)
				wt_buf_printf(out, "%15.6f  %18.3f  M@%s\n", time, row->metrics[i].span.value,
					      found->plan->metrics.metrics[i].name);
	}
}
