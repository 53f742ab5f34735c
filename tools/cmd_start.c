// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "tools/cmd.h"
#include "tools/session/spec_options.h"
#include "consumers/session/deliver.h"
#include "tools/session/report.h"
#include "consumers/session/session.h"

const char cmd_start_help[] =
	"usage: wtrace start [-p LIST] [--stackwalk[=LIST]] [options]\n"
	"\n"
	"Starts a session in the background and returns when every provider is armed.\n"
	"\n"
	"  -p, --providers LIST   NAME[:KEYWORDS[:LEVEL[:stack]]], separated by commas; NAME is "
	"pmu-profile,\n"
	"                         loader, proc_thread, linux:SUBSYSTEM:EVENT, or the provider of a program,\n"
	"                         registered or not yet (user:NAME when NAME is taken for a misspelt one);\n"
	"                         default pmu-profile and what it needs; 'wtrace list' shows all\n"
	"      --filter RULE      which events of a program's provider: NAME:KEY=VALUE[;KEY=VALUE...], keys\n"
	"                         pid=12,13  exe=py*,sh  id=3,4  id=!3,4  event=req*  all=KEYWORDS  "
	"stack=3,4\n"
	"                         (all: an event must have all of these keywords, or none at all)\n"
	"      --manifest FILE    names keywords of a provider that nobody has registered yet\n"
	"  --stackwalk[=LIST]     call stacks with every sample and tracepoint, or with those of LIST\n"
	"      --unwind HOW       user stacks by unwind 'tables', or by frame pointers, 'fp'; default "
	"tables\n"
	"      --stack-bytes SIZE copied of each stack with tables, at most 56K; default what fits\n"
	"  -s, --session NAME     name of the session; default 'default'\n"
	"  -o, --output FILE      where 'stop' puts the log\n"
	"  -e, --event EVENT[:PERIOD]\n"
	"                         what to sample: cycles, cpu-clock, rNNN, pmu/term=value/...; repeatable\n"
	"  -F, --frequency HZ     samples per second and CPU; default 997\n"
	"      --pid PID,...      only these processes and what they start; a program's provider needs its "
	"own\n"
	"                         --filter NAME:pid=PID with it\n"
	"      --cpu LIST         only these CPUs: 0,2-3; not with programs' providers\n"
	"      --buffer-size SIZE sample ring of each CPU, and the most a ring of programs grows to: 512K, "
	"8M;\n"
	"                         32K to 4G; sample rings are rounded up to a power of two of pages\n"
	"      --buffers KIND     rings of programs: one per CPU and user, or 'process': one per CPU and "
	"process\n"
	"      --max-file SIZE    the log stays below that: its oldest segments are dropped, and it says so\n"
	"      --flush SECONDS    events are in the log within that time: 0.02 to 3600; default 1\n"
	"      --force            'stop' may replace any file\n"
	"      --json             print what is in force as JSON\n"
	"\n"
	"examples:\n"
	"  wtrace start -p pmu-profile,loader,proc_thread --stackwalk\n"
	"  wtrace start -p linux:sched:sched_switch --stackwalk -s switches\n"
	"  wtrace start -e page-faults:1 -e cpu-clock --cpu 0\n"
	"  wtrace start -p my-app:0x3:info:stack,pmu-profile --filter 'my-app:exe=my-app*;event=request*'\n";

static int refuse_word(void *ctx, const char *word, struct wt_err *err)
{
	(void)ctx;
	return wt_fail(err, WT_ERR_USAGE,
		       "unexpected word '%s'; to run a command use 'wtrace record -o FILE -- %s'", word,
		       word);
}

static int parse(int argc, char **argv, struct wt_spec *spec, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, wt_spec_options, wt_spec_n_options, refuse_word, spec, err);

	if (end < 0)
		return -1;
	if (end < argc)
		return wt_fail(err, WT_ERR_USAGE,
			       "'start' runs no command; use 'wtrace record -o FILE -- %s'", argv[end]);
	if (wt_spec_settle(spec, err) < 0)
		return -1;
	return spec->output ? wt_deliver_check(spec->output,
					       spec->force ? WT_REPLACE_ANYTHING : WT_REPLACE_LOGS_ONLY, err)
			    : 0;
}

/* The session runs, whoever can read of it. */
static int bring_out(const char *session, struct wt_err *err)
{
	if (!wt_output_end(err))
		return 0;
	if (!err->text[0])
		wt_fail(err, WT_ERR_SYSTEM, "nobody reads standard output");
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
	if (rc == 0 && json)
		wt_report_json(stdout, &armed, WT_REPORT_STARTED);
	else if (rc == 0)
		wt_report_text(stdout, &armed, WT_REPORT_STARTED);
	if (rc == 0)
		rc = bring_out(armed.session, err);
	wt_status_deinit(&armed);
	wt_spec_deinit(&spec);
	return rc < 0 ? WT_EXIT_FAILED : WT_EXIT_OK;
}
