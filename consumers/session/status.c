// SPDX-License-Identifier: MIT
/* A session's report about itself, while it runs and at its end. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/session/scope.h"
#include "consumers/session/worker.h"
#include "tracecore/base/foreign.h"

/* Room for the lines of a status: events, notes, diagnostics. */
#define MAX_STATUS_LINES 256
#define MAX_STATUS_ROWS  1024

/* RssAnon + RssShmem of this process, bytes. */
static uint64_t own_memory(void)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	uint64_t kib = 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = 0;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, "RssAnon:", 8) || !strncmp(line, "RssShmem:", 9))
			kib += strtoull(strchr(line, ':') + 1, NULL, 10);
	return kib * 1024;
}

static void add_line(struct wt_status *status, const char *prefix, const char *text)
{
	struct wt_buf line = {0};

	if (status->n_lines == MAX_STATUS_LINES)
		return;
	wt_buf_puts(&line, prefix);
	wt_text_escape(&line, text, strlen(text));
	status->lines[status->n_lines] = strdup(wt_buf_cstr(&line));
	if (status->lines[status->n_lines])
		status->n_lines++;
	wt_buf_deinit(&line);
}

static void add_user_line(void *ctx, const char *line)
{
	add_line(ctx, "", line);
}

static void add_scope(const struct wt_worker *worker, struct wt_status *ret)
{
	struct wt_buf text = {0};

	wt_scope_text(&worker->session->spec, &text);
	if (text.len)
		add_line(ret, "scope: ", wt_buf_cstr(&text));
	wt_buf_deinit(&text);
}

static void fill_lines(const struct wt_worker *worker, struct wt_status *ret)
{
	const struct wt_perf *perf = worker->session->perf;
	const struct wt_perf_note *notes;
	size_t n = wt_perf_notes(perf, &notes);

	add_scope(worker, ret);
	for (size_t i = 0; i < wt_perf_event_count(perf); i++)
		add_line(ret, "event: ", wt_perf_event_text(perf, i));
	/* Notes from the beginning are not repeated at the end. */
	for (size_t i = 0; i < n; i++)
		if (worker->rec || i >= worker->armed_notes)
			add_line(ret, notes[i].warning ? "warning: " : "", notes[i].text);
	for (uint32_t i = 0; i < worker->n_lines; i++)
		add_line(ret, "", worker->lines[i]);
	if (worker->session->programs)
		wt_programs_lines(worker->session->programs, add_user_line, ret);
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * 1e9 / (double)ns) : 0;
}

/* Rates over the last seconds; in a session's first seconds, since its start. */
static void fill_rates(const struct wt_worker *worker, struct wt_status *ret)
{
	const struct wt_log_stats *log = wt_log_writer_stats(worker->log);
	const struct wt_worker_pace *then = &worker->pace[0];
	uint64_t span = wt_clock_now() - (then->time ? then->time : worker->session->started);

	ret->event_rate = per_second(log->events - then->events, span);
	ret->byte_rate = per_second(log->bytes - then->bytes, span);
}

static bool overflowed(const struct wt_status *status)
{
	for (uint32_t i = 0; i < status->n_rows; i++)
		if (status->rows[i].cause == WT_LOSS_RING_FULL)
			return true;
	return false;
}

/* Names beyond the room are left out. */
static void add_absent(void *ctx, const char *provider)
{
	struct wt_status *status = ctx;
	size_t len = strlen(status->absent), left = sizeof(status->absent) - len;

	if (strlen(provider) + 2 < left)
		snprintf(status->absent + len, left, "%s%s", len ? "," : "", provider);
}

/* Computes how long the rings last at this rate, and the sufficient size if they overflowed. */
static void fill_user(const struct wt_worker *worker, struct wt_status *ret)
{
	const struct wt_worker_pace *then = &worker->pace[0];
	uint64_t now = wt_clock_now(), rate;
	struct wt_programs_sum sum;

	if (!worker->session->programs)
		return;
	wt_programs_sum(worker->session->programs, &sum);
	ret->user_rings = sum.rings.n_rings;
	ret->user_lanes = sum.rings.n_lanes;
	ret->user_providers = sum.providers;
	wt_programs_absent(worker->session->programs, add_absent, ret);
	ret->user_used = sum.rings.used;
	ret->user_in_force = sum.rings.in_force;
	ret->user_cap = sum.rings.cap;
	ret->fullest = sum.rings.most_used;
	ret->ring_bytes += sum.rings.in_force;
	/* The rings of ended programs no longer exist, but their losses still count. */
	if (overflowed(ret) || ret->fullest > 500)
		ret->advice = 4 * sum.ring_bytes;
	if (!sum.rings.n_rings)
		return;
	rate = per_second(sum.rings.written - then->ring_bytes,
			  now - (then->time ? then->time : worker->session->started));
	if (rate)
		ret->held_ns = (uint64_t)((double)sum.rings.cap / (double)rate * 1e9);
}

static void copy_rows(const struct wt_status *from, struct wt_status *ret)
{
	ret->n_rows = from->n_rows;
	memcpy(ret->rows, from->rows, from->n_rows * sizeof(*ret->rows));
}

static void fill_rows(const struct wt_worker *worker, struct wt_status *ret)
{
	const struct wt_kinds *kinds = &worker->session->kinds;
	const struct wt_recorder_count *counts;
	const struct wt_recorder_loss *losses;
	size_t n_counts = wt_recorder_counts(worker->rec, &counts);
	size_t n_losses = wt_recorder_losses(worker->rec, &losses);

	for (size_t i = 0; i < n_counts && ret->n_rows < MAX_STATUS_ROWS; i++) {
		struct wt_status_row *row = &ret->rows[ret->n_rows++];
		const struct wt_kind *kind = &kinds->kinds[counts[i].kind];

		snprintf(row->provider, sizeof(row->provider), "%s", kind->provider->name);
		snprintf(row->event, sizeof(row->event), "%s", kind->event->name);
		row->cpu = counts[i].cpu;
		row->count = counts[i].events;
	}
	for (size_t i = 0; i < n_losses && ret->n_rows < MAX_STATUS_ROWS; i++) {
		struct wt_status_row *row = &ret->rows[ret->n_rows++];

		snprintf(row->provider, sizeof(row->provider), "%s", losses[i].provider);
		snprintf(row->event, sizeof(row->event), "%s", losses[i].event);
		row->cpu = losses[i].cpu;
		row->cause = losses[i].cause;
		row->count = losses[i].count;
		row->blind_ns = losses[i].blind_ns;
	}
}

uint64_t wt_worker_cpu(const struct wt_worker *worker)
{
	uint64_t builder = worker->unwinder ? wt_unwinder_builder_cpu(worker->unwinder) : worker->builder_cpu;

	return wt_clock_process_cpu() + builder;
}

/* The figures are kept after the end of the unwinder. */
static void fill_stacks(const struct wt_worker *worker, struct wt_status *ret)
{
	struct wt_unwinder_stats stats;

	ret->stacks = worker->last.stacks;
	if (!worker->unwinder)
		return;
	wt_unwinder_stats(worker->unwinder, &stats);
	ret->stacks = (struct wt_status_stacks){
		.tables = stats.tables,
		.built = stats.built,
		.failed = stats.failed,
		.waited_ns = stats.waited_ns,
		.given_up = stats.given_up,
	};
	memcpy(ret->stacks.by_status, stats.by_status, sizeof(stats.by_status));
}

int wt_worker_status(const struct wt_worker *worker, struct wt_status *ret, struct wt_err *err)
{
	const struct wt_session *session = worker->session;
	const struct wt_log_stats *log = wt_log_writer_stats(worker->log);
	const struct wt_recorder_stats last = {.lost = worker->last.lost,
					       .blind_ns = worker->last.blind_ns,
					       .late = worker->last.late,
					       .processes = worker->last.processes,
					       .threads = worker->last.threads,
					       .images = worker->last.images};
	const struct wt_recorder_stats *rec = worker->rec ? wt_recorder_stats(worker->rec) : &last;

	*ret = (struct wt_status){
		.worker_pid = (uint32_t)getpid(),
		.keeper_pid = (uint32_t)session->keeper,
		.started_realtime = session->started_realtime,
		.elapsed = wt_clock_now() - session->started,
		.armed_after = worker->armed_after,
		.events = worker->earlier_events + log->events - log->trimmed_events,
		.bytes = worker->packed_bytes ? worker->packed_bytes : log->bytes,
		.lost = rec->lost,
		.blind_ns = rec->blind_ns,
		.late = rec->late,
		.segments = worker->earlier_segments + log->segments - log->trimmed_segments,
		.takeovers = session->takeovers,
		.processes = rec->processes,
		.threads = rec->threads,
		.images = rec->images,
		.ring_bytes = wt_perf_ring_bytes(session->perf),
		.cpu_time = wt_worker_cpu(worker),
		.memory = own_memory(),
		.first_time = worker->first_time ? worker->first_time : log->first_time,
		.last_time = log->last_time,
		.force = session->spec.force,
		.exact = worker->exact,
		.lines = calloc(MAX_STATUS_LINES, sizeof(*ret->lines)),
		.rows = calloc(MAX_STATUS_ROWS, sizeof(*ret->rows)),
	};
	if (!ret->lines || !ret->rows) {
		wt_status_deinit(ret);
		return wt_fail_nomem(err);
	}
	snprintf(ret->session, sizeof(ret->session), "%s", session->place.name);
	snprintf(ret->output, sizeof(ret->output), "%s", session->spec.output ? session->spec.output : "");
	snprintf(ret->spool, sizeof(ret->spool), "%s", worker->part);
	fill_lines(worker, ret);
	if (worker->rec)
		fill_rows(worker, ret);
	else
		copy_rows(&worker->last, ret);
	fill_rates(worker, ret);
	fill_stacks(worker, ret);
	fill_user(worker, ret);
	return 0;
}

int wt_worker_send_status(int fd, enum wt_msg_type type, const struct wt_status *status, struct wt_err *err)
{
	struct wt_buf message = {0};
	int rc;

	wt_wire_begin(&message, type);
	wt_status_encode(status, &message);
	rc = wt_wire_send(fd, &message, err);
	wt_buf_deinit(&message);
	return rc;
}
