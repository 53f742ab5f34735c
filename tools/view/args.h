/* SPDX-License-Identifier: MIT */
/** The command lines of view, annotate, dump and relog, as the user typed them. */
#ifndef TOOLS_VIEW_ARGS_H
#define TOOLS_VIEW_ARGS_H

#include "tools/cmd.h"
#include "consumers/analysis/facts.h"
#include "consumers/analysis/region_set.h"
#include "consumers/analysis/select.h"

struct wt_view_args {
	const char *path;
	const char *group_by, *columns, *sort, *top, *min; /**< view only, as in the next line */
	const char *stack_order, *callers_of, *callees_of, *depth, *threads;
	const char *histogram; /**< view only */
	const char *where, *from, *to;
	struct wt_region_pairs pairs;
	bool regions;        /**< view and dump, as is session */
	bool waits;          /**< view only */
	const char *session; /**< the session whose log is read */
	bool follow;         /**< dump only */
	const char *output;  /**< relog only, as are pids, drop_stacks and force */
	const char *process, *source_prefix, *disassembler; /**< annotate, as are the next lines */
	char **functions;                                   /**< owned */
	size_t n_functions;
	bool annotate, no_source, no_asm;
	char **pids; /**< owned */
	size_t n_pids;
	bool drop_stacks, force;
	char **events; /**< owned */
	size_t n_events;
	bool json, csv, folded, missing, strict, inclusive, no_self, proved, no_resolve, no_inline, absolute,
		stack;
};

enum wt_view_command { WT_ARGS_VIEW, WT_ARGS_DUMP, WT_ARGS_RELOG, WT_ARGS_ANNOTATE };

/** Reads the words of a command. Undo with wt_view_args_deinit, also after a failure. */
int wt_view_args_parse(enum wt_view_command command, int argc, char **argv, struct wt_view_args *ret,
		       struct wt_err *err);
void wt_view_args_deinit(struct wt_view_args *args);

/** Adds a word of the option --event; ctx is a struct wt_view_args. */
int wt_view_add_event(void *ctx, char *word, struct wt_err *err);

/** Prepares filter and select from args; an error in --where also shows its place on standard error. */
int wt_view_args_filter(const struct wt_view_args *args, struct wt_view_filter *filter,
			struct wt_view_select *select, struct wt_err *err);
/** True for a view that counts regions: with --regions, or with a key, histogram or pair that requires it. */
bool wt_view_args_by_region(const struct wt_view_args *args);
/** Extends an error about an unknown field of regions with how to request them. Returns -1. */
int wt_view_args_explain(struct wt_err *err);
/** Sets from and to of a log filter. */
int wt_view_args_range(const struct wt_view_args *args, const struct wt_view_file *file,
		       struct wt_log_filter *ret, struct wt_err *err);

/** Ends a command: returns exit code 3 with an error when data is missing and --strict was given; otherwise
 * 0, with a warning when `warn` says that the output itself does not report missing data. */
int wt_view_args_judge(const struct wt_view_args *args, const struct wt_view_facts *facts, bool warn,
		       struct wt_err *err);

#endif
