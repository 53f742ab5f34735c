// SPDX-License-Identifier: MIT
/* Words that several forms of stat's output have (found.h). */
#include "consumers/stat/found.h"

#include <stdio.h>
#include <string.h>

#include "tracecore/base/plain.h"

void wt_stat_index(const struct wt_count_event *event, char ret[24])
{
	const struct wt_perf_spec *spec = &event->ways[0].spec;

	if (wt_count_event_is_cycles(event))
		snprintf(ret, 24, "fixed");
	else if (spec->type == WT_SPEC_RAW || spec->type > WT_SPEC_RAW)
		snprintf(ret, 24, "0x%llx", (unsigned long long)spec->config);
	else
		snprintf(ret, 24, "%s", wt_count_event_class(event));
}

void wt_stat_note(const struct wt_count_event *event, char ret[96])
{
	const char *comma = event->metric[0] ? "," : "";

	if (event->group >= 0)
		snprintf(ret, 96, "g%d%s%s", event->group, comma, event->metric);
	else
		snprintf(ret, 96, "e%s%s", comma, event->metric);
}

void wt_stat_turns(const struct wt_count_event *event, const struct wt_count_value *value, char ret[48])
{
	uint64_t counted, rounds;

	wt_count_turns(event, value->enabled, value->running, &counted, &rounds);
	snprintf(ret, 48, "%s%llu/%llu", counted < rounds ? "~" : "", (unsigned long long)counted,
		 (unsigned long long)rounds);
}

void wt_stat_whose(const struct wt_stat_found *found, const struct wt_count_row *row, char ret[160])
{
	const struct wt_stat_plan *plan = found->plan;

	if (row->cpu >= 0)
		snprintf(ret, 160, "core %d", row->cpu);
	else if (row->tid >= 0)
		snprintf(ret, 160, "thread %d (%s) of process %d", row->tid, row->comm, row->pid);
	else if (row->pid >= 0)
		snprintf(ret, 160, "process %d (%s)", row->pid, row->comm);
	else if (row != &found->result->total)
		snprintf(ret, 160, "cores of type %s", plan->cores.types[row->core].name);
	else if (plan->cgroup)
		snprintf(ret, 160, "control group %.120s", plan->cgroup);
	else if (wt_cpuset_count(&plan->aim.cpus))
		snprintf(ret, 160, plan->whole ? "the whole machine" : "the cores asked for");
	else if (plan->command)
		snprintf(ret, 160, "'%.140s'", plan->command[0]);
	else if (plan->aim.n_pids == 1)
		snprintf(ret, 160, "process %d", plan->aim.pids[0]);
	else
		snprintf(ret, 160, plan->aim.n_pids ? "the processes asked for" : "the threads asked for");
	wt_plain(ret, 160);
}

bool wt_stat_shows(const struct wt_stat_found *found, const struct wt_count_row *row, size_t event)
{
	const struct wt_count_value *value = &row->values[event];

	/* Default events that this machine does not have are not shown. */
	return value->state != WT_COUNT_ABSENT &&
	       !(value->state == WT_COUNT_UNAVAILABLE && found->plan->list.events[event].optional);
}

bool wt_stat_shows_metric(const struct wt_stat_found *found, const struct wt_count_row *row, size_t metric)
{
	const struct wt_metric_use *use = &found->plan->metrics.metrics[metric];
	const struct wt_pmu_metric *of = use->ways[row->core == WT_CORES_MIXED ? 0 : row->core].metric;
	const struct wt_count_list *list = &found->plan->list;

	if (!use->valued || !of || !of->shared)
		return use->valued;
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->events[i].metric, use->name) && wt_stat_shows(found, row, i))
			return true;
	return false;
}

const char *wt_stat_kernel(const struct wt_stat_found *found)
{
	switch (wt_counting_kernel_mode(found->counting)) {
	case WT_KERNEL_EXCLUDED:
		return "excluded";
	case WT_KERNEL_MIXED:
		return "as each event says";
	default:
		return "included";
	}
}

const char *wt_stat_no_count(const struct wt_count_value *value)
{
	return value->state == WT_COUNT_COUNTED       ? NULL
	       : value->state == WT_COUNT_UNAVAILABLE ? "not supported"
						      : "not counted";
}

size_t wt_stat_rows(const struct wt_count_result *result)
{
	return result->n_rows == 1 ? 1 : result->n_rows + 1;
}

const struct wt_count_row *wt_stat_row(const struct wt_count_result *result, size_t i)
{
	return i < result->n_rows ? &result->rows[i] : &result->total;
}
