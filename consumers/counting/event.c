// SPDX-License-Identifier: MIT
#include "consumers/counting/event.h"

#include "providers/perf/counter.h"

const char *wt_count_event_class(const struct wt_count_event *event)
{
	const struct wt_perf_spec *spec = &event->ways[0].spec;

	if (wt_counter_is_hardware(spec))
		return "hw";
	return spec->type == WT_SPEC_SOFTWARE ? "sw" : spec->type == WT_SPEC_TRACEPOINT ? "tp" : "pmu";
}

bool wt_count_event_is_clock(const struct wt_count_event *event)
{
	const struct wt_perf_spec *spec = &event->ways[0].spec;

	/* PERF_COUNT_SW_CPU_CLOCK and PERF_COUNT_SW_TASK_CLOCK */
	return spec->type == WT_SPEC_SOFTWARE && spec->config < 2;
}

bool wt_count_event_is_cycles(const struct wt_count_event *event)
{
	const struct wt_perf_spec *spec = &event->ways[0].spec;

	return spec->type == WT_SPEC_HARDWARE && (spec->config & UINT32_MAX) == 0;
}
