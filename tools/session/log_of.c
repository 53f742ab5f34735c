// SPDX-License-Identifier: MIT
#include "tools/session/log_of.h"

#include <string.h>

#include "consumers/session/session.h"

int wt_session_log(const char *session, char **ret, struct wt_err *err)
{
	struct wt_status status;
	struct wt_place place;
	int rc;

	*ret = NULL;
	if (wt_place_open(session, &place, err))
		return -1;
	/* Who is asked for its status writes what it has first. */
	rc = wt_place_alive(&place) ? wt_session_status(&place, &status, err)
				    : wt_session_fail_absent(&place, err);
	wt_place_close(&place);
	if (rc)
		return -1;
	*ret = strdup(status.spool);
	wt_status_deinit(&status);
	return *ret ? 0 : wt_fail_nomem(err);
}
