// SPDX-License-Identifier: MIT
#include "tools/list/sessions.h"

#include <inttypes.h>

#include "consumers/session/session.h"
#include "consumers/session/status_json.h"
#include "tracecore/schema/decode.h"

struct listing {
	const char *word;
	struct wt_buf *out;
	struct wt_json json; /* writes into out, when the output is JSON */
	unsigned shown;
	void (*put)(struct listing *listing, const struct wt_status *status);
};

static void put_text(struct listing *listing, const struct wt_status *status)
{
	if (!listing->shown)
		wt_buf_printf(listing->out, "%-20s %12s %14s %10s  %s\n", "session", "seconds", "events",
			      "lost", "log");
	wt_buf_printf(listing->out, "%-20s %12.1f %14" PRIu64 " %10" PRIu64 "  ", status->session,
		      (double)status->elapsed / 1e9, status->events, status->lost);
	wt_text_escape(listing->out, wt_status_log(status), strlen(wt_status_log(status)));
	wt_buf_puts(listing->out, "\n");
}

static void put_json(struct listing *listing, const struct wt_status *status)
{
	wt_json_next_line(&listing->json);
	wt_status_brief_json(status, &listing->json);
}

static int on_session(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct listing *listing = ctx;
	struct wt_status status;

	if (listing->word && !strcasestr(place->name, listing->word))
		return 0;
	if (wt_session_status(place, &status, err))
		return wt_fail_prefix(err, "session '%s'", place->name);
	listing->put(listing, &status);
	listing->shown++;
	wt_status_deinit(&status);
	return 0;
}

int wt_list_sessions(const char *word, struct wt_buf *out, struct wt_err *err)
{
	struct listing listing = {.word = word, .out = out, .put = put_text};

	if (wt_session_each(on_session, &listing, err))
		return -1;
	if (!listing.shown && word)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no running session has '%s' in its name; 'wtrace status' shows all", word);
	if (!listing.shown)
		wt_buf_puts(out, "no session is running\n");
	return 0;
}

int wt_list_sessions_json(const char *word, struct wt_buf *out, struct wt_err *err)
{
	struct listing listing = {.word = word, .out = out, .put = put_json, .json = wt_json(out)};

	wt_json_object(&listing.json, NULL);
	wt_json_array(&listing.json, "sessions");
	if (wt_session_each(on_session, &listing, err))
		return -1;
	wt_json_end_lines(&listing.json);
	wt_json_end_document(&listing.json);
	return 0;
}
