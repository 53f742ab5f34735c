// SPDX-License-Identifier: MIT
#include "tools/session/spec_options.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/counting/sampled_word.h"
#include "consumers/session/spec_set.h"
#include "consumers/session/spec_word.h"
#include "tracecore/base/list.h"

static int set_counter(void *ctx, const char *word, struct wt_err *err)
{
	return wt_spec_copy(ctx, word, err);
}

/* Events by the names of the CPU's model become NAME=EVENT. */
static int name_counters(struct wt_spec *spec, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < spec->n_counters; i++) {
		char *typed = spec->counters[i];

		spec->counters[i] = NULL;
		rc = wt_counter_word(typed, NULL, set_counter, &spec->counters[i], err);
		free(typed);
	}
	return rc;
}

static int add_provider(void *ctx, char *word, struct wt_err *err)
{
	int rc = 0;

	/* As in xperf: no name has a '+'. Behind counters, '+' separates the counted events. */
	while (!rc && word) {
		char *one = word;

		if (strncasecmp(word, "counters:", strlen("counters:"))) {
			strsep(&word, "+");
			rc = wt_spec_is_set(one) ? wt_spec_add_set(ctx, one, err)
						 : wt_spec_parse_provider(ctx, one, err);
		} else {
			word = NULL;
			rc = wt_spec_parse_provider(ctx, one, err) || name_counters(ctx, err) ? -1 : 0;
		}
	}
	return rc;
}

int wt_spec_set_providers(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_list_each(value, "the provider list", add_provider, ctx, err);
}

static int set_stackwalk(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	if (!value)
		spec->stackwalk = true;
	return value ? wt_list_each(value, "--stackwalk", wt_spec_take_stack, spec, err) : 0;
}

int wt_spec_add_event(void *ctx, char *word, struct wt_err *err)
{
	int rc = wt_spec_take_event(ctx, word, err);

	return rc > 0 ? wt_sampled_word(word, NULL, wt_spec_take_sampled, ctx, err) : rc;
}

const struct wt_option wt_spec_options[] = {
	{"providers", 'p', "LIST",
	 "NAME[:KEYWORDS[:LEVEL[:stack]]], separated by commas; NAME is pmu-profile, loader, proc_thread, "
	 "cswitch, dispatcher, latency (a set: these five and irq, softirq, timer, disk, faults, syscall), "
	 "linux:SUBSYSTEM:EVENT, counters:EVENT+EVENT (counts of each thread and CPU), or the provider of a "
	 "program, registered or not yet (user:NAME when NAME has another meaning); default pmu-profile and "
	 "the "
	 "providers it needs; 'wtrace list' shows all",
	 .set = wt_spec_set_providers, .values = "@providers"},
	{"stackwalk", 0, "[LIST]", "call stacks with every sample and tracepoint, or with those of LIST",
	 .set = set_stackwalk, .values = "@stacks"},
	{"unwind", 0, "HOW", "user stacks by unwind 'tables', or by frame pointers, 'fp'; default tables",
	 WT_WORD(wt_spec_take_unwind), .values = "tables fp"},
	{"stack-bytes", 0, "SIZE",
	 "bytes of each stack that are copied with tables, at most 56K; default as many as fit",
	 WT_WORD(wt_spec_take_stack_bytes)},
	{"session", 's', "NAME", "name of the session; default 'default', for record one of its own",
	 WT_WORD(wt_spec_take_session), .values = "@sessions"},
	{"output", 'o', "FILE", "file of the log when the session stops", WT_WORD(wt_spec_take_output),
	 .values = "@files"},
	{"event", 'e', "EVENT[:PERIOD],...",
	 "events to sample: cycles, cpu-clock, rNNN, pmu/term=value/..., or a name of the CPU's model",
	 WT_LIST(wt_spec_add_event), .values = "@sampled"},
	{"count-interval", 0, "TIME",
	 "interval at which provider counters reads each CPU's counters: 1ms to 3600s; default 100ms",
	 WT_WORD(wt_spec_take_count_interval)},
	{"frequency", 'F', "HZ", "samples per second and CPU; default 997", WT_WORD(wt_spec_take_frequency)},
	{"pid", 0, "PID,...",
	 "only these processes and those that they start; a program's provider needs --filter NAME:pid=PID "
	 "too",
	 WT_LIST(wt_spec_take_pid), .values = "@pids"},
	{"cpu", 0, "LIST", "only these CPUs: 0,2-3; not with programs' providers",
	 WT_LIST(wt_spec_take_cpus)},
	{"buffer-size", 0, "SIZE",
	 "size of the sample ring of each CPU, and limit of each ring of programs: 512K, 8M; 32K to 4G; "
	 "sample rings are rounded up to a power of two of pages",
	 WT_WORD(wt_spec_take_buffer)},
	{"buffers", 0, "KIND", "rings of programs: one per CPU and 'user', or one per CPU and 'process'",
	 WT_WORD(wt_spec_take_buffers), .values = "user process"},
	{"max-file", 0, "SIZE", "limit of the log: its oldest segments are dropped, and a note in it says so",
	 WT_WORD(wt_spec_take_max_file)},
	{"flush", 0, "SECONDS", "longest time until an event is in the log: 0.02 to 3600; default 1",
	 WT_WORD(wt_spec_take_flush)},
	{"filter", 0, "RULE",
	 "selects events of a program's provider: NAME:KEY=VALUE[;KEY=VALUE...], keys pid=12,13  exe=py*,sh  "
	 "id=3,4  "
	 "id=!3,4  event=req*  all=KEYWORDS  stack=3,4 (all: an event must have all of these keywords, or "
	 "none at all); "
	 "repeatable",
	 WT_WORD(wt_spec_take_filter), .values = "@registered"},
	{"manifest", 0, "FILE,...", "names the keywords of a provider that no program has registered yet",
	 WT_LIST(wt_spec_take_manifest), .values = "@files"},
	{"debuginfod", 0, NULL,
	 "at stop, ask the servers in DEBUGINFOD_URLS for debug files that are not here; they learn which "
	 "programs ran",
	 WT_FLAG(struct wt_spec, debuginfod)},
	{"force", 0, NULL, "replace FILE if it exists, when the session stops",
	 WT_FLAG(struct wt_spec, force)},
	{"json", 0, NULL, "print the settings in force as JSON", WT_FLAG(struct wt_spec, json)},
	WT_OPTIONS_END,
};
