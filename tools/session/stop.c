// SPDX-License-Identifier: MIT
#include "tools/session/stop.h"

#include <stdio.h>
#include <stdlib.h>

static int ask_stop(const struct wt_place *place, struct wt_status *ret, struct wt_err *err)
{
	uint8_t *buffer = malloc(WT_WIRE_MAX);
	struct wt_buf request = {0};
	struct wt_cursor body;
	int rc;

	if (!buffer)
		return wt_fail_nomem(err);
	wt_wire_begin(&request, WT_MSG_STOP);
	/* Symbols of a large recording take their time; the worker answers or dies. */
	rc = wt_session_ask(place, &request, -1, buffer, &body, err);
	if (rc == 0)
		rc = wt_status_decode(&body, ret, err);
	wt_buf_deinit(&request);
	free(buffer);
	return rc;
}

int wt_stop_session(const struct wt_place *place, const char *output, enum wt_replace replace,
		    struct wt_status *ret, struct wt_err *err)
{
	struct wt_status now;
	char target[PATH_MAX];

	if (wt_session_status(place, &now, err) < 0)
		return -1;
	snprintf(target, sizeof(target), "%s", output ? output : now.output);
	if (now.force)
		replace = WT_REPLACE_ANYTHING;
	wt_status_deinit(&now);
	if (target[0] && wt_deliver_check(target, replace, err) < 0)
		return wt_fail_prefix(err, "session '%s' goes on", place->name);
	if (ask_stop(place, ret, err) < 0)
		return -1;
	if (!target[0])
		return 0;
	if (wt_deliver(ret->spool, target, replace, err) < 0) {
		wt_status_deinit(ret);
		return -1;
	}
	snprintf(ret->spool, sizeof(ret->spool), "%s", target);
	return 0;
}
