/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The wtrace command line: one table, one file per command.
 *
 * A command is a row {name, function, one line of help, full help}. main() finds it, takes the common options
 * (-q, -v, --help) out, calls it, prints the error it returns ("wtrace COMMAND: text") on standard error and
 * turns it into the exit code: 0 done, 1 failed, 2 usage (WT_ERR_USAGE), 3 data was lost and --strict was
 * given. Results go to standard output, everything else to standard error.
 */
#ifndef TOOLS_CMD_H
#define TOOLS_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

enum wt_exit { WT_EXIT_OK = 0, WT_EXIT_FAILED = 1, WT_EXIT_USAGE = 2, WT_EXIT_LOSSY = 3 };

struct wt_command {
	const char *name;
	/** argv[0] is the command's name. Returns an exit code; on failure err says why (empty: already
	 * said). */
	int (*run)(int argc, char **argv, struct wt_err *err);
	const char *line; /**< one line for the list of commands */
	const char *help; /**< usage, options and examples, ended by a newline */
};

extern const struct wt_command wt_commands[];
extern const size_t wt_n_commands;

int cmd_start(int argc, char **argv, struct wt_err *err);
int cmd_stop(int argc, char **argv, struct wt_err *err);
int cmd_record(int argc, char **argv, struct wt_err *err);
int cmd_status(int argc, char **argv, struct wt_err *err);
int cmd_list(int argc, char **argv, struct wt_err *err);
int cmd_view(int argc, char **argv, struct wt_err *err);
int cmd_dump(int argc, char **argv, struct wt_err *err);
int cmd_info(int argc, char **argv, struct wt_err *err);
int cmd_verify(int argc, char **argv, struct wt_err *err);
int cmd_merge(int argc, char **argv, struct wt_err *err);
int cmd_relog(int argc, char **argv, struct wt_err *err);
int cmd_export(int argc, char **argv, struct wt_err *err);
int cmd_mark(int argc, char **argv, struct wt_err *err);
int cmd_enable(int argc, char **argv, struct wt_err *err);
int cmd_disable(int argc, char **argv, struct wt_err *err);
int cmd_recover(int argc, char **argv, struct wt_err *err);
int cmd_doctor(int argc, char **argv, struct wt_err *err);
int cmd_manifest(int argc, char **argv, struct wt_err *err);

extern const char cmd_start_help[], cmd_stop_help[], cmd_record_help[], cmd_status_help[], cmd_list_help[],
	cmd_enable_help[], cmd_disable_help[], cmd_recover_help[], cmd_view_help[], cmd_dump_help[],
	cmd_info_help[], cmd_verify_help[], cmd_export_help[], cmd_mark_help[], cmd_doctor_help[],
	cmd_manifest_help[], cmd_merge_help[], cmd_relog_help[];

/** One option of a command. Options are given as --name VALUE, --name=VALUE, -x VALUE or -xVALUE; a long
 * one's name behind one dash is refused. */
struct wt_option {
	const char *name;                                        /**< without dashes */
	char letter;                                             /**< 0: none */
	enum { WT_OPT_FLAG, WT_OPT_VALUE, WT_OPT_OPTIONAL } arg; /**< OPTIONAL: only as --name=VALUE */
	/** Called for each use, in order; value is NULL for a flag and for an OPTIONAL without one. */
	int (*set)(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err);
};

/** Parses options up to the first "--" or the end. Words that are not options are handed to `word` (NULL:
 * refused). Unknown options fail with WT_ERR_USAGE naming the nearest one. Returns the index behind "--", or
 * argc; -1. */
int wt_options_parse(int argc, char **argv, const struct wt_option *options, size_t n,
		     int (*word)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		     struct wt_err *err);

/** Writes the text to standard output, in one piece, so that the reason of a failure is known. A reader that
 * has gone away is a failure without a text in err. */
int wt_output_put(const struct wt_buf *text, struct wt_err *err);
/** Brings out what was written to standard output; fails the same way. */
int wt_output_end(struct wt_err *err);

#endif
