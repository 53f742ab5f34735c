// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "tools/cmd.h"
#include "tools/session/spec_options.h"
#include "consumers/session/deliver.h"
#include "tools/session/report.h"
#include "consumers/session/session.h"

const struct wt_option cmd_start_options[] = {{.rows = wt_spec_options}, WT_OPTIONS_END};

static int refuse_word(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is not expected here; a session of that name: wtrace start -s %s; a provider: "
		       "wtrace start "
		       "-p %s; a command: wtrace record -o FILE -- %s",
		       word, word, word, word);
}

static int parse(int argc, char **argv, struct wt_spec *spec, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, cmd_start_options, refuse_word, spec, err);

	if (end < 0)
		return -1;
	if (end < argc)
		return wt_fail(err, WT_ERR_USAGE,
			       "'start' runs no command; use 'wtrace record -o FILE -- %s'", argv[end]);
	if (wt_spec_settle(spec, err) < 0)
		return -1;
	return spec->output ? wt_deliver_check(spec->output, wt_replace_by(spec->force), err) : 0;
}

/* The session runs, even if its report cannot be printed. */
static int bring_out(const char *session, struct wt_err *err)
{
	if (!wt_output_end(err))
		return 0;
	if (!err->text[0])
		wt_fail(err, WT_ERR_SYSTEM, "standard output is closed");
	return wt_fail_prefix(
		err,
		"session '%s' has started and runs ('wtrace stop -s %s' ends it), only its report is lost",
		session, session);
}

int cmd_start(int argc, char **argv, struct wt_err *err)
{
	struct wt_status armed = {0};
	struct wt_spec spec;
	bool json;
	int rc;

	wt_spec_init(&spec);
	rc = parse(argc, argv, &spec, err);
	json = spec.json;
	if (rc == 0)
		rc = wt_session_launch(&spec, &armed, err);
	if (rc == 0)
		wt_report(stdout, &armed, WT_REPORT_STARTED, json);
	if (rc == 0)
		rc = bring_out(armed.session, err);
	wt_status_deinit(&armed);
	wt_spec_deinit(&spec);
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}
