// SPDX-License-Identifier: MIT
#include "consumers/session/wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WIRE_MAGIC   0x31535457u /* "WTS1" */
#define WIRE_VERSION 4

/* More than any session sends; a message could not hold more. */
#define MAX_LINES 1024
#define MAX_ROWS  4096

void wt_wire_begin(struct wt_buf *out, enum wt_msg_type type)
{
	wt_buf_clear(out);
	wt_buf_put_u32(out, WIRE_MAGIC);
	wt_buf_put_u16(out, WIRE_VERSION);
	wt_buf_put_u16(out, (uint16_t)type);
}

int wt_wire_send(int fd, const struct wt_buf *message, struct wt_err *err)
{
	if (message->failed)
		return wt_fail_nomem(err);
	if (message->len > WT_WIRE_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "a control message of %zu bytes is over the bound of %d",
			       message->len, WT_WIRE_MAX);
	if (send(fd, message->data, message->len, MSG_NOSIGNAL) < 0)
		return wt_fail_errno(err, "cannot send to the session");
	return 0;
}

int wt_wire_send_empty(int fd, enum wt_msg_type type, struct wt_err *err)
{
	struct wt_buf message = {0};
	int rc;

	wt_wire_begin(&message, type);
	rc = wt_wire_send(fd, &message, err);
	wt_buf_deinit(&message);
	return rc;
}

void wt_wire_send_error(int fd, const struct wt_err *why)
{
	struct wt_buf message = {0};

	wt_wire_begin(&message, WT_MSG_ERROR);
	wt_buf_put_u32(&message, why->code);
	wt_buf_put_counted(&message, why->text, strlen(why->text));
	wt_wire_send(fd, &message, NULL);
	wt_buf_deinit(&message);
}

int wt_wire_pair(int ret[2], struct wt_err *err)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret) < 0)
		return wt_fail_errno(err, "cannot make a socket pair");
	return 0;
}

static int wait_readable(int fd, int timeout_ms, struct wt_err *err)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int rc;

	do {
		rc = poll(&pfd, 1, timeout_ms);
	} while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return wt_fail_errno(err, "cannot wait for the session");
	if (rc == 0)
		return wt_fail(err, WT_ERR_TIMEOUT, "no answer within %d seconds", timeout_ms / 1000);
	return 0;
}

int wt_wire_receive(int fd, int timeout_ms, uint8_t *buffer, enum wt_msg_type *type, struct wt_cursor *body,
		    struct wt_err *err)
{
	ssize_t n;

	if (wait_readable(fd, timeout_ms, err) < 0)
		return -1;
	n = recv(fd, buffer, WT_WIRE_MAX, MSG_TRUNC);
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return 1;
	if (n < 0)
		return wt_fail_errno(err, "cannot receive from the session");
	*body = wt_cursor(buffer, n > WT_WIRE_MAX ? 0 : (size_t)n);
	if (wt_cur_u32(body) != WIRE_MAGIC || wt_cur_u16(body) != WIRE_VERSION)
		return wt_fail(err, WT_ERR_FORMAT,
			       "the bytes from the control socket are not a message of this version");
	*type = wt_cur_u16(body);
	if (body->bad)
		return wt_fail(err, WT_ERR_FORMAT, "a control message is cut short");
	if (*type == WT_MSG_ERROR) {
		uint32_t code = wt_cur_u32(body);
		char text[WT_ERR_TEXT_SIZE];

		wt_wire_string(body, text, sizeof(text));
		return wt_fail(err, code ? (enum wt_code)code : WT_ERR_SYSTEM, "%s", text);
	}
	return 0;
}

uid_t wt_wire_peer_uid(int fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0 ? (uid_t)-1 : cred.uid;
}

bool wt_wire_peer_allowed(int fd)
{
	uid_t uid = wt_wire_peer_uid(fd);

	return uid == 0 || uid == geteuid();
}

void wt_wire_string(struct wt_cursor *cur, char *ret, size_t size)
{
	size_t len = wt_cur_u16(cur);
	const uint8_t *p = wt_cur_bytes(cur, len);

	if (!p)
		len = 0;
	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(ret, p, len);
	ret[len] = 0;
}

static void put_string(struct wt_buf *out, const char *text)
{
	wt_buf_put_counted(out, text, strlen(text));
}

/* The plain numbers of a status, in the order on the wire. */
#define STATUS_NUMBERS(s)                                                                                   \
	{                                                                                                   \
		&(s)->started_realtime, &(s)->elapsed, &(s)->armed_after, &(s)->events, &(s)->bytes,        \
			&(s)->lost, &(s)->blind_ns, &(s)->late, &(s)->segments, &(s)->takeovers,            \
			&(s)->processes, &(s)->threads, &(s)->images, &(s)->ring_bytes, &(s)->cpu_time,     \
			&(s)->memory, &(s)->first_time, &(s)->last_time, &(s)->event_rate, &(s)->byte_rate, \
			&(s)->user_rings, &(s)->user_lanes, &(s)->user_providers, &(s)->user_used,          \
			&(s)->user_in_force, &(s)->user_cap, &(s)->fullest, &(s)->held_ns, &(s)->advice     \
	}

#define STACK_NUMBERS(s)                                                                 \
	{                                                                                \
		&(s)->tables, &(s)->built, &(s)->failed, &(s)->waited_ns, &(s)->given_up \
	}

static void put_stacks(struct wt_buf *out, const struct wt_status_stacks *stacks)
{
	const uint64_t *numbers[] = STACK_NUMBERS(stacks);

	for (size_t i = 0; i <= WT_STACK_LAST; i++)
		wt_buf_put_u64(out, stacks->by_status[i]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		wt_buf_put_u64(out, *numbers[i]);
}

static void get_stacks(struct wt_cursor *cur, struct wt_status_stacks *ret)
{
	uint64_t *numbers[] = STACK_NUMBERS(ret);

	for (size_t i = 0; i <= WT_STACK_LAST; i++)
		ret->by_status[i] = wt_cur_u64(cur);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = wt_cur_u64(cur);
}

void wt_status_encode(const struct wt_status *status, struct wt_buf *out)
{
	const uint64_t *numbers[] = STATUS_NUMBERS(status);

	put_string(out, status->session);
	put_string(out, status->output);
	put_string(out, status->spool);
	wt_buf_put_u32(out, status->worker_pid);
	wt_buf_put_u32(out, status->keeper_pid);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		wt_buf_put_u64(out, *numbers[i]);
	put_stacks(out, &status->stacks);
	put_string(out, status->absent);
	wt_buf_put_u8(out, status->force);
	wt_buf_put_u8(out, status->exact);
	wt_buf_put_u32(out, status->n_lines);
	for (uint32_t i = 0; i < status->n_lines; i++)
		put_string(out, status->lines[i]);
	wt_buf_put_u32(out, status->n_rows);
	for (uint32_t i = 0; i < status->n_rows; i++) {
		const struct wt_status_row *row = &status->rows[i];

		put_string(out, row->provider);
		put_string(out, row->event);
		wt_buf_put_u32(out, row->cpu);
		wt_buf_put_u8(out, row->cause);
		wt_buf_put_u64(out, row->count);
		wt_buf_put_u64(out, row->blind_ns);
	}
}

static int decode_lines(struct wt_cursor *cur, struct wt_status *ret)
{
	uint32_t n = wt_cur_u32(cur);

	if (n > MAX_LINES)
		return -1;
	ret->lines = calloc(n ? n : 1, sizeof(*ret->lines));
	for (; ret->lines && ret->n_lines < n && !cur->bad; ret->n_lines++) {
		char text[1024];

		wt_wire_string(cur, text, sizeof(text));
		ret->lines[ret->n_lines] = strdup(text);
		if (!ret->lines[ret->n_lines])
			return -1;
	}
	return ret->lines && !cur->bad ? 0 : -1;
}

static int decode_rows(struct wt_cursor *cur, struct wt_status *ret)
{
	uint32_t n = wt_cur_u32(cur);

	if (n > MAX_ROWS)
		return -1;
	ret->rows = calloc(n ? n : 1, sizeof(*ret->rows));
	for (; ret->rows && ret->n_rows < n && !cur->bad; ret->n_rows++) {
		struct wt_status_row *row = &ret->rows[ret->n_rows];

		wt_wire_string(cur, row->provider, sizeof(row->provider));
		wt_wire_string(cur, row->event, sizeof(row->event));
		row->cpu = wt_cur_u32(cur);
		row->cause = wt_cur_u8(cur);
		row->count = wt_cur_u64(cur);
		row->blind_ns = wt_cur_u64(cur);
	}
	return ret->rows && !cur->bad ? 0 : -1;
}

int wt_status_decode(struct wt_cursor *cur, struct wt_status *ret, struct wt_err *err)
{
	uint64_t *numbers[] = STATUS_NUMBERS(ret);

	*ret = (struct wt_status){0};
	wt_wire_string(cur, ret->session, sizeof(ret->session));
	wt_wire_string(cur, ret->output, sizeof(ret->output));
	wt_wire_string(cur, ret->spool, sizeof(ret->spool));
	ret->worker_pid = wt_cur_u32(cur);
	ret->keeper_pid = wt_cur_u32(cur);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = wt_cur_u64(cur);
	get_stacks(cur, &ret->stacks);
	wt_wire_string(cur, ret->absent, sizeof(ret->absent));
	ret->force = wt_cur_u8(cur);
	ret->exact = wt_cur_u8(cur);
	if (decode_lines(cur, ret) == 0 && decode_rows(cur, ret) == 0)
		return 0;
	wt_status_deinit(ret);
	return wt_fail(err, WT_ERR_FORMAT, "the session's answer cannot be read: is it of another version?");
}

void wt_status_deinit(struct wt_status *status)
{
	for (uint32_t i = 0; i < status->n_lines; i++)
		free(status->lines[i]);
	free(status->lines);
	free(status->rows);
	status->lines = NULL;
	status->rows = NULL;
	status->n_lines = status->n_rows = 0;
}

bool wt_status_lossy(const struct wt_status *status)
{
	return status->lost || status->blind_ns;
}

void wt_status_forget(struct wt_status *status, const struct wt_status *earlier)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < status->n_lines; i++) {
		bool is_new = true;

		for (uint32_t t = 0; t < earlier->n_lines && is_new; t++)
			is_new = strcmp(status->lines[i], earlier->lines[t]) != 0;
		if (is_new)
			status->lines[kept++] = status->lines[i];
		else
			free(status->lines[i]);
	}
	status->n_lines = kept;
}
