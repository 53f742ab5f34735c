// SPDX-License-Identifier: MIT
#include "tools/session/stop.h"

#include <stdio.h>

static int ask_stop(const struct wt_place *place, struct wt_status *ret, struct wt_err *err)
{
	struct wt_buf request = {0};
	int rc;

	wt_wire_begin(&request, WT_MSG_STOP);
	/* Symbols of a large recording take their time; the worker answers or dies. */
	rc = wt_session_command(place, &request, -1, ret, err);
	wt_buf_deinit(&request);
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
