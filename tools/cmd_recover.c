// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>

#include "tools/cmd.h"
#include "tools/progress.h"
#include "consumers/session/deliver.h"
#include "consumers/session/status_json.h"
#include "tracecore/base/diag.h"
#include "tracecore/schema/decode.h"

struct args {
	const char *session, *log, *rings, *output;
	bool force, json;
	unsigned done;
};

const struct wt_option cmd_recover_options[] = {
	{"session", 's', "NAME", "only this session", WT_TEXT(struct args, session), .values = "@sessions"},
	{"rings", 0, "DIRECTORY",
	 "make a log from the rings in DIRECTORY, when their own log is gone; the rings stay",
	 WT_TEXT(struct args, rings), .values = "@directories"},
	{"output", 'o', "FILE", "file of the log; default: it stays in the spool directory",
	 WT_TEXT(struct args, output), .values = "@files"},
	{"force", 0, NULL, "replace FILE if it exists", WT_FLAG(struct args, force)},
	{"json", 0, NULL, "one JSON object for each log", WT_FLAG(struct args, json)},
	WT_OPTIONS_END,
};

static int take_log(void *ctx, const char *word, struct wt_err *err)
{
	return wt_take_one(&((struct args *)ctx)->log, word, "log", err);
}

static void report(const struct args *args, const char *file, const struct wt_recovered *got)
{
	struct wt_buf text = {0};

	if (!args->json) {
		wt_text_write(stdout, file);
		printf(": complete, %" PRIu64 " event%s, %" PRIu64 " of them from %u ring%s, %" PRIu64
		       " lost",
		       got->events, got->events == 1 ? "" : "s", got->from_rings, got->rings,
		       got->rings == 1 ? "" : "s", got->lost);
		if (got->damaged)
			printf(", %" PRIu64 " damaged place%s skipped", got->damaged,
			       got->damaged == 1 ? "" : "s");
		puts(got->unended ? "; later events are missing and were not counted" : "");
		return;
	}
	wt_recovered_json(got, file, &text);
	fwrite(text.data, 1, text.len, stdout);
	wt_buf_deinit(&text);
}

static int recover_session(void *ctx, const char *name, struct wt_err *err)
{
	struct args *args = ctx;
	struct wt_progress progress = {.what = name};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_recovered got;
	struct wt_place place;
	char kept[PATH_MAX];
	int rc;

	if (args->output && wt_deliver_check(args->output, wt_replace_by(args->force), err))
		return -1;
	if (wt_place_open(name, &place, err))
		return -1;
	rc = wt_recover_session(&place, &listener, kept, &got, err);
	wt_progress_end(&progress);
	if (rc == 1) {
		wt_note("session '%s' died before it wrote anything: nothing is left of it", name);
		wt_place_close(&place);
		return 0;
	}
	if (!rc && args->output)
		rc = wt_deliver(kept, args->output, wt_replace_by(args->force), err);
	wt_place_close(&place);
	if (rc)
		return wt_fail_prefix(err, "session '%s'", name);
	report(args, args->output ? args->output : kept, &got);
	args->done++;
	return 0;
}

static int recover_sessions(struct args *args, struct wt_err *err)
{
	if (args->session)
		return recover_session(args, args->session, err);
	if (args->output)
		return wt_fail(err, WT_ERR_USAGE,
			       "-o takes one log: name its session with -s NAME, or the log itself");
	if (wt_recover_each_dead(recover_session, args, err))
		return -1;
	if (!args->done)
		wt_note("nothing to recover: no dead session left a log or rings");
	return 0;
}

/* The original is changed only when the result is to replace it. */
static int recover_log(struct args *args, struct wt_err *err)
{
	const char *file = args->output ? args->output : args->log;
	struct wt_progress progress = {.what = file};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_recovered got;
	int rc;

	if (args->output && wt_deliver_copy(args->log, args->output, wt_replace_by(args->force), err))
		return -1;
	rc = wt_recover_log(file, &listener, &got, err);
	wt_progress_end(&progress);
	if (rc)
		return wt_fail_prefix(err, "%s", file);
	report(args, file, &got);
	return 0;
}

static int recover_rings(struct args *args, struct wt_err *err)
{
	struct wt_progress progress = {.what = args->output};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_recovered got;
	int rc;

	if (!args->output)
		return wt_fail(err, WT_ERR_USAGE, "--rings needs -o FILE");
	rc = wt_recover_rings(args->rings, args->output, &listener, &got, err);
	wt_progress_end(&progress);
	if (rc)
		return -1;
	report(args, args->output, &got);
	return 0;
}

int cmd_recover(int argc, char **argv, struct wt_err *err)
{
	struct args args = {0};
	int rc = wt_options_words(argc, argv, cmd_recover_options, take_log, &args, err);

	if (!rc && (args.log != NULL) + (args.rings != NULL) + (args.session != NULL) > 1)
		rc = wt_fail(err, WT_ERR_USAGE, "a log, --rings or --session: only one of them");
	if (!rc)
		rc = args.log     ? recover_log(&args, err)
		     : args.rings ? recover_rings(&args, err)
				  : recover_sessions(&args, err);
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}
