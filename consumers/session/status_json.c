// SPDX-License-Identifier: MIT
#include "consumers/session/status_json.h"

#include "tracecore/event.h"
#include "tracecore/kernel_events.h"

const char *wt_status_cause(uint8_t cause)
{
	static const char *const texts[] = {
		[WT_LOSS_RING_FULL] = "ring full",
		[WT_LOSS_THROTTLED] = "throttled by the kernel",
		[WT_LOSS_DISK] = "disk full or slow",
		[WT_LOSS_DAMAGED] = "damaged ring",
		[WT_LOSS_CPU_OFFLINE] = "CPU offline",
		[WT_LOSS_RECORDER_DIED] = "recorder died",
		[WT_LOSS_MEMORY] = "memory bound",
		[WT_LOSS_TOO_LARGE] = "too large",
		[WT_LOSS_NO_LANE] = "no lane",
		[WT_LOSS_NO_SHARED_MEMORY] = "no shared memory",
		[WT_LOSS_OVERWRITTEN] = "overwritten",
		[WT_LOSS_NOT_SAMPLED] = "counted by the kernel, not sampled",
		[WT_LOSS_SHARE] = "over this user's share",
	};

	return cause < sizeof(texts) / sizeof(texts[0]) && texts[cause] ? texts[cause] : "unknown cause";
}

static const char *const stack_keys[WT_STACK_LAST + 1] = {
	[WT_STACK_NONE] = "none",         [WT_STACK_FP] = "frame_pointers",
	[WT_STACK_COMPLETE] = "complete", [WT_STACK_TRUNCATED] = "truncated",
	[WT_STACK_NO_USER] = "no_user",   [WT_STACK_LOST] = "lost",
	[WT_STACK_ASTRAY] = "astray",     [WT_STACK_PROBABLE] = "probable",
	[WT_STACK_NO_DATA] = "no_data",   [WT_STACK_BAD_MEMORY] = "bad_memory",
	[WT_STACK_DEPTH] = "depth",       [WT_STACK_RECURSION] = "recursion",
	[WT_STACK_SHORT] = "short",       [WT_STACK_COMPLETED] = "completed",
	[WT_STACK_WAITED] = "waited",
};

static void json_rows(struct wt_json *json, const struct wt_status *status)
{
	wt_json_array(json, "counts");
	for (uint32_t i = 0; i < status->n_rows; i++) {
		const struct wt_status_row *row = &status->rows[i];

		wt_json_object(json, NULL);
		wt_json_text(json, "provider", row->provider);
		wt_json_text(json, "event", row->event);
		if (row->cpu != WT_CPU_NONE)
			wt_json_number(json, "cpu", row->cpu);
		if (row->cause) {
			wt_json_text(json, "cause", wt_status_cause(row->cause));
			wt_json_number(json, "lost", row->count);
			wt_json_number(json, "blind_ns", row->blind_ns);
		} else {
			wt_json_number(json, "events", row->count);
		}
		wt_json_end_object(json);
	}
	wt_json_end_array(json);
}

static void json_stacks(struct wt_json *json, const struct wt_status_stacks *stacks)
{
	wt_json_object(json, "stacks");
	for (size_t i = 0; i <= WT_STACK_LAST; i++)
		wt_json_number(json, stack_keys[i], stacks->by_status[i]);
	wt_json_number(json, "tables", stacks->tables);
	wt_json_number(json, "tables_made", stacks->built);
	wt_json_number(json, "tables_failed", stacks->failed);
	wt_json_number(json, "waited_ns", stacks->waited_ns);
	wt_json_number(json, "given_up", stacks->given_up);
	wt_json_end_object(json);
}

static void json_buffers(struct wt_json *json, const struct wt_status *status)
{
	wt_json_object(json, "buffers");
	wt_json_number(json, "rings", status->user_rings);
	wt_json_number(json, "lanes", status->user_lanes);
	wt_json_number(json, "providers", status->user_providers);
	wt_json_number(json, "used", status->user_used);
	wt_json_number(json, "in_force", status->user_in_force);
	wt_json_number(json, "cap", status->user_cap);
	wt_json_number(json, "fullest_permille", status->fullest);
	wt_json_number(json, "held_ns", status->held_ns);
	wt_json_number(json, "advised_buffer_size", status->advice);
	wt_json_end_object(json);
}

static void json_numbers(struct wt_json *json, const struct wt_status *status)
{
	wt_json_number(json, "worker", status->worker_pid);
	wt_json_number(json, "keeper", status->keeper_pid);
	wt_json_number(json, "started_ns", status->started_realtime);
	wt_json_number(json, "elapsed_ns", status->elapsed);
	wt_json_number(json, "armed_after_ns", status->armed_after);
	wt_json_number(json, "events", status->events);
	wt_json_number(json, "bytes", status->bytes);
	wt_json_number(json, "lost", status->lost);
	wt_json_number(json, "blind_ns", status->blind_ns);
	wt_json_number(json, "late", status->late);
	wt_json_number(json, "segments", status->segments);
	wt_json_number(json, "takeovers", status->takeovers);
	wt_json_number(json, "processes", status->processes);
	wt_json_number(json, "threads", status->threads);
	wt_json_number(json, "images", status->images);
	wt_json_number(json, "ring_bytes", status->ring_bytes);
	wt_json_number(json, "cpu_ns", status->cpu_time);
	wt_json_number(json, "memory_bytes", status->memory);
	wt_json_bool(json, "exact", status->exact);
	wt_json_number(json, "event_rate", status->event_rate);
	wt_json_number(json, "byte_rate", status->byte_rate);
}

void wt_status_json(const struct wt_status *status, enum wt_report_kind kind, struct wt_buf *out)
{
	static const char *const states[] = {"started", "running", "stopped"};
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "session", status->session);
	wt_json_text(&json, "state", states[kind]);
	wt_json_text(&json, kind == WT_REPORT_STOPPED ? "file" : "spool", status->spool);
	wt_json_text(&json, "output", status->output);
	json_numbers(&json, status);
	json_buffers(&json, status);
	json_stacks(&json, &status->stacks);
	wt_json_text(&json, "nobody_registered", status->absent);
	wt_json_number(&json, "first_time", status->first_time);
	wt_json_number(&json, "last_time", status->last_time);
	wt_json_array(&json, "lines");
	for (uint32_t i = 0; i < status->n_lines; i++)
		wt_json_text(&json, NULL, status->lines[i]);
	wt_json_end_array(&json);
	json_rows(&json, status);
	wt_json_end_document(&json);
}

const char *wt_status_log(const struct wt_status *status)
{
	return status->output[0] ? status->output : status->spool;
}

void wt_status_brief_json(const struct wt_status *status, struct wt_json *json)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "session", status->session);
	wt_json_number(json, "worker", status->worker_pid);
	wt_json_number(json, "keeper", status->keeper_pid);
	wt_json_number(json, "elapsed_ns", status->elapsed);
	wt_json_number(json, "events", status->events);
	wt_json_number(json, "lost", status->lost);
	wt_json_text(json, "log", wt_status_log(status));
	wt_json_end_object(json);
}

void wt_recovered_json(const struct wt_recovered *recovered, const char *file, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", file);
	wt_json_number(&json, "events", recovered->events);
	wt_json_number(&json, "from_rings", recovered->from_rings);
	wt_json_number(&json, "rings", recovered->rings);
	wt_json_number(&json, "lost", recovered->lost);
	wt_json_number(&json, "damaged", recovered->damaged);
	wt_json_bool(&json, "unended", recovered->unended);
	wt_json_end_document(&json);
}
