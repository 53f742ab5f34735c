// SPDX-License-Identifier: MIT
#include <string.h>

#include "tools/cmd.h"
#include "consumers/session/requests.h"
#include "tracecore/base/diag.h"

const struct wt_option cmd_mark_options[] = {WT_OPTIONS_END};

struct mark {
	const char *text;
	unsigned sessions, failed;
};

static int take_text(void *ctx, const char *word, struct wt_err *err)
{
	struct mark *mark = ctx;

	if (mark->text)
		return wt_fail(err, WT_ERR_USAGE, "more than one text: put it in quotes");
	mark->text = word;
	return 0;
}

/* A session that ended in the meantime needs no mark. */
static int put_mark(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct mark *mark = ctx;
	struct wt_err why = WT_ERR_INIT;
	int rc = wt_session_mark(place, mark->text, &why);

	(void)err;
	if (rc < 0 && !wt_place_alive(place))
		return 0;
	mark->sessions++;
	if (rc < 0) {
		mark->failed++;
		wt_warn("no mark in session '%s': %s", place->name, why.text);
	}
	return 0;
}

int cmd_mark(int argc, char **argv, struct wt_err *err)
{
	struct mark mark = {0};
	int rc = wt_options_words(argc, argv, cmd_mark_options, take_text, &mark, err);

	if (rc >= 0 && !mark.text)
		rc = wt_fail(err, WT_ERR_USAGE, "no text: wtrace mark TEXT");
	if (rc >= 0 && strlen(mark.text) > UINT16_MAX)
		rc = wt_fail(err, WT_ERR_USAGE, "the text has %zu bytes: a mark has %d at most",
			     strlen(mark.text), UINT16_MAX);
	if (rc < 0 || wt_session_each(put_mark, &mark, err) < 0)
		return WT_EXIT_FAILED;
	if (!mark.sessions) {
		wt_fail(err, WT_ERR_NOTFOUND, "no session is running; 'wtrace start' begins one");
		return WT_EXIT_FAILED;
	}
	if (mark.failed) {
		wt_fail(err, WT_ERR_SYSTEM, "%u of %u sessions have no mark", mark.failed, mark.sessions);
		return WT_EXIT_FAILED;
	}
	return WT_EXIT_OK;
}
