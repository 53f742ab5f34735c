// SPDX-License-Identifier: MIT
/* Serves requests of commands in a running session. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumers/session/keeper.h"
#include "consumers/session/scope.h"
#include "consumers/session/worker.h"

/* A programs' side that began only in part would have rings that nobody reads: it is ended, and not tried
 * again. */
static int begin_programs(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;

	if (worker->no_programs)
		return wt_fail(
			err, WT_ERR_UNSUPPORTED,
			"this session failed to begin with programs' providers before; start another one");
	if (session->programs)
		return 0;
	if (wt_programs_open(session, &session->programs, err))
		return -1;
	if (!wt_programs_begin(session->programs, worker->rec, err))
		return 0;
	worker->no_programs = true;
	wt_programs_end(session->programs, NULL);
	return -1;
}

/* A change that was announced failed: the old rules stay. Returns -1 and leaves the caller's error. */
static int unchanged(struct wt_worker *worker)
{
	struct wt_err ignored = WT_ERR_INIT;

	wt_worker_put_rules(worker, &ignored);
	return -1;
}

/* Adds rules for programs' providers to a session that may have none yet. */
static int enable(struct wt_worker *worker, const struct wt_program_rule *rules, size_t n, struct wt_err *err)
{
	if (wt_scope_check(&worker->session->spec, rules, n, err) || begin_programs(worker, err))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (wt_worker_put_change(worker, rules[i].provider, "changes", err) < 0)
			return -1;
	if (wt_programs_enable(worker->session->programs, rules, n, err))
		return unchanged(worker);
	return wt_programs_copy_state(worker->session->programs, err) ? -1 : 0;
}

/* The keeper must have the rules in force. Returns 1 in a process that is a new keeper. */
static int rules_changed(struct wt_worker *worker, struct wt_err *err)
{
	return wt_worker_put_rules(worker, err) ? -1 : wt_keeper_renew(worker->session, err);
}

static int take_enable(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	uint16_t n = wt_cur_u16(body);
	struct wt_program_rule *rules;
	int rc = 0;

	if (!n || n > WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "a request to enable %u providers", n);
	rules = calloc(n, sizeof(*rules));
	if (!rules)
		return wt_fail_nomem(err);
	for (uint16_t i = 0; !rc && i < n; i++)
		rc = wt_program_rule_decode(body, &rules[i], err);
	if (!rc)
		rc = enable(worker, rules, n, err);
	free(rules);
	if (!rc)
		rc = rules_changed(worker, err);
	return rc ? rc : wt_wire_send_empty(fd, WT_MSG_ENABLE, err);
}

static int take_disable(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	char name[WT_SCHEMA_MAX_NAME + 1];
	int rc;

	wt_wire_string(body, name, sizeof(name));
	if (!worker->session->programs)
		return wt_fail(err, WT_ERR_NOTFOUND, "provider '%s' is not enabled in this session", name);
	if (wt_worker_put_change(worker, name, "off", err) < 0)
		return -1;
	rc = wt_programs_disable(worker->session->programs, name, err) ? unchanged(worker)
								       : rules_changed(worker, err);
	return rc ? rc : wt_wire_send_empty(fd, WT_MSG_DISABLE, err);
}

static int answer_status(struct wt_worker *worker, int fd, struct wt_err *err)
{
	struct wt_status status;
	int rc;

	if (wt_worker_drain(worker, WT_FLUSH_NOW, err) < 0 || wt_worker_status(worker, &status, err) < 0)
		return -1;
	rc = wt_worker_send_status(fd, WT_MSG_STATUS, &status, err);
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
	return rc < 0 ? -1 : wt_wire_send_empty(fd, WT_MSG_MARK, err);
}

static int take_unwritten(struct wt_worker *worker, int fd, struct wt_cursor *body, struct wt_err *err)
{
	uint64_t device = wt_cur_u64(body), inode = wt_cur_u64(body), since = wt_cur_u64(body);

	wt_file_watch_read(&worker->watch);
	if (body->bad || wt_file_watch_ask(&worker->watch, device, inode, since) != WT_FILE_NOT_WRITTEN)
		return wt_fail(err, WT_ERR_NOTFOUND, "the file may have been written");
	return wt_wire_send_empty(fd, WT_MSG_UNWRITTEN, err);
}

/* Returns a free slot, or that of the oldest connection: silent connections keep nobody out. */
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

/* Returns 1 in a process that is a new keeper. */
static int answer(struct wt_worker *worker, int fd, enum wt_msg_type type, struct wt_cursor *body,
		  struct wt_err *err)
{
	switch (type) {
	case WT_MSG_STATUS:
		return answer_status(worker, fd, err);
	case WT_MSG_MARK:
		return take_mark(worker, fd, body, err);
	case WT_MSG_ENABLE:
		return take_enable(worker, fd, body, err);
	case WT_MSG_DISABLE:
		return take_disable(worker, fd, body, err);
	case WT_MSG_UNWRITTEN:
		return take_unwritten(worker, fd, body, err);
	default:
		return wt_fail(err, WT_ERR_UNSUPPORTED, "this session does not know request %d", type);
	}
}

int wt_worker_serve(struct wt_worker *worker, int slot)
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
		return 0;
	}
	if (rc == 0 && (rc = answer(worker, fd, type, &body, &err)) > 0)
		return 1;
	if (rc < 0)
		wt_wire_send_error(fd, &err);
	if (rc != 0) {
		close(fd);
		worker->session->clients[slot] = -1;
	}
	return 0;
}
