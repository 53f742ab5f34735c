// SPDX-License-Identifier: MIT
#include "tools/list/sessions.h"

#include <inttypes.h>

#include "consumers/session/session.h"
#include "tracecore/schema/decode.h"

struct listing {
	const char *word;
	struct wt_buf *out;
	unsigned shown;
	void (*put)(struct listing *listing, const struct wt_status *status);
};

static const char *log_of(const struct wt_status *status)
{
	return status->output[0] ? status->output : status->spool;
}

static void put_text(struct listing *listing, const struct wt_status *status)
{
	if (!listing->shown)
		wt_buf_printf(listing->out, "%-20s %12s %14s %10s  %s\n", "session", "seconds", "events",
			      "lost", "log");
	wt_buf_printf(listing->out, "%-20s %12.1f %14" PRIu64 " %10" PRIu64 "  ", status->session,
		      (double)status->elapsed / 1e9, status->events, status->lost);
	wt_text_escape(listing->out, log_of(status), strlen(log_of(status)));
	wt_buf_puts(listing->out, "\n");
}

static void put_json(struct listing *listing, const struct wt_status *status)
{
	wt_buf_puts(listing->out, listing->shown ? ",\n {\"session\":" : "\n {\"session\":");
	wt_json_string(listing->out, status->session, strlen(status->session));
	wt_buf_printf(listing->out,
		      ",\"worker\":%u,\"keeper\":%u,\"elapsed_ns\":%" PRIu64 ",\"events\":%" PRIu64
		      ",\"lost\":%" PRIu64 ",\"log\":",
		      status->worker_pid, status->keeper_pid, status->elapsed, status->events, status->lost);
	wt_json_string(listing->out, log_of(status), strlen(log_of(status)));
	wt_buf_puts(listing->out, "}");
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
	struct listing listing = {.word = word, .out = out, .put = put_json};

	wt_buf_puts(out, "{\"sessions\":[");
	if (wt_session_each(on_session, &listing, err))
		return -1;
	wt_buf_puts(out, "\n]}\n");
	return 0;
}
