// SPDX-License-Identifier: MIT
#include "tools/sample/args.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/counting/length.h"
#include "consumers/session/spec_word.h"
#include "tracecore/base/diag.h"

/* Default number of rows of a table: as wperf. */
enum { ROWS = 50 };

int wt_sample_set_timeout(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_sample_args *args = ctx;

	if (args->timeout)
		return wt_fail(err, WT_ERR_USAGE, "--%s is given twice", option ? option->name : "timeout");
	args->timeout = value;
	if (wt_length_parse(value, &args->length))
		return 0;
	return wt_fail(
		err, WT_ERR_USAGE,
		"--timeout '%.40s' is not a length of time: a number with at most two decimals, then ms, s, "
		"m, h or d (seconds without)",
		value);
}

const struct wt_option wt_sample_options[] = {
	{"annotate", 0, NULL, "source lines with their hits below the table, for each function in it",
	 WT_FLAG(struct wt_sample_args, annotate)},
	{"disassemble", 0, NULL, "as --annotate, with the instructions of each line",
	 WT_FLAG(struct wt_sample_args, disassemble)},
	{"sample-display-row", 0, "N", "rows of each event, 0 for all; default 50",
	 WT_TEXT(struct wt_sample_args, rows)},
	{"sample-display-long", 0, NULL, "names as symbol tables have them: not demangled",
	 WT_FLAG(struct wt_sample_args, mangled)},
	{"pdb_file", 0, "FILE",
	 "named in the JSON; debug files are found by build id and by the link in the program",
	 WT_TEXT(struct wt_sample_args, pdb_file), .values = "@files"},
	{"output-csv", 0, "FILE", "of no effect: a timeline is stat's, and samples have none",
	 WT_TEXT(struct wt_sample_args, csv)},
	{"force-lock", 0, NULL, "of no effect: events have no owner here",
	 WT_FLAG(struct wt_sample_args, force_lock)},
	WT_OPTIONS_END,
};

static int check_file(const char *path, const char *what, const char *option, struct wt_err *err)
{
	if (!path || !access(path, F_OK))
		return 0;
	return wt_fail_errno(err, "%s '%.200s' (--%s)", what, path, option);
}

static int keep_words(struct wt_sample_args *args, struct wt_err *err)
{
	size_t n = 0;

	for (; n < args->spec.n_events; n++)
		if (!(args->words[n] = strdup(args->spec.events[n])))
			return wt_fail_nomem(err);
	args->choice.words = (const char *const *)args->words;
	args->choice.n_words = n;
	return 0;
}

/* An output that cannot be written is an error before sampling. */
static int open_output(struct wt_sample_args *args, struct wt_err *err)
{
	size_t len = args->output ? strlen(args->output) : 0;

	if (!args->output)
		return 0;
	if (len > 4 && !strcmp(args->output + len - 4, ".etl"))
		return wt_fail(
			err, WT_ERR_USAGE,
			"-o %.200s: sample writes tables or JSON; a log is written by: wtrace record -o "
			"%.200s -- COMMAND",
			args->output, args->output);
	args->fd = open(args->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return args->fd >= 0 ? 0 : wt_fail_errno(err, "cannot write %.300s", args->output);
}

int wt_sample_args_settle(struct wt_sample_args *args, struct wt_err *err)
{
	struct wt_sample_choice *choice = &args->choice;
	uint64_t rows = ROWS;

	if (!args->timeout)
		args->length = UINT64_MAX;
	if (args->rows && wt_spec_number(args->rows, "--sample-display-row", UINT32_MAX, &rows, err))
		return -1;
	if (args->symbol && !args->symbol[strspn(args->symbol, "^$")])
		return wt_fail(err, WT_ERR_USAGE, "--symbol needs the name of a function");
	args->fd = -1;
	if (check_file(args->pe_file, "program file", "pe_file", err) ||
	    check_file(args->pdb_file, "debug file", "pdb_file", err))
		return -1;
	if (args->force_lock)
		wt_note("--force-lock has no effect: events have no owner in wtrace");
	if (args->csv)
		wt_note("--output-csv has no effect: the CSV file is a timeline's, which wtrace stat -t "
			"writes");
	if (args->pdb_file)
		wt_note("--pdb_file is not read: debug files are found by build id and by the link in the "
			"program");
	choice->rows = (uint32_t)rows;
	choice->symbol = args->symbol;
	choice->pe_file = args->pe_file;
	choice->pdb_file = args->pdb_file;
	choice->mangled = args->mangled;
	choice->annotate = args->annotate || args->disassemble;
	choice->disassemble = args->disassemble;
	choice->details = wt_diag_verbose();
	return keep_words(args, err) || open_output(args, err) ? -1 : 0;
}

void wt_sample_args_deinit(struct wt_sample_args *args)
{
	for (size_t i = 0; i < WT_SPEC_MAX && args->words[i]; i++)
		free(args->words[i]);
	if (args->output && args->fd >= 0)
		close(args->fd);
	wt_spec_deinit(&args->spec);
}
