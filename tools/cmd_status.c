// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "tools/cmd.h"
#include "tools/session/report.h"
#include "consumers/session/requests.h"

struct status_args {
	const char *session;
	bool json;
	unsigned shown;
};

const struct wt_option cmd_status_options[] = {
	{"session", 's', "NAME", "only this session", WT_TEXT(struct status_args, session),
	 .values = "@sessions"},
	{"json", 0, NULL, "one JSON object per session and line", WT_FLAG(struct status_args, json)},
	WT_OPTIONS_END,
};

static int show(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct status_args *args = ctx;
	struct wt_status status;

	if (wt_session_status(place, &status, err) < 0)
		return wt_fail_prefix(err, "session '%s'", place->name);
	wt_report(stdout, &status, WT_REPORT_RUNNING, args->json);
	wt_status_deinit(&status);
	args->shown++;
	return 0;
}

static int show_one(struct status_args *args, struct wt_err *err)
{
	struct wt_place place;
	int rc;

	if (wt_session_find(args->session, &place, err))
		return -1;
	rc = show(args, &place, err);
	wt_place_close(&place);
	return rc;
}

/* NAME alone is a session. */
static int take_session(void *ctx, const char *word, struct wt_err *err)
{
	return wt_take_one(&((struct status_args *)ctx)->session, word, "session", err);
}

int cmd_status(int argc, char **argv, struct wt_err *err)
{
	struct status_args args = {0};
	int rc = wt_options_words(argc, argv, cmd_status_options, take_session, &args, err);

	if (rc >= 0)
		rc = args.session ? show_one(&args, err) : wt_session_each(show, &args, err);
	if (rc >= 0 && !args.shown && !args.json)
		printf("no session is running\n");
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}
