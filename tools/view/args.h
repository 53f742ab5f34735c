/* SPDX-License-Identifier: MIT */
/** @file The command lines of view, dump and relog, as they were given. */
#ifndef TOOLS_VIEW_ARGS_H
#define TOOLS_VIEW_ARGS_H

#include "tools/cmd.h"
#include "consumers/analysis/facts.h"
#include "consumers/analysis/region_set.h"
#include "consumers/analysis/select.h"

struct wt_view_args {
	const char *path;
	const char *group_by, *columns, *sort, *top, *min; /**< view only, as the next line */
	const char *stack_order, *callers_of, *callees_of, *depth, *threads;
	const char *histogram; /**< view only */
	const char *where, *from, *to;
	struct wt_region_pairs pairs;
	bool regions;        /**< view and dump, as session */
	const char *session; /**< the log of that session */
	bool follow;         /**< dump only */
	const char *output;  /**< relog only, as pids, drop_stacks and force */
	char **pids;         /**< owned */
	size_t n_pids;
	bool drop_stacks, force;
	char **events; /**< owned */
	size_t n_events;
	bool json, csv, folded, missing, strict, inclusive, no_self, proved, no_resolve, no_inline, absolute,
		stack;
};

enum wt_view_command { WT_ARGS_VIEW, WT_ARGS_DUMP, WT_ARGS_RELOG };

/** Reads the words of a command. Undo with wt_view_args_deinit, also after a failure. */
int wt_view_args_parse(enum wt_view_command command, int argc, char **argv, struct wt_view_args *ret,
		       struct wt_err *err);
void wt_view_args_deinit(struct wt_view_args *args);

/** A word of the option --event; ctx is a struct wt_view_args. */
int wt_view_add_event(void *ctx, char *word, struct wt_err *err);

/** Prepares filter and select from args; an error in --where also shows its place on standard error. */
int wt_view_args_filter(const struct wt_view_args *args, struct wt_view_filter *filter,
			struct wt_view_select *select, struct wt_err *err);
/** A view that counts regions: it is asked for, or a key, a histogram or a pair without another use asks for
 * it. */
bool wt_view_args_by_region(const struct wt_view_args *args);
/** An error that does not know a field of regions says how to ask for them. -1. */
int wt_view_args_explain(struct wt_err *err);
/** Sets from and to of a log filter. */
int wt_view_args_range(const struct wt_view_args *args, const struct wt_view_file *file,
		       struct wt_log_filter *ret, struct wt_err *err);

/** The end of a command: exit code 3 and an error when data is missing and --strict was given; else 0, with a
 * warning when `warn` says that the output does not tell by itself. */
int wt_view_args_judge(const struct wt_view_args *args, const struct wt_view_facts *facts, bool warn,
		       struct wt_err *err);

#endif
