// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/session/session.h"

const char cmd_mark_help[] = "usage: wtrace mark TEXT\n"
			     "\n"
			     "Puts a mark into every running session of yours, at this moment.\n"
			     "\n"
			     "examples:\n"
			     "  wtrace mark 'warm-up done'\n";

struct mark {
	const char *text;
	unsigned sessions;
};

static int take_text(void *ctx, const char *word, struct wt_err *err)
{
	struct mark *mark = ctx;

	if (mark->text)
		return wt_fail(err, WT_ERR_USAGE, "more than one text: put it in quotes");
	mark->text = word;
	return 0;
}

static int put_mark(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct mark *mark = ctx;
	uint8_t *buffer = malloc(WT_WIRE_MAX);
	struct wt_buf request = {0};
	struct wt_cursor body;
	int rc;

	if (!buffer)
		return wt_fail_nomem(err);
	wt_wire_begin(&request, WT_MSG_MARK);
	wt_buf_put_counted(&request, mark->text, strlen(mark->text));
	rc = wt_session_ask(place, &request, 5000, buffer, &body, err);
	wt_buf_deinit(&request);
	free(buffer);
	if (rc < 0)
		return wt_fail_prefix(err, "session '%s'", place->name);
	mark->sessions++;
	return 0;
}

int cmd_mark(int argc, char **argv, struct wt_err *err)
{
	struct mark mark = {0};
	int end = wt_options_parse(argc, argv, NULL, 0, take_text, &mark, err);

	if (end >= 0 && end < argc && !mark.text)
		mark.text = argv[end];
	if (end >= 0 && !mark.text)
		end = wt_fail(err, WT_ERR_USAGE, "no text: wtrace mark TEXT");
	if (end < 0 || wt_session_each(put_mark, &mark, err) < 0)
		return WT_EXIT_FAILED;
	if (!mark.sessions) {
		wt_fail(err, WT_ERR_NOTFOUND, "no session is running; 'wtrace start' begins one");
		return WT_EXIT_FAILED;
	}
	return WT_EXIT_OK;
}
