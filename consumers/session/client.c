// SPDX-License-Identifier: MIT
/* Requests of commands to running sessions. */
#include "consumers/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/diag.h"

/* A take-over takes milliseconds; 50 tries 50 ms apart leave ample time. */
#define ASK_TRIES 40

/* 1: nobody was there to answer. A session that begins has its name before its socket. A session that ends,
 * or changes workers, may do so between request and answer. Each of these states passes in a moment. */
static int ask_once(const struct wt_place *place, const struct wt_buf *request, int timeout_ms,
		    uint8_t *buffer, struct wt_cursor *body, struct wt_err *err)
{
	enum wt_msg_type type;
	struct wt_err why = WT_ERR_INIT;
	int fd = wt_place_connect(place, &why);
	int rc;

	if (fd < 0 && err)
		*err = why;
	if (fd < 0)
		return why.code == WT_ERR_NOTFOUND ? 1 : -1;
	if (wt_wire_peer_uid(fd) != geteuid()) {
		close(fd);
		return wt_fail(err, WT_ERR_PERMISSION,
			       "the control socket of session '%s' belongs to another user: it is not used",
			       place->name);
	}
	rc = wt_wire_send(fd, request, &why);
	if (rc < 0 && err)
		*err = why;
	if (rc < 0 && (why.sys_errno == EPIPE || why.sys_errno == ECONNRESET))
		rc = 1;
	if (rc == 0)
		rc = wt_wire_receive(fd, timeout_ms, buffer, &type, body, err);
	close(fd);
	if (rc < 0 && err && err->code == WT_ERR_TIMEOUT)
		return wt_fail(err, WT_ERR_TIMEOUT,
			       "session '%s' does not answer within %d seconds: its recording process is "
			       "stopped or waits "
			       "for the disk",
			       place->name, timeout_ms / 1000);
	return rc;
}

/* If the worker dies before the answer and its keeper takes over, the request is sent again. */
static int ask(const struct wt_place *place, const struct wt_buf *request, int timeout_ms, uint8_t *buffer,
	       struct wt_cursor *body, struct wt_err *err)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	for (int i = 0; i < ASK_TRIES; i++) {
		int rc = ask_once(place, request, timeout_ms, buffer, body, err);

		if (rc <= 0)
			return rc;
		if (!wt_place_alive(place))
			return wt_fail(err, WT_ERR_ENDING,
				       "session '%s' ended before it answered; its log is where another "
				       "'wtrace stop' put it, or in %s",
				       place->name, place->spool);
		nanosleep(&pause, NULL);
	}
	return wt_fail(err, WT_ERR_SYSTEM, "session '%s' closed the connection without an answer",
		       place->name);
}

int wt_session_command(const struct wt_place *place, const struct wt_buf *request, int timeout_ms,
		       struct wt_status *ret, struct wt_err *err)
{
	uint8_t *buffer = malloc(WT_WIRE_MAX);
	struct wt_cursor body;
	int rc;

	if (!buffer || request->failed) {
		free(buffer);
		return wt_fail_nomem(err);
	}
	rc = ask(place, request, timeout_ms, buffer, &body, err);
	if (rc == 0 && ret)
		rc = wt_status_decode(&body, ret, err);
	free(buffer);
	return rc;
}

int wt_session_status(const struct wt_place *place, struct wt_status *ret, struct wt_err *err)
{
	struct wt_buf request = {0};
	int rc;

	wt_wire_begin(&request, WT_MSG_STATUS);
	rc = wt_session_command(place, &request, 5000, ret, err);
	wt_buf_deinit(&request);
	return rc;
}

struct names {
	char text[256];
};

static int collect_name(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct names *names = ctx;
	size_t len = strlen(names->text);

	(void)err;
	snprintf(names->text + len, sizeof(names->text) - len, "%s%s", len ? ", " : "", place->name);
	return 0;
}

int wt_session_fail_absent(const struct wt_place *place, struct wt_err *err)
{
	struct names names = {""};
	char part[PATH_MAX];

	wt_session_each(collect_name, &names, NULL);
	wt_place_part_path(place, part);
	if (wt_place_has_part(place))
		return wt_fail(
			err, WT_ERR_NOTFOUND,
			"session '%s' is not running: it died; 'wtrace stop --session %s' completes its log",
			place->name, place->name);
	if (names.text[0])
		return wt_fail(err, WT_ERR_NOTFOUND, "no session '%s' is running; running: %s", place->name,
			       names.text);
	return wt_fail(err, WT_ERR_NOTFOUND, "no session is running; 'wtrace start' begins one");
}

struct each {
	int (*fn)(void *ctx, const struct wt_place *place, struct wt_err *err);
	void *ctx;
};

static int visit(void *ctx, const char *name, struct wt_err *err)
{
	struct each *each = ctx;
	struct wt_place place;
	int rc = 0;

	if (wt_place_open(name, &place, err) < 0)
		return -1;
	if (wt_place_alive(&place))
		rc = each->fn(each->ctx, &place, err);
	/* A session that ends while it is asked counts as ended before. */
	if (rc < 0 && !wt_place_alive(&place)) {
		rc = 0;
		if (err)
			*err = (struct wt_err)WT_ERR_INIT;
	}
	if (rc < 0 && err && err->code == WT_ERR_ENDING) {
		wt_note("%s", err->text);
		*err = (struct wt_err)WT_ERR_INIT;
		rc = 0;
	}
	wt_place_close(&place);
	return rc;
}

int wt_session_each(int (*fn)(void *ctx, const struct wt_place *place, struct wt_err *err), void *ctx,
		    struct wt_err *err)
{
	struct each each = {fn, ctx};

	return wt_place_each(visit, &each, err);
}
