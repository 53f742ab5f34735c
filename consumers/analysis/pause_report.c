// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_report.h"

#include <string.h>

#include "consumers/analysis/wait_batch.h"

const char *const wt_pause_states[WT_PAUSE_STATES] = {
	[WT_PAUSE_RUNNING] = "running",
	[WT_PAUSE_READY] = "ready",
	[WT_PAUSE_BLOCKED] = "blocked",
	[WT_PAUSE_UNKNOWN] = "unknown",
};

const char *const wt_pause_causes[WT_PAUSE_CAUSES] = {
	[WT_PAUSE_RAN] = "ran",
	[WT_PAUSE_CPU_TAKEN] = "cpu taken",
	[WT_PAUSE_CPU_FREE] = "cpu free",
	[WT_PAUSE_NO_CPU] = "no cpu",
	[WT_PAUSE_TIMER] = "timer",
	[WT_PAUSE_DISK] = "disk",
	[WT_PAUSE_NETWORK] = "network",
	[WT_PAUSE_INTERRUPT] = "interrupt",
	[WT_PAUSE_IDLE] = "idle thread",
	[WT_PAUSE_OPEN] = "not ended",
	[WT_PAUSE_NOT_KNOWN] = "not known",
	[WT_PAUSE_NO_TURN] = "not in the log",
	[WT_PAUSE_CONTRADICTION] = "contradiction",
};

void wt_pause_name(const struct wt_pause_report *report, uint32_t tid, struct wt_buf *out)
{
	const struct wt_log_process *process;
	const struct wt_log_thread *thread = wt_pause_thread(report->waits, tid, report->path.to, &process);

	if (thread)
		wt_text_escape(out, thread->name.p, thread->name.len);
	else
		wt_buf_puts(out, "?");
}

static bool is_library(struct wt_str module)
{
	struct wt_str name = wt_view_module_end(module);

	return (name.len >= 7 && !memcmp(name.p, "libc.so", 7)) ||
	       (name.len >= 3 && !memcmp(name.p, "ld-", 3));
}

/* Functions by which every thread leaves its CPU, and those that record it. */
static bool is_switch(struct wt_str name)
{
	static const char *const begins[] = {"__traceiter_", "perf_",      "trace_",
					     "schedule",     "__schedule", "preempt_schedule"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (name.len >= strlen(begins[i]) && !memcmp(name.p, begins[i], strlen(begins[i])))
			return true;
	return false;
}

int wt_pause_function(const struct wt_pause_report *report, uint32_t turn, struct wt_buf *out,
		      struct wt_err *err)
{
	const struct wt_pause_turn *of = turn == WT_PAUSE_NONE ? NULL : &report->path.turns[turn];
	struct wt_view_segment *segment = of ? &report->file->segments[of->segment] : NULL;
	const struct wt_log_segment *tables;
	struct wt_frame_name name;
	uint32_t best = 0;
	bool kernel = true, library = true;

	if (!of || !of->stack)
		return 0;
	if (wt_view_resolve(report->file, segment, err))
		return -1;
	tables = segment->tables;
	for (uint32_t stack = of->stack; stack && stack <= tables->n_stacks && library;
	     stack = tables->stacks[stack - 1].caller) {
		bool through;

		name = wt_view_leaf_name(report->file, segment, stack);
		through = best && kernel &&
			  is_switch(wt_view_leaf_name(report->file, segment, best).function);
		if (best && !through &&
		    (tables->stacks[stack - 1].kernel || (!kernel && is_library(name.module))))
			continue;
		best = stack;
		kernel = tables->stacks[stack - 1].kernel;
		library = kernel || is_library(name.module);
	}
	if (!best)
		return 0;
	name = wt_view_leaf_name(report->file, segment, best);
	wt_text_escape(out, name.function.p, name.function.len);
	return 0;
}

const char *wt_pause_word(const struct wt_pause_report *report, int field, uint64_t value)
{
	const struct wt_named *entry = wt_valmap_of_value(report->waits->fields[field].map, value);

	return entry ? entry->name : "?";
}
