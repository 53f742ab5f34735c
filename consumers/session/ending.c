// SPDX-License-Identifier: MIT
#include "consumers/session/ending.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A command sends its request as soon as it has connected. A connection without a request is answered after
 * this time. */
#define ASK_MS 200

void wt_ending_begin(const struct wt_session *session, const char *target)
{
	struct wt_buf message = {0};

	wt_buf_put_u8(&message, WT_PAIR_STOPPING);
	wt_buf_put(&message, target, strlen(target) + 1);
	if (!message.failed && session->pair_fd >= 0)
		send(session->pair_fd, message.data, message.len, MSG_NOSIGNAL);
	wt_buf_deinit(&message);
}

void wt_ending_refuse(const struct wt_session *session, int fd, const char *target)
{
	uint8_t *asked = malloc(WT_WIRE_MAX);
	struct wt_err why = WT_ERR_INIT;
	enum wt_msg_type type;
	struct wt_cursor body;

	if (asked)
		wt_wire_receive(fd, ASK_MS, asked, &type, &body, NULL);
	free(asked);
	wt_fail(&why, WT_ERR_ENDING, "session '%s' is already being stopped; the log %s %s",
		session->place.name, target[0] ? "goes to" : "stays in",
		target[0] ? target : session->place.spool);
	wt_wire_send_error(fd, &why);
	close(fd);
}

/* Returns false when no connection can be accepted any more. */
static bool answer_one(const struct wt_session *session, const char *target)
{
	int fd = accept4(session->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
	if (wt_wire_peer_allowed(fd))
		wt_ending_refuse(session, fd, target);
	else
		close(fd);
	return true;
}

/* Reads the worker's message; false: nothing more will come. */
static bool hear_worker(int pair_fd, bool *done, bool *stopping, char target[PATH_MAX])
{
	char message[PATH_MAX + 1] = "";
	ssize_t n = recv(pair_fd, message, sizeof(message) - 1, 0);

	if (n < 0 && errno == EINTR)
		return true;
	if (n <= 0)
		return false;
	*done |= message[0] == WT_PAIR_DONE;
	if (message[0] == WT_PAIR_STOPPING) {
		*stopping = true;
		memcpy(target, message + 1, PATH_MAX);
	}
	return true;
}

bool wt_ending_await(const struct wt_session *session)
{
	char target[PATH_MAX] = "";
	bool done = false, stopping = false;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = session->pair_fd, .events = POLLIN},
			{.fd = stopping ? session->listen_fd : -1, .events = POLLIN},
		};

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return done;
		if (fds[1].revents)
			stopping = answer_one(session, target);
		if (fds[0].revents && !hear_worker(session->pair_fd, &done, &stopping, target))
			return done;
	}
}
