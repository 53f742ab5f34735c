// SPDX-License-Identifier: MIT
#include "tools/session/spec_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/session/spec_word.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/nearest.h"

/* Segments of a sixteenth of it and what is pending have to fit. */
#define LEAST_FILE (UINT64_C(4) << 20)
/* The smallest ring of programs, and the largest of any. */
#define LEAST_BUFFER (UINT64_C(32) << 10)
#define MOST_BUFFER  (UINT64_C(4) << 30)
/* Seconds of --flush. */
#define LEAST_FLUSH 0.02
#define MOST_FLUSH  3600

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

/* Calls fn for each comma-separated word of the list. */
static int each_word(struct wt_spec *spec, const char *list, const char *what,
		     int (*fn)(struct wt_spec *spec, char *word, struct wt_err *err), struct wt_err *err)
{
	char *copy = strdup(list), *rest = copy, *word;
	int rc = 0;

	if (!copy)
		return wt_fail_nomem(err);
	while (rc == 0 && (word = strsep(&rest, ",")))
		rc = word[0] ? fn(spec, word, err)
			     : wt_fail(err, WT_ERR_USAGE, "empty word in %s '%s'", what, list);
	free(copy);
	return rc;
}

static int set_providers(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return each_word(ctx, value, "the provider list", wt_spec_parse_provider, err);
}

static int add_stack(struct wt_spec *spec, char *word, struct wt_err *err)
{
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
	return value ? each_word(spec, value, "--stackwalk", add_stack, err) : 0;
}

static int set_session(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_spec_copy(&((struct wt_spec *)ctx)->session, value, err);
}

static int set_output(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return wt_spec_copy(&((struct wt_spec *)ctx)->output, value, err);
}

static int set_event(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	if (spec->n_events == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d events (-e)", WT_SPEC_MAX);
	return wt_spec_copy(&spec->events[spec->n_events++], value, err);
}

static int set_frequency(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	if (wt_spec_number(value, "frequency", 1000000, &spec->frequency, err) < 0)
		return -1;
	return spec->frequency ? 0 : wt_fail(err, WT_ERR_USAGE, "a frequency of 0 Hz takes no samples");
}

static int add_pid(struct wt_spec *spec, char *word, struct wt_err *err)
{
	uint64_t pid;

	if (wt_spec_number(word, "--pid", INT_MAX, &pid, err) < 0)
		return -1;
	if (spec->n_pids == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d processes in --pid", WT_SPEC_MAX);
	spec->pids[spec->n_pids++] = (pid_t)pid;
	return 0;
}

static int set_pid(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return each_word(ctx, value, "--pid", add_pid, err);
}

static int add_cpus(struct wt_spec *spec, char *word, struct wt_err *err)
{
	char *dash = strchr(word, '-');
	uint64_t first, last;

	if (dash)
		*dash = 0;
	if (wt_spec_number(word, "--cpu", 65535, &first, err) < 0 ||
	    wt_spec_number(dash ? dash + 1 : word, "--cpu", 65535, &last, err) < 0)
		return -1;
	if (last < first)
		return wt_fail(err, WT_ERR_USAGE, "--cpu %s-%s runs backwards", word, dash + 1);
	for (; first <= last; first++) {
		if (spec->n_cpus == WT_SPEC_MAX)
			return wt_fail(err, WT_ERR_LIMIT, "more than %d CPUs in --cpu", WT_SPEC_MAX);
		spec->cpus[spec->n_cpus++] = (uint32_t)first;
	}
	return 0;
}

static int set_cpu(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	return each_word(ctx, value, "--cpu", add_cpus, err);
}

static int add_text(char **list, size_t *n, const char *what, const char *value, struct wt_err *err)
{
	if (*n == WT_SPEC_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "more than %d times %s", WT_SPEC_MAX, what);
	list[*n] = NULL;
	return wt_spec_copy(&list[(*n)++], value, err);
}

static int set_filter(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	return add_text(spec->filters, &spec->n_filters, "--filter", value, err);
}

static int set_manifest(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_spec *spec = ctx;

	(void)option;
	return add_text(spec->manifests, &spec->n_manifests, "--manifest", value, err);
}

static int set_buffers(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"user", "process"};
	struct wt_spec *spec = ctx;

	(void)option;
	if (!strcmp(value, "user"))
		spec->buffers = WT_BUFFERS_USER;
	else if (!strcmp(value, "process"))
		spec->buffers = WT_BUFFERS_PROCESS;
	else
		return wt_fail_unknown(err, "kind of buffers", value, words, 2);
	return 0;
}

static int set_unwind(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const char *const words[] = {"tables", "fp"};
	struct wt_spec *spec = ctx;

	(void)option;
	if (!strcmp(value, "tables"))
		spec->unwind = WT_UNWIND_TABLES;
	else if (!strcmp(value, "fp"))
		spec->unwind = WT_UNWIND_FP;
	else
		return wt_fail_unknown(err, "way to walk stacks", value, words, 2);
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

static int set_force(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	(void)value;
	(void)err;
	((struct wt_spec *)ctx)->force = true;
	return 0;
}

static int set_json(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option;
	(void)value;
	(void)err;
	((struct wt_spec *)ctx)->json = true;
	return 0;
}

const struct wt_option wt_spec_options[] = {
	{"providers", 'p', WT_OPT_VALUE, set_providers},
	{"stackwalk", 0, WT_OPT_OPTIONAL, set_stackwalk},
	{"unwind", 0, WT_OPT_VALUE, set_unwind},
	{"stack-bytes", 0, WT_OPT_VALUE, set_stack_bytes},
	{"session", 's', WT_OPT_VALUE, set_session},
	{"output", 'o', WT_OPT_VALUE, set_output},
	{"event", 'e', WT_OPT_VALUE, set_event},
	{"frequency", 'F', WT_OPT_VALUE, set_frequency},
	{"pid", 0, WT_OPT_VALUE, set_pid},
	{"cpu", 0, WT_OPT_VALUE, set_cpu},
	{"buffer-size", 0, WT_OPT_VALUE, set_buffer},
	{"max-file", 0, WT_OPT_VALUE, set_max_file},
	{"flush", 0, WT_OPT_VALUE, set_flush},
	{"buffers", 0, WT_OPT_VALUE, set_buffers},
	{"filter", 0, WT_OPT_VALUE, set_filter},
	{"manifest", 0, WT_OPT_VALUE, set_manifest},
	{"force", 0, WT_OPT_FLAG, set_force},
	{"json", 0, WT_OPT_FLAG, set_json},
};
const size_t wt_spec_n_options = sizeof(wt_spec_options) / sizeof(wt_spec_options[0]);
