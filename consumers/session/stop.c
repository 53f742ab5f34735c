// SPDX-License-Identifier: MIT
#include "consumers/session/stop.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Makes the path absolute, so that other processes can use it. */
static void whole_path(const char *path, struct wt_buf *out)
{
	char here[PATH_MAX];

	if (path[0] && path[0] != '/' && getcwd(here, sizeof(here))) {
		wt_buf_puts(out, strcmp(here, "/") ? here : "");
		wt_buf_puts(out, "/");
	}
	wt_buf_puts(out, path);
}

static int ask_stop(const struct wt_place *place, const char *target, struct wt_status *ret,
		    struct wt_err *err)
{
	struct wt_buf request = {0}, path = {0};
	int rc;

	wt_wire_begin(&request, WT_MSG_STOP);
	whole_path(target, &path);
	wt_buf_put_counted(&request, path.data, path.len);
	wt_buf_deinit(&path);
	/* Symbols of a large recording take time; the worker answers or dies. */
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
	/* --force was given at the start, for the file named there. */
	if (now.force && !output)
		replace = WT_REPLACE_ANYTHING;
	wt_status_deinit(&now);
	if (target[0] && wt_deliver_check(target, replace, err) < 0)
		return wt_fail_prefix(err, "session '%s' goes on", place->name);
	if (ask_stop(place, target, ret, err) < 0)
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

int wt_stop_named(const char *session, const char *output, struct wt_status *ret, struct wt_err *err)
{
	struct wt_place place;
	int rc = wt_place_open(session, &place, err);

	if (!rc)
		rc = wt_stop_session(&place, output, WT_REPLACE_NOTHING, ret, err);
	wt_place_close(&place);
	return rc;
}
