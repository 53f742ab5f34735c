/* SPDX-License-Identifier: MIT */
/** The command lines of view, annotate, dump and relog, as the user typed them. */
#ifndef TOOLS_VIEW_ARGS_H
#define TOOLS_VIEW_ARGS_H

#include "tools/cmd.h"
#include "consumers/analysis/facts.h"
#include "consumers/analysis/question.h"

struct wt_view_args {
	const char *path;
	struct wt_question ask;
	const char *session;             /**< the session whose log is read */
	const char *top, *min, *threads; /**< view only; annotate has top too */
	const char *output;              /**< annotate, and relog, as are pids, drop_stacks and force */
	const char *process, *source_prefix, *disassembler; /**< annotate, as are the next lines */
	char **functions;                                   /**< owned */
	size_t n_functions;
	bool annotate, no_source, no_asm;
	char **pids; /**< owned */
	size_t n_pids;
	bool drop_stacks, force;
	bool json, csv, strict;
	bool absolute, stack; /**< dump only */
};

enum wt_view_command { WT_ARGS_VIEW, WT_ARGS_DUMP, WT_ARGS_RELOG, WT_ARGS_ANNOTATE };

/** Reads the words of a command. Undo with wt_view_args_deinit, also after a failure. */
int wt_view_args_parse(enum wt_view_command command, int argc, char **argv, struct wt_view_args *ret,
		       struct wt_err *err);
void wt_view_args_deinit(struct wt_view_args *args);

/** Adds a word of the option --event; ctx is a struct wt_view_args. */
int wt_view_add_event(void *ctx, char *word, struct wt_err *err);

/** Writes the place of an error to standard error, and empties it. */
void wt_view_args_show(struct wt_buf *shown);

/** Ends a command: returns exit code 3 with an error when data is missing and --strict was given; otherwise
 * 0, with a warning when `warn` says that the output itself does not report missing data. */
int wt_view_args_judge(const struct wt_view_args *args, const struct wt_view_facts *facts, bool warn,
		       struct wt_err *err);

#endif
