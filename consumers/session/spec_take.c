// SPDX-License-Identifier: MIT
#include "consumers/session/spec_take.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int wt_spec_take_stack(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	char *rest = word;

	word = strsep(&rest, "+");
	if (rest && wt_spec_take_stack(ctx, rest, err))
		return -1;
	if (spec->n_stack_list == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d names in --stackwalk", WT_SPEC_MAX);
	spec->stack_list[spec->n_stack_list] = NULL;
	return wt_spec_copy(&spec->stack_list[spec->n_stack_list++], word, err);
}

int wt_spec_take_session(void *ctx, const char *value, struct wt_err *err)
{
	if (value[0] == '-')
		return wt_fail(err, WT_ERR_USAGE, "-s needs the name of a session, and '%s' is an option",
			       value);
	return wt_spec_copy(&((struct wt_spec *)ctx)->session, value, err);
}

int wt_spec_take_output(void *ctx, const char *value, struct wt_err *err)
{
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

static int take_tracepoint(struct wt_spec *spec, const char *word, struct wt_err *err)
{
	char *full;
	int rc;

	if (asprintf(&full, "linux:%s", word) < 0)
		return wt_fail_nomem(err);
	rc = wt_spec_parse_provider(spec, full, err);
	free(full);
	return rc;
}

int wt_spec_take_event(struct wt_spec *spec, const char *word, struct wt_err *err)
{
	if (word[0] == '{')
		return wt_fail(err, WT_ERR_USAGE,
			       "'%.80s' begins a group of events: a recording samples each event by itself, "
			       "-e EVENT,EVENT; groups are counted by wtrace stat -e '{EVENT,EVENT}'",
			       word);
	if (!strcmp(word, "all"))
		return wt_fail(err, WT_ERR_USAGE,
			       "'all' tracepoints at once are not recorded: -e 'SUBSYSTEM:*', as wtrace list "
			       "events shows them");
	return is_tracepoint(word) ? take_tracepoint(spec, word, err) : 1;
}

int wt_spec_take_sampled(void *ctx, const char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	if (spec->n_events == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d events (-e)", WT_SPEC_MAX);
	return wt_spec_copy(&spec->events[spec->n_events++], word, err);
}

int wt_spec_take_frequency(void *ctx, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

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

int wt_spec_take_pid(void *ctx, char *word, struct wt_err *err)
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

int wt_spec_take_cpus(void *ctx, char *word, struct wt_err *err)
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

static int add_text(char **list, size_t *n, const char *what, const char *value, struct wt_err *err)
{
	if (*n == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d times %s", WT_SPEC_MAX, what);
	list[*n] = NULL;
	return wt_spec_copy(&list[(*n)++], value, err);
}

int wt_spec_take_filter(void *ctx, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	return add_text(spec->filters, &spec->n_filters, "--filter", value, err);
}

int wt_spec_take_manifest(void *ctx, char *word, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	return add_text(spec->manifests, &spec->n_manifests, "--manifest", word, err);
}

int wt_spec_take_buffers(void *ctx, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"user", "process"};
	int at = wt_one_of(err, "kind of buffers", value, words, 2);

	if (at < 0)
		return -1;
	((struct wt_spec *)ctx)->buffers = at ? WT_BUFFERS_PROCESS : WT_BUFFERS_USER;
	return 0;
}

int wt_spec_take_unwind(void *ctx, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"tables", "fp"};
	int at = wt_one_of(err, "way to walk stacks", value, words, 2);

	if (at < 0)
		return -1;
	((struct wt_spec *)ctx)->unwind = at ? WT_UNWIND_FP : WT_UNWIND_TABLES;
	return 0;
}

/* The kernel copies whole words. */
int wt_spec_take_stack_bytes(void *ctx, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;
	uint64_t bytes;

	if (wt_parse_size(value, &bytes, err) < 0)
		return -1;
	if (!bytes || bytes > WT_PERF_STACK_MOST)
		return wt_fail(err, WT_ERR_USAGE, "--stack-bytes %s is not between 1 and %d", value,
			       WT_PERF_STACK_MOST);
	spec->stack_bytes = (uint32_t)(bytes + 7) & ~7u;
	return 0;
}

int wt_spec_take_buffer(void *ctx, const char *value, struct wt_err *err)
{
	uint64_t *bytes = &((struct wt_spec *)ctx)->buffer_bytes;

	if (wt_parse_size(value, bytes, err) < 0)
		return -1;
	if (*bytes < LEAST_BUFFER || *bytes > MOST_BUFFER)
		return wt_fail(err, WT_ERR_USAGE, "--buffer-size %s is not between 32K and 4G", value);
	return 0;
}

int wt_spec_take_max_file(void *ctx, const char *value, struct wt_err *err)
{
	uint64_t *bytes = &((struct wt_spec *)ctx)->max_file;

	if (wt_parse_size(value, bytes, err) < 0)
		return -1;
	if (*bytes < LEAST_FILE)
		return wt_fail(err, WT_ERR_USAGE,
			       "--max-file %s is too small: a log needs 4M to drop its oldest part", value);
	return 0;
}

int wt_spec_take_flush(void *ctx, const char *value, struct wt_err *err)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds >= LEAST_FLUSH && seconds <= MOST_FLUSH))
		return wt_fail(err, WT_ERR_USAGE, "--flush %.40s is not between %g and %d seconds", value,
			       LEAST_FLUSH, MOST_FLUSH);
	((struct wt_spec *)ctx)->flush_ns = (uint64_t)(seconds * WT_NSEC);
	return 0;
}

int wt_spec_take_count_interval(void *ctx, const char *value, struct wt_err *err)
{
	char *end;
	double number = strtod(value, &end), ns = number * (!strcmp(end, "s") ? 1e9 : 1e6);

	if (end == value || (strcmp(end, "ms") && strcmp(end, "s")) ||
	    !(ns >= LEAST_COUNT_NS && ns <= MOST_COUNT_NS))
		return wt_fail(err, WT_ERR_USAGE,
			       "--count-interval %.40s is not a time from 1ms to 3600s, such as 10ms or 1s",
			       value);
	((struct wt_spec *)ctx)->count_ns = (uint64_t)ns;
	return 0;
}
