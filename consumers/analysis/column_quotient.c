/* SPDX-License-Identifier: MIT */
/* Reads the word of a column: a plain column, or one sum divided by another. */
#include "consumers/analysis/column.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/select.h"

/* The words of counters of CPUs; the second is the first's other name. */
static const char *const ipc[] = {"instructions/cycles", "instructions/cpu_cycles"};
enum { N_IPC = sizeof(ipc) / sizeof(*ipc) };

static const char of_source[] = "weight:";

/* The weight of the samples of one event; its name is as wt_view_find_source gives it. */
static int init_source(struct wt_view_file *file, const char *source, struct wt_view_column *ret,
		       struct wt_err *err)
{
	if (wt_view_column_init_plain(file, "weight", ret, err))
		return -1;
	ret->source = source;
	return 0;
}

/* An event may have a name that no field can have: page-faults, sched:sched_switch. */
static void make_field(char *word)
{
	for (char *p = word; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '.' && *p != '_')
			*p = '_';
}

/* FIELD or sum:FIELD. */
static int init_field(struct wt_view_file *file, char *side, struct wt_view_column *ret, struct wt_err *err)
{
	struct wt_err ignored = WT_ERR_INIT;

	if (!wt_view_column_init_plain(file, side, ret, &ignored))
		return 0;
	make_field(side + strlen("sum:"));
	return wt_view_column_init_plain(file, side, ret, err);
}

/* FIELD, sum:FIELD, or an event that was sampled, of len bytes. */
static int init_side(struct wt_view_file *file, const char *side, size_t len, struct wt_view_column *ret,
		     struct wt_err *err)
{
	static const char sum[] = "sum:";
	bool is_sum = len >= strlen(sum) && !memcmp(side, sum, strlen(sum));
	char *word = malloc(strlen(sum) + len + 1), *name;
	const char *source;
	int rc;

	if (!word)
		return wt_fail_nomem(err);
	memcpy(word, sum, strlen(sum));
	name = word + (is_sum ? 0 : strlen(sum));
	memcpy(name, side, len);
	name[len] = 0;
	source = is_sum ? NULL : wt_view_find_source(file, name);
	rc = source ? init_source(file, source, ret, err) : init_field(file, word, ret, err);
	free(word);
	return rc;
}

static int init_sides(struct wt_view_file *file, const char *word, const char *slash,
		      struct wt_view_column *ret, struct wt_err *err)
{
	struct wt_view_column *over = calloc(1, sizeof(*over));

	if (!over)
		return wt_fail_nomem(err);
	if (init_side(file, word, (size_t)(slash - word), ret, err)) {
		free(over);
		return -1;
	}
	if (init_side(file, slash + 1, strlen(slash + 1), over, err)) {
		wt_view_column_deinit(ret);
		free(over);
		return -1;
	}
	if (!ret->source != !over->source) {
		wt_view_column_deinit(over);
		wt_view_column_deinit(ret);
		free(over);
		return wt_fail(err, WT_ERR_USAGE,
			       "column '%.80s': one of the two events was sampled, the other was counted; "
			       "the count is sum:FIELD",
			       word);
	}
	ret->what = WT_COLUMN_QUOTIENT;
	ret->real |= over->real;
	over->real = ret->real;
	ret->over = over;
	return 0;
}

/* A side may itself hold a '/', between a provider and its event. */
static int divide(struct wt_view_file *file, const char *word, struct wt_view_column *ret, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;

	for (const char *slash = strchr(word, '/'); slash; slash = strchr(slash + 1, '/'))
		if (!init_sides(file, word, slash, ret, slash == strchr(word, '/') ? err : &why))
			return 0;
	return -1;
}

static int init_quotient(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
			 struct wt_err *err)
{
	bool is_ipc = !strcmp(word, "ipc");
	int rc = -1;

	for (size_t i = 0; is_ipc && i < N_IPC && rc; i++)
		rc = divide(file, ipc[i], ret, err);
	if (is_ipc && rc && err->code == WT_ERR_USAGE)
		return wt_fail(err, WT_ERR_USAGE,
			       "column 'ipc' is instructions/cycles, and the log does not have both "
			       "(-e instructions -e cycles, or -p counters:instructions+cycles)");
	if (!is_ipc)
		rc = divide(file, word, ret, err);
	if (rc)
		return -1;
	return wt_view_column_retitle(ret, word, err);
}

/* weight:EVENT */
static int init_weight(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
		       struct wt_err *err)
{
	const char *source = wt_view_find_source(file, word + strlen(of_source));

	if (!source)
		return wt_fail(err, WT_ERR_USAGE, "column '%.80s': the log has no samples of that event",
			       word);
	return init_source(file, source, ret, err) ? -1 : wt_view_column_retitle(ret, word, err);
}

/* A provider and its event have a '/' between them too. */
int wt_view_column_init(struct wt_view_file *file, const char *word, struct wt_view_column *ret,
			struct wt_err *err)
{
	bool may_divide = strchr(word, '/') || !strcmp(word, "ipc");
	struct wt_err ignored = WT_ERR_INIT;

	if (!strncmp(word, of_source, strlen(of_source)))
		return init_weight(file, word, ret, err);
	if (!may_divide)
		return wt_view_column_init_plain(file, word, ret, err);
	if (!wt_view_column_init_plain(file, word, ret, &ignored))
		return 0;
	return init_quotient(file, word, ret, err);
}
