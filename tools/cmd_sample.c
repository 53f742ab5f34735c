// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "consumers/sample/image.h"
#include "consumers/session/stop.h"
#include "consumers/session/workload.h"
#include "tools/sample/args.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

struct sample_args {
	struct wt_sample_args sample; /* must be first: its rows set its members */
	bool slept;
};

const struct wt_option cmd_sample_options[] = {
	{"event", 'e', "LIST",
	 "events to sample, each with the number of events between two samples (INTERVAL, decimal or 0x...); "
	 "default "
	 "as for start",
	 WT_LIST(wt_spec_add_event), .values = "@sampled"},
	{"cpu", 'c', "LIST", "only these CPUs, as in 0,3-5", WT_LIST(wt_spec_take_cpus)},
	{"pid", 'p', "PID,...", "these processes and those that they start", WT_LIST(wt_spec_take_pid),
	 .values = "@pids"},
	{"pe_file", 0, "FILE", "the processes whose program's file has the name of FILE",
	 WT_TEXT(struct wt_sample_args, pe_file), .values = "@files"},
	{"image_name", 0, "NAME",
	 "the processes whose program's file is called NAME, in place of FILE's name",
	 WT_TEXT(struct wt_sample_args, image_name)},
	{"timeout", 0, "T", "sample for T: 10, 1.5s, 200ms, 2m, 1h, 1d; default until Ctrl-C",
	 .set = wt_sample_set_timeout},
	{"symbol", 's', "NAME",
	 "show only the function NAME, in any case; ^NAME: those that begin so, NAME$: that end so",
	 WT_TEXT(struct wt_sample_args, symbol)},
	{.rows = wt_sample_options},
	{"json", 0, NULL, "JSON with wperf's keys instead of tables", WT_FLAG(struct wt_sample_args, json)},
	{"output", 'o', "FILE",
	 "write to FILE: JSON where its name ends in .json or with --json, else the tables",
	 WT_TEXT(struct wt_sample_args, output), .values = "@files"},
	WT_OPTIONS_END,
};

static int take_word(void *ctx, const char *word, struct wt_err *err)
{
	struct sample_args *args = ctx;

	if (args->slept && !args->sample.timeout)
		return wt_sample_set_timeout(&args->sample, NULL, word, err);
	if (!strcmp(word, "sleep") && !args->slept) {
		args->slept = true;
		return 0;
	}
	return wt_fail(err, WT_ERR_USAGE,
		       "'%s' is not expected here; a command is sampled by: wtrace record --timeout T -- %s",
		       word, word);
}

static int find_image(struct wt_sample_args *args, struct wt_err *err)
{
	const char *name = args->image_name ? args->image_name
			   : args->pe_file  ? wt_sample_image_base(args->pe_file)
					    : NULL;
	size_t n;

	if (!name)
		return 0;
	if (args->spec.n_pids)
		return wt_fail(err, WT_ERR_USAGE, "--pid or --%s, not both",
			       args->image_name ? "image_name" : "pe_file");
	if (wt_sample_image_pids(NULL, name, args->spec.pids, WT_SPEC_MAX, &n, err))
		return -1;
	if (n > WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "%zu processes run '%s', more than %d", n, name,
			       WT_SPEC_MAX);
	args->spec.n_pids = n;
	return 0;
}

static int parse(int argc, char **argv, struct sample_args *args, struct wt_err *err)
{
	struct wt_sample_args *sample = &args->sample;

	if (wt_options_words(argc, argv, cmd_sample_options, take_word, args, err))
		return -1;
	if (args->slept && !sample->timeout)
		return wt_fail(err, WT_ERR_USAGE, "'sleep' needs a length of time: sleep 3");
	if (wt_sample_args_settle(sample, err) || find_image(sample, err))
		return -1;
	if (asprintf(&sample->spec.session, "sample-%d", getpid()) < 0)
		return wt_fail_nomem(err);
	sample->spec.tied = true;
	return wt_spec_settle(&sample->spec, err);
}

/* The spec moves into the session; values needed later are kept here. */
static int sample(struct wt_sample_args *args, struct wt_err *err)
{
	pid_t pids[WT_SPEC_MAX];
	char session[WT_SESSION_NAME_MAX + 1];
	size_t n = args->spec.n_pids;
	struct wt_status status = {0};
	uint64_t begun;
	int rc;

	memcpy(pids, args->spec.pids, sizeof(pids));
	snprintf(session, sizeof(session), "%s", args->spec.session);
	rc = wt_session_launch(&args->spec, &status, err) < 0 ? -1 : 0;
	for (uint32_t i = 0; !rc && i < status.n_lines; i++)
		wt_note("%s", status.lines[i]);
	wt_status_deinit(&status);
	if (!rc) {
		wt_sample_announce_begin(args);
		begun = wt_clock_now();
		wt_await_processes(args->length, pids, n);
		wt_sample_announce_end(args);
		args->choice.seconds = (double)(wt_clock_now() - begun) / (double)WT_NSEC;
		rc = wt_stop_named(session, "", &status, err);
	}
	if (!rc) {
		rc = wt_sample_show(args, status.spool, err);
		unlink(status.spool);
		wt_status_deinit(&status);
	}
	return rc;
}

int cmd_sample(int argc, char **argv, struct wt_err *err)
{
	struct sample_args *args = calloc(1, sizeof(*args));
	int rc;

	if (!args)
		return wt_fail_nomem(err);
	wt_spec_init(&args->sample.spec);
	args->sample.fd = -1;
	rc = parse(argc, argv, args, err);
	wt_workload_hold_signals();
	if (!rc)
		rc = sample(&args->sample, err);
	wt_sample_args_deinit(&args->sample);
	free(args);
	return rc ? WT_EXIT_FAILED : WT_EXIT_OK;
}
