// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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
	for (size_t i = 0; i < n; i++)
		add_line(ret, notes[i].warning ? "warning: " : "", notes[i].text);
	for (uint32_t i = 0; i < worker->n_lines; i++)
		add_line(ret, "", worker->lines[i]);
	if (worker->session->user)
		wt_user_lines(worker->session->user, add_user_line, ret);
}

static uint64_t per_second(uint64_t count, uint64_t ns)
{
	return ns ? (uint64_t)((double)count * 1e9 / (double)ns) : 0;
}

/* Rates over the last seconds; the first ones of a session count from its start. */
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

/* What does not fit is left out. */
static void add_absent(void *ctx, const char *provider)
{
	struct wt_status *status = ctx;
	size_t len = strlen(status->absent), left = sizeof(status->absent) - len;

	if (strlen(provider) + 2 < left)
		snprintf(status->absent + len, left, "%s%s", len ? "," : "", provider);
}

/* How long the rings last at this rate, and what size would do when they did not. */
static void fill_user(const struct wt_worker *worker, struct wt_status *ret)
{
	const struct wt_worker_pace *then = &worker->pace[0];
	uint64_t now = wt_clock_now(), rate;
	struct wt_user_sum sum;

	if (!worker->session->user)
		return;
	wt_user_sum(worker->session->user, &sum);
	ret->user_rings = sum.rings.n_rings;
	ret->user_lanes = sum.rings.n_lanes;
	ret->user_providers = sum.providers;
	wt_user_absent(worker->session->user, add_absent, ret);
	ret->user_used = sum.rings.used;
	ret->user_in_force = sum.rings.in_force;
	ret->user_cap = sum.rings.cap;
	ret->fullest = sum.rings.most_used;
	ret->ring_bytes += sum.rings.in_force;
	/* Programs that have ended took their rings along, not what they lost. */
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

/* Kept over the end of the unwinder. */
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

int wt_worker_answer_status(int fd, enum wt_msg_type type, const struct wt_status *status, struct wt_err *err)
{
	struct wt_buf message = {0};
	int rc;

	wt_wire_begin(&message, type);
	wt_status_encode(status, &message);
	rc = wt_wire_send(fd, &message, err);
	wt_buf_deinit(&message);
	return rc;
}

static void answer_error(int fd, const struct wt_err *why)
{
	struct wt_buf message = {0};

	wt_wire_begin(&message, WT_MSG_ERROR);
	wt_buf_put_u32(&message, why->code);
	wt_buf_put_counted(&message, why->text, strlen(why->text));
	wt_wire_send(fd, &message, NULL);
	wt_buf_deinit(&message);
}

static int answer_empty(int fd, enum wt_msg_type type, struct wt_err *err)
{
	struct wt_buf message = {0};
	int rc;

	wt_wire_begin(&message, type);
	rc = wt_wire_send(fd, &message, err);
	wt_buf_deinit(&message);
	return rc;
}

/* What is begun by half would have rings that nobody reads: it is ended, and not tried again. */
static int begin_user(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;

	if (worker->no_programs)
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"this session could not take in programs' providers before; start another one");
	if (session->user)
		return 0;
	if (wt_user_open(session, &session->user, err))
		return -1;
	if (!wt_user_begin(session->user, worker->rec, err))
		return 0;
	worker->no_programs = true;
	wt_user_end(session->user, NULL);
	return -1;
}

/* Rules for programs' providers, in a session that may have had none so far. */
static int enable(struct wt_worker *worker, const struct wt_user_rule *rules, size_t n, struct wt_err *err)
{
	if (wt_scope_check(&worker->session->spec, rules, n, err) || begin_user(worker, err))
		return -1;
	if (wt_user_enable(worker->session->user, rules, n, err) ||
	    wt_user_copy_state(worker->session->user, err))
		return -1;
	return 0;
}

/* The keeper must know the rules that are in force. */
static int rules_changed(struct wt_worker *worker, struct wt_err *err)
{
	return wt_worker_put_rules(worker, err) || wt_worker_renew_keeper(worker, err) ? -1 : 0;
}

static int take_enable(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	uint16_t n = wt_cur_u16(body);
	struct wt_user_rule *rules;
	int rc = 0;

	if (!n || n > WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "a request to enable %u providers", n);
	rules = calloc(n, sizeof(*rules));
	if (!rules)
		return wt_fail_nomem(err);
	for (uint16_t i = 0; !rc && i < n; i++)
		rc = wt_user_rule_decode(body, &rules[i], err);
	if (!rc)
		rc = enable(worker, rules, n, err);
	free(rules);
	if (!rc)
		rc = rules_changed(worker, err);
	return rc ? -1 : answer_empty(fd, WT_MSG_ENABLE, err);
}

static int take_disable(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	char name[WT_SCHEMA_MAX_NAME + 1];

	wt_wire_string(body, name, sizeof(name));
	if (!worker->session->user)
		return wt_fail(err, WT_ERR_NOTFOUND, "provider '%s' is not enabled in this session", name);
	if (wt_user_disable(worker->session->user, name, err) || rules_changed(worker, err))
		return -1;
	return answer_empty(fd, WT_MSG_DISABLE, err);
}

static int answer_status(struct wt_worker *worker, int fd, struct wt_err *err)
{
	struct wt_status status;
	int rc;

	if (wt_worker_drain(worker, WT_FLUSH_NOW, err) < 0 || wt_worker_status(worker, &status, err) < 0)
		return -1;
	rc = wt_worker_answer_status(fd, WT_MSG_STATUS, &status, err);
	wt_status_deinit(&status);
	return rc;
}

static int take_mark(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	struct wt_buf payload = {0};
	size_t len = wt_cur_u16(body);
	const uint8_t *text = wt_cur_bytes(body, len);
	int rc;

	if (!text)
		return wt_fail(err, WT_ERR_FORMAT, "a mark without its text");
	wt_buf_put_counted(&payload, text, len);
	wt_buf_put_u32(&payload, wt_wire_peer_uid(fd));
	rc = wt_worker_notice(worker, "mark", &payload, err);
	wt_buf_deinit(&payload);
	return rc < 0 ? -1 : answer_empty(fd, WT_MSG_MARK, err);
}

/* A free place, or that of the one connected longest: connections that say nothing keep nobody away. */
static int place_for_client(struct wt_session *session)
{
	int oldest = 0;

	for (int i = 0; i < WT_SESSION_CLIENTS; i++) {
		if (session->clients[i] < 0)
			return i;
		if (session->client_numbers[i] < session->client_numbers[oldest])
			oldest = i;
	}
	close(session->clients[oldest]);
	return oldest;
}

void wt_worker_accept(struct wt_worker *worker)
{
	struct wt_session *session = worker->session;
	int fd = accept4(session->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), i;

	if (fd < 0)
		return;
	if (!wt_wire_peer_allowed(fd)) {
		close(fd);
		return;
	}
	i = place_for_client(session);
	session->clients[i] = fd;
	session->client_numbers[i] = ++session->n_accepted;
}

void wt_worker_serve(struct wt_worker *worker, int slot)
{
	static uint8_t buffer[WT_WIRE_MAX];
	struct wt_err err = WT_ERR_INIT;
	enum wt_msg_type type = WT_MSG_ERROR;
	int fd = worker->session->clients[slot];
	struct wt_cursor body;
	int rc = wt_wire_receive(fd, 0, buffer, &type, &body, &err);

	if (rc == 0 && type == WT_MSG_STOP && worker->session->stop_client < 0) {
		worker->session->stop_client = fd;
		worker->session->clients[slot] = -1;
		wt_wire_string(&body, worker->stop_target, sizeof(worker->stop_target));
		worker->stopping = true;
		return;
	}
	if (rc == 0 && type == WT_MSG_STATUS)
		rc = answer_status(worker, fd, &err);
	else if (rc == 0 && type == WT_MSG_MARK)
		rc = take_mark(worker, fd, &body, &err);
	else if (rc == 0 && type == WT_MSG_ENABLE)
		rc = take_enable(worker, fd, &body, &err);
	else if (rc == 0 && type == WT_MSG_DISABLE)
		rc = take_disable(worker, fd, &body, &err);
	else if (rc == 0)
		rc = wt_fail(&err, WT_ERR_UNSUPPORTED, "this session does not know request %d", type);
	if (rc < 0)
		answer_error(fd, &err);
	if (rc != 0) {
		close(fd);
		worker->session->clients[slot] = -1;
	}
}
