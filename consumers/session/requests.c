// SPDX-License-Identifier: MIT
#include "consumers/session/requests.h"

#include <string.h>

enum { MARK_MS = 5000, CHANGE_MS = 10000, WRITTEN_MS = 5000 };

int wt_session_find(const char *name, struct wt_place *ret, struct wt_err *err)
{
	if (wt_place_open(name ? name : WT_SESSION_DEFAULT, ret, err) < 0)
		return -1;
	if (wt_place_alive(ret))
		return 0;
	wt_session_fail_absent(ret, err);
	wt_place_close(ret);
	return -1;
}

static int ask_text(const struct wt_place *place, enum wt_msg_type type, const char *text, int timeout_ms,
		    struct wt_err *err)
{
	struct wt_buf request = {0};
	int rc;

	wt_wire_begin(&request, type);
	wt_buf_put_counted(&request, text, strlen(text));
	rc = wt_session_command(place, &request, timeout_ms, NULL, err);
	wt_buf_deinit(&request);
	return rc;
}

int wt_session_mark(const struct wt_place *place, const char *text, struct wt_err *err)
{
	return ask_text(place, WT_MSG_MARK, text, MARK_MS, err);
}

int wt_session_disable(const struct wt_place *place, const char *provider, struct wt_err *err)
{
	return ask_text(place, WT_MSG_DISABLE, provider, CHANGE_MS, err);
}

int wt_session_enable(const struct wt_place *place, const struct wt_program_rule *rules, size_t n,
		      struct wt_err *err)
{
	struct wt_buf request = {0};
	int rc;

	wt_wire_begin(&request, WT_MSG_ENABLE);
	wt_buf_put_u16(&request, (uint16_t)n);
	for (size_t i = 0; i < n; i++)
		wt_program_rule_encode(&rules[i], &request);
	rc = wt_session_command(place, &request, CHANGE_MS, NULL, err);
	wt_buf_deinit(&request);
	return rc;
}

int wt_session_log(const char *name, char **ret, struct wt_err *err)
{
	struct wt_status status;
	struct wt_place place;
	int rc;

	*ret = NULL;
	if (wt_session_find(name, &place, err))
		return -1;
	/* A session that is asked for its status writes its pending events first. */
	rc = wt_session_status(&place, &status, err);
	wt_place_close(&place);
	if (rc)
		return -1;
	*ret = strdup(status.spool);
	wt_status_deinit(&status);
	return *ret ? 0 : wt_fail_nomem(err);
}

enum wt_file_written wt_session_written(void *name, const struct wt_log_image *image, bool apart)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf request = {0};
	struct wt_place place;
	int rc;

	(void)apart;
	if (wt_session_find(name, &place, &err))
		return WT_FILE_WRITTEN;
	wt_wire_begin(&request, WT_MSG_UNWRITTEN);
	wt_buf_put_u64(&request, image->device);
	wt_buf_put_u64(&request, image->inode);
	wt_buf_put_u64(&request, image->mapped);
	rc = wt_session_command(&place, &request, WRITTEN_MS, NULL, &err);
	wt_buf_deinit(&request);
	wt_place_close(&place);
	return rc ? WT_FILE_WRITTEN : WT_FILE_NOT_WRITTEN;
}
