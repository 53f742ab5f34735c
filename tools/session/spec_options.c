// SPDX-License-Identifier: MIT
#include "tools/session/spec_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/counting/sampled_word.h"
#include "consumers/session/spec_set.h"
#include "consumers/session/spec_word.h"
#include "consumers/session/workload.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/nearest.h"

/* Least size: segments of a sixteenth of it, and the pending bytes, have to fit. */
#define LEAST_FILE (UINT64_C(4) << 20)
/* The smallest ring of programs, and the largest of any. */
#define LEAST_BUFFER (UINT64_C(32) << 10)
#define MOST_BUFFER  (UINT64_C(4) << 30)
/* Seconds of --flush. */
#define LEAST_FLUSH 0.02
#define MOST_FLUSH  3600
/* Of --count-interval. */
#define LEAST_COUNT_NS 1e6
#define MOST_COUNT_NS  3600e9

int wt_parse_size(const char *text, uint64_t *ret, struct wt_err *err)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	unsigned shift = 0;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (*end && (unit = strchr(units, toupper((unsigned char)*end))))
		shift = 10 * (unsigned)(unit - units + 1), end++;
	if (!isdigit((unsigned char)text[0]) || *end || errno || *ret > UINT64_MAX >> shift)
		return wt_fail(err, WT_ERR_USAGE, "'%s' is not a size: digits, then K, M or G", text);
	*ret <<= shift;
	return 0;
}

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
	return wt_options_each(value, "the provider list", add_provider, ctx, err);
}

static int add_stack(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	char *rest = word;

	word = strsep(&rest, "+");
	if (rest && add_stack(ctx, rest, err))
		return -1;
	if (spec->n_stack_list == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d names in --stackwalk", WT_SPEC_MAX);
	spec->stack_list[spec->n_stack_list] = NULL;
	return wt_spec_copy(&spec->stack_list[spec->n_stack_list++], word, err);
}

static int set_stackwalk(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	if (!value)
		spec->stackwalk = true;
	return value ? wt_options_each(value, "--stackwalk", add_stack, spec, err) : 0;
}

int wt_spec_set_session(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	if (value[0] == '-')
		return wt_fail(err, WT_ERR_USAGE, "-s needs the name of a session, and '%s' is an option",
			       value);
	return wt_spec_copy(&((struct wt_spec *)ctx)->session, value, err);
}

static int set_output(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_spec_copy(&((struct wt_spec *)ctx)->output, value, err);
}

/* True for SUBSYSTEM:EVENT, as in perf and trace-cmd. Behind the colon of a sampled event stands a number
 * or, as in perf, letters for kernel and user mode. */
static bool is_tracepoint(const char *word)
{
	const char *event = strchr(word, ':');

	return event && event > word && !strchr(word, '/') &&
	       (isalpha((unsigned char)event[1]) || event[1] == '*') &&
	       event[1 + strspn(event + 1, "ukhpPSDGHIe")];
}

static int add_tracepoint(struct wt_spec *spec, const char *word, struct wt_err *err)
{
	char *full;
	int rc;

	if (asprintf(&full, "linux:%s", word) < 0)
		return wt_fail_nomem(err);
	rc = wt_spec_parse_provider(spec, full, err);
	free(full);
	return rc;
}

static int add_sampled(void *ctx, const char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	if (spec->n_events == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d events (-e)", WT_SPEC_MAX);
	return wt_spec_copy(&spec->events[spec->n_events++], word, err);
}

static int add_event(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	if (word[0] == '{')
		return wt_fail(err, WT_ERR_USAGE,
			       "'%.80s' begins a group of events: a recording samples each event by itself, "
			       "-e EVENT,EVENT; groups are counted by wtrace stat -e '{EVENT,EVENT}'",
			       word);
	if (!strcmp(word, "all"))
		return wt_fail(err, WT_ERR_USAGE,
			       "'all' tracepoints at once are not recorded: -e 'SUBSYSTEM:*', as wtrace list "
			       "events shows them");
	if (is_tracepoint(word))
		return add_tracepoint(spec, word, err);
	return wt_sampled_word(word, NULL, add_sampled, spec, err);
}

int wt_spec_set_events(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_options_each(value, "--event", add_event, ctx, err);
}

static int set_frequency(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	if (!strcmp(value, "max"))
		return wt_fail(err, WT_ERR_USAGE,
			       "frequency 'max': at as many samples as the kernel allows, a CPU does little "
			       "else; ten times the default is: -F 9999");
	/* -F is a flag to trace-cmd, and the command follows. */
	if (isalpha((unsigned char)value[0]) && !wt_workload_find(value, NULL, NULL))
		return wt_fail(err, WT_ERR_USAGE,
			       "frequency '%s' is not a number from 0 to 1000000; to record the "
			       "command '%s': wtrace record -o FILE -- %s",
			       value, value, value);
	if (value[0] == '-' && !isdigit((unsigned char)value[1]))
		return wt_fail(
			err, WT_ERR_USAGE,
			"frequency '%s' is not a number from 0 to 1000000; trace-cmd's -F, a command and no "
			"other process, is --pid PID, or wtrace view LOG --where \"comm == 'NAME'\"",
			value);
	if (wt_spec_number(value, "frequency", 1000000, &spec->frequency, err) < 0)
		return -1;
	return spec->frequency ? 0 : wt_fail(err, WT_ERR_USAGE, "a frequency of 0 Hz takes no samples");
}

static int add_pid(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	uint64_t pid;

	if (wt_spec_number(word, "--pid", INT_MAX, &pid, err) < 0)
		return -1;
	if (spec->n_pids == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d processes in --pid", WT_SPEC_MAX);
	spec->pids[spec->n_pids++] = (pid_t)pid;
	return 0;
}

int wt_spec_set_pids(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_options_each(value, "--pid", add_pid, ctx, err);
}

static int add_cpus(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	char *dash = strchr(word, '-');
	uint64_t first, last;

	if (dash)
		*dash = 0;
	if (wt_spec_number(word, "--cpu", 65535, &first, err) < 0 ||
	    wt_spec_number(dash ? dash + 1 : word, "--cpu", 65535, &last, err) < 0)
		return -1;
	if (last < first)
		return wt_fail(err, WT_ERR_USAGE, "--cpu %s-%s begins with the larger number", word,
			       dash + 1);
	for (; first <= last; first++) {
		if (spec->n_cpus == WT_SPEC_MAX)
			return wt_fail(err, WT_ERR_LIMIT, "more than %d CPUs in --cpu", WT_SPEC_MAX);
		spec->cpus[spec->n_cpus++] = (uint32_t)first;
	}
	return 0;
}

int wt_spec_set_cpus(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_options_each(value, "--cpu", add_cpus, ctx, err);
}

static int add_text(char **list, size_t *n, const char *what, const char *value, struct wt_err *err)
{
	if (*n == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d times %s", WT_SPEC_MAX, what);
	list[*n] = NULL;
	return wt_spec_copy(&list[(*n)++], value, err);
}

int wt_spec_set_filter(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	return add_text(spec->filters, &spec->n_filters, "--filter", value, err);
}

int wt_spec_add_manifest(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	return add_text(spec->manifests, &spec->n_manifests, "--manifest", word, err);
}

static int set_buffers(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"user", "process"};
	int at = wt_one_of(err, "kind of buffers", value, words, 2);

	(void)option;
	if (at < 0)
		return -1;
	((struct wt_spec *)ctx)->buffers = at ? WT_BUFFERS_PROCESS : WT_BUFFERS_USER;
	return 0;
}

static int set_unwind(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"tables", "fp"};
	int at = wt_one_of(err, "way to walk stacks", value, words, 2);

	(void)option;
	if (at < 0)
		return -1;
	((struct wt_spec *)ctx)->unwind = at ? WT_UNWIND_FP : WT_UNWIND_TABLES;
	return 0;
}

/* The kernel copies whole words. */
static int set_stack_bytes(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	uint64_t bytes;

	(void)option;
	if (wt_parse_size(value, &bytes, err) < 0)
		return -1;
	if (!bytes || bytes > WT_PERF_STACK_MOST)
		return wt_fail(err, WT_ERR_USAGE, "--stack-bytes %s is not between 1 and %d", value,
			       WT_PERF_STACK_MOST);
	spec->stack_bytes = (uint32_t)(bytes + 7) & ~7u;
	return 0;
}

static int set_buffer(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	uint64_t *bytes = &((struct wt_spec *)ctx)->buffer_bytes;

	(void)option;
	if (wt_parse_size(value, bytes, err) < 0)
		return -1;
	if (*bytes < LEAST_BUFFER || *bytes > MOST_BUFFER)
		return wt_fail(err, WT_ERR_USAGE, "--buffer-size %s is not between 32K and 4G", value);
	return 0;
}

static int set_max_file(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	uint64_t *bytes = &((struct wt_spec *)ctx)->max_file;

	(void)option;
	if (wt_parse_size(value, bytes, err) < 0)
		return -1;
	if (*bytes < LEAST_FILE)
		return wt_fail(err, WT_ERR_USAGE,
			       "--max-file %s is too small: a log needs 4M to drop its oldest part", value);
	return 0;
}

static int set_flush(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	char *end;
	double seconds = strtod(value, &end);

	(void)option;
	if (end == value || *end || !(seconds >= LEAST_FLUSH && seconds <= MOST_FLUSH))
		return wt_fail(err, WT_ERR_USAGE, "--flush %.40s is not between %g and %d seconds", value,
			       LEAST_FLUSH, MOST_FLUSH);
	((struct wt_spec *)ctx)->flush_ns = (uint64_t)(seconds * WT_NSEC);
	return 0;
}

static int set_count_interval(void *ctx, const struct wt_option *option, const char *value,
			      struct wt_err *err)
{
	char *end;
	double number = strtod(value, &end), ns = number * (!strcmp(end, "s") ? 1e9 : 1e6);

	(void)option;
	if (end == value || (strcmp(end, "ms") && strcmp(end, "s")) ||
	    !(ns >= LEAST_COUNT_NS && ns <= MOST_COUNT_NS))
		return wt_fail(err, WT_ERR_USAGE,
			       "--count-interval %.40s is not a time from 1ms to 3600s, such as 10ms or 1s",
			       value);
	((struct wt_spec *)ctx)->count_ns = (uint64_t)ns;
	return 0;
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
	 .set = set_unwind, .values = "tables fp"},
	{"stack-bytes", 0, "SIZE",
	 "bytes of each stack that are copied with tables, at most 56K; default as many as fit",
	 .set = set_stack_bytes},
	{"session", 's', "NAME", "name of the session; default 'default', for record one of its own",
	 .set = wt_spec_set_session, .values = "@sessions"},
	{"output", 'o', "FILE", "file of the log when the session stops", .set = set_output,
	 .values = "@files"},
	{"event", 'e', "EVENT[:PERIOD],...",
	 "events to sample: cycles, cpu-clock, rNNN, pmu/term=value/..., or a name of the CPU's model",
	 WT_LIST(add_event), .values = "@sampled"},
	{"count-interval", 0, "TIME",
	 "interval at which provider counters reads each CPU's counters: 1ms to 3600s; default 100ms",
	 .set = set_count_interval},
	{"frequency", 'F', "HZ", "samples per second and CPU; default 997", .set = set_frequency},
	{"pid", 0, "PID,...",
	 "only these processes and those that they start; a program's provider needs --filter NAME:pid=PID "
	 "too",
	 WT_LIST(add_pid), .values = "@pids"},
	{"cpu", 0, "LIST", "only these CPUs: 0,2-3; not with programs' providers", WT_LIST(add_cpus)},
	{"buffer-size", 0, "SIZE",
	 "size of the sample ring of each CPU, and limit of each ring of programs: 512K, 8M; 32K to 4G; "
	 "sample rings are rounded up to a power of two of pages",
	 .set = set_buffer},
	{"buffers", 0, "KIND", "rings of programs: one per CPU and 'user', or one per CPU and 'process'",
	 .set = set_buffers, .values = "user process"},
	{"max-file", 0, "SIZE", "limit of the log: its oldest segments are dropped, and a note in it says so",
	 .set = set_max_file},
	{"flush", 0, "SECONDS", "longest time until an event is in the log: 0.02 to 3600; default 1",
	 .set = set_flush},
	{"filter", 0, "RULE",
	 "selects events of a program's provider: NAME:KEY=VALUE[;KEY=VALUE...], keys pid=12,13  exe=py*,sh  "
	 "id=3,4  "
	 "id=!3,4  event=req*  all=KEYWORDS  stack=3,4 (all: an event must have all of these keywords, or "
	 "none at all); "
	 "repeatable",
	 .set = wt_spec_set_filter, .values = "@registered"},
	{"manifest", 0, "FILE,...", "names the keywords of a provider that no program has registered yet",
	 WT_LIST(wt_spec_add_manifest), .values = "@files"},
	{"debuginfod", 0, NULL,
	 "at stop, ask the servers in DEBUGINFOD_URLS for debug files that are not here; they learn which "
	 "programs ran",
	 WT_FLAG(struct wt_spec, debuginfod)},
	{"force", 0, NULL, "replace FILE if it exists, when the session stops",
	 WT_FLAG(struct wt_spec, force)},
	{"json", 0, NULL, "print the settings in force as JSON", WT_FLAG(struct wt_spec, json)},
	WT_OPTIONS_END,
};
