/* SPDX-License-Identifier: MIT */
#include "tools/view/args.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/view/moment.h"
#include "tracecore/base/diag.h"

/* ---- options ---- */

static int take_text(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} texts[] = {
		{"group-by", offsetof(struct wt_view_args, group_by)},
		{"columns", offsetof(struct wt_view_args, columns)},
		{"sort", offsetof(struct wt_view_args, sort)},
		{"top", offsetof(struct wt_view_args, top)},
		{"min", offsetof(struct wt_view_args, min)},
		{"stack-order", offsetof(struct wt_view_args, stack_order)},
		{"callers-of", offsetof(struct wt_view_args, callers_of)},
		{"callees-of", offsetof(struct wt_view_args, callees_of)},
		{"depth", offsetof(struct wt_view_args, depth)},
		{"threads", offsetof(struct wt_view_args, threads)},
		{"where", offsetof(struct wt_view_args, where)},
		{"from", offsetof(struct wt_view_args, from)},
		{"to", offsetof(struct wt_view_args, to)},
		{"output", offsetof(struct wt_view_args, output)},
		{"session", offsetof(struct wt_view_args, session)},
	};
	const char **at = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(texts[i].name, option->name))
			at = (const char **)(void *)((char *)ctx + texts[i].offset);
	if (*at)
		return wt_fail(err, WT_ERR_USAGE, "--%s is given twice", option->name);
	*at = value;
	return 0;
}

static int take_flag(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} flags[] = {
		{"json", offsetof(struct wt_view_args, json)},
		{"csv", offsetof(struct wt_view_args, csv)},
		{"folded", offsetof(struct wt_view_args, folded)},
		{"missing", offsetof(struct wt_view_args, missing)},
		{"strict", offsetof(struct wt_view_args, strict)},
		{"inclusive", offsetof(struct wt_view_args, inclusive)},
		{"no-self", offsetof(struct wt_view_args, no_self)},
		{"proved", offsetof(struct wt_view_args, proved)},
		{"no-resolve", offsetof(struct wt_view_args, no_resolve)},
		{"absolute", offsetof(struct wt_view_args, absolute)},
		{"stack", offsetof(struct wt_view_args, stack)},
		{"drop-stacks", offsetof(struct wt_view_args, drop_stacks)},
		{"force", offsetof(struct wt_view_args, force)},
		{"follow", offsetof(struct wt_view_args, follow)},
	};

	(void)value;
	(void)err;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (!strcmp(flags[i].name, option->name))
			*(bool *)((char *)ctx + flags[i].offset) = true;
	return 0;
}

static int append_word(const char ***list, size_t *n, const char *word, struct wt_err *err)
{
	const char **words = realloc(*list, (*n + 1) * sizeof(*words));

	if (!words)
		return wt_fail_nomem(err);
	words[(*n)++] = word;
	*list = words;
	return 0;
}

static int take_event(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	(void)option;
	return append_word(&args->events, &args->n_events, value, err);
}

static int take_pid(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	(void)option;
	if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 10)
		return wt_fail(err, WT_ERR_USAGE, "--pid '%.40s' is not a process id", value);
	return append_word(&args->pids, &args->n_pids, value, err);
}

static int take_word(void *ctx, const char *word, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	if (args->path)
		return wt_fail(err, WT_ERR_USAGE, "one FILE is enough, '%s' is too many", word);
	args->path = word;
	return 0;
}

#define COMMON                                                                                     \
	{"where", 'w', WT_OPT_VALUE, take_text}, {"from", 0, WT_OPT_VALUE, take_text},             \
		{"to", 0, WT_OPT_VALUE, take_text}, {"event", 'e', WT_OPT_VALUE, take_event},      \
		{"no-self", 0, WT_OPT_FLAG, take_flag}, {"no-resolve", 0, WT_OPT_FLAG, take_flag}, \
	{                                                                                          \
		"json", 0, WT_OPT_FLAG, take_flag                                                  \
	}

static const struct wt_option view_options[] = {
	COMMON,
	{"strict", 0, WT_OPT_FLAG, take_flag},
	{"group-by", 'g', WT_OPT_VALUE, take_text},
	{"columns", 'c', WT_OPT_VALUE, take_text},
	{"sort", 's', WT_OPT_VALUE, take_text},
	{"top", 'n', WT_OPT_VALUE, take_text},
	{"min", 0, WT_OPT_VALUE, take_text},
	{"inclusive", 'i', WT_OPT_FLAG, take_flag},
	{"stack-order", 0, WT_OPT_VALUE, take_text},
	{"callers-of", 0, WT_OPT_VALUE, take_text},
	{"callees-of", 0, WT_OPT_VALUE, take_text},
	{"depth", 0, WT_OPT_VALUE, take_text},
	{"threads", 0, WT_OPT_VALUE, take_text},
	{"csv", 0, WT_OPT_FLAG, take_flag},
	{"folded", 0, WT_OPT_FLAG, take_flag},
	{"missing", 0, WT_OPT_FLAG, take_flag},
	{"proved", 0, WT_OPT_FLAG, take_flag},
};

static const struct wt_option dump_options[] = {
	COMMON,
	{"strict", 0, WT_OPT_FLAG, take_flag},
	{"absolute", 0, WT_OPT_FLAG, take_flag},
	{"stack", 0, WT_OPT_FLAG, take_flag},
	{"csv", 0, WT_OPT_FLAG, take_flag},
	{"follow", 'f', WT_OPT_FLAG, take_flag},
	{"session", 's', WT_OPT_VALUE, take_text},
};

static const struct wt_option relog_options[] = {
	COMMON,
	{"output", 'o', WT_OPT_VALUE, take_text},
	{"pid", 0, WT_OPT_VALUE, take_pid},
	{"drop-stacks", 0, WT_OPT_FLAG, take_flag},
	{"force", 0, WT_OPT_FLAG, take_flag},
};

static const struct {
	const struct wt_option *list;
	size_t n;
} command_options[] = {
	[WT_ARGS_VIEW] = {view_options, sizeof(view_options) / sizeof(*view_options)},
	[WT_ARGS_DUMP] = {dump_options, sizeof(dump_options) / sizeof(*dump_options)},
	[WT_ARGS_RELOG] = {relog_options, sizeof(relog_options) / sizeof(*relog_options)},
};

/** The report has a shape of its own. */
static int check_missing(const struct wt_view_args *args, struct wt_err *err)
{
	const char *other = args->group_by      ? "group-by"
			    : args->columns     ? "columns"
			    : args->sort        ? "sort"
			    : args->min         ? "min"
			    : args->inclusive   ? "inclusive"
			    : args->stack_order ? "stack-order"
			    : args->callers_of  ? "callers-of"
			    : args->callees_of  ? "callees-of"
			    : args->depth       ? "depth"
			    : args->csv         ? "csv"
			    : args->folded      ? "folded"
						: NULL;

	return other ? wt_fail(err, WT_ERR_USAGE, "--%s does not go with --missing", other) : 0;
}

int wt_view_args_parse(enum wt_view_command command, int argc, char **argv, struct wt_view_args *ret,
		       struct wt_err *err)
{
	int end;

	*ret = (struct wt_view_args){0};
	end = wt_options_parse(argc, argv, command_options[command].list, command_options[command].n,
			       take_word, ret, err);
	if (end < 0)
		return -1;
	for (; end < argc; end++)
		if (take_word(ret, argv[end], err))
			return -1;
	if (ret->session && (ret->path || !ret->follow))
		return wt_fail(err, WT_ERR_USAGE, "--session goes with --follow, and without a FILE");
	if (ret->follow && ret->csv)
		return wt_fail(err, WT_ERR_USAGE,
			       "--csv does not go with --follow: its columns must be known before the first "
			       "event; --json has all fields");
	if (!ret->path && !ret->follow)
		return wt_fail(err, WT_ERR_USAGE,
			       "which FILE? (a log made by 'wtrace stop -o FILE' or record)");
	if (ret->json + ret->csv + ret->folded > 1)
		return wt_fail(err, WT_ERR_USAGE, "--json, --csv or --folded, not two of them");
	if (ret->missing && check_missing(ret, err))
		return -1;
	if (ret->folded && (ret->top || ret->min || ret->depth))
		return wt_fail(err, WT_ERR_USAGE, "--folded has all stacks: %s does not go with it",
			       ret->top   ? "--top"
			       : ret->min ? "--min"
					  : "--depth");
	return 0;
}

void wt_view_args_deinit(struct wt_view_args *args)
{
	free(args->events);
	free(args->pids);
	*args = (struct wt_view_args){0};
}

/* ---- what they mean for a file ---- */

int wt_view_each_word(const char *text, const char *what,
		      int (*fn)(void *ctx, const char *word, struct wt_err *err), void *ctx,
		      struct wt_err *err)
{
	char *copy = strdup(text), *at = copy;
	int failed = 0;

	if (!copy)
		return wt_fail_nomem(err);
	while (at && !failed) {
		char *word = strsep(&at, ",");

		failed = *word ? fn(ctx, word, err) : wt_fail(err, WT_ERR_USAGE, "%s: an empty word", what);
	}
	free(copy);
	return failed ? -1 : 0;
}

static int parse_where(const char *where, struct wt_view_filter *filter, struct wt_err *err)
{
	struct wt_expr_place place = {0};
	struct wt_buf text = {0};

	if (!wt_view_filter_where(filter, where, &place, err))
		return 0;
	if (err->code == WT_ERR_USAGE) {
		wt_expr_show_place(where, &place, &text);
		fwrite(text.data, 1, text.len, stderr);
		wt_buf_deinit(&text);
	}
	return wt_fail_prefix(err, "--where");
}

int wt_view_args_filter(const struct wt_view_args *args, struct wt_view_filter *filter,
			struct wt_view_select *select, struct wt_err *err)
{
	filter->no_self = args->no_self;
	filter->proved = args->proved;
	if (args->where && parse_where(args->where, filter, err))
		return -1;
	for (size_t i = 0; i < args->n_events; i++)
		if (wt_view_select_add(select, args->events[i], err))
			return -1;
	if (!select->n_sources)
		return 0;
	return wt_view_filter_sources(filter, select->sources, select->n_sources, err);
}

int wt_view_args_judge(const struct wt_view_args *args, const struct wt_view_facts *facts, bool warn,
		       struct wt_err *err)
{
	struct wt_buf missing = {0};
	int code = WT_EXIT_OK;

	if (!wt_view_facts_lossy(facts))
		return code;
	wt_view_facts_missing(facts, &missing);
	if (args->strict) {
		wt_fail(err, WT_ERR_LIMIT, "%s", wt_buf_cstr(&missing));
		code = WT_EXIT_LOSSY;
	} else if (warn) {
		wt_warn("%s: %s", args->path, wt_buf_cstr(&missing));
	}
	wt_buf_deinit(&missing);
	return code;
}

int wt_view_args_range(const struct wt_view_args *args, const struct wt_view_file *file,
		       struct wt_log_filter *ret, struct wt_err *err)
{
	if (args->from && wt_view_moment(file, "--from", args->from, &ret->from, err))
		return -1;
	if (args->to && wt_view_moment(file, "--to", args->to, &ret->to, err))
		return -1;
	if (args->to && !ret->to)
		ret->to = 1;
	if (args->from && args->to && ret->to <= ret->from)
		return wt_fail(err, WT_ERR_USAGE, "--to %s is not after --from %s", args->to, args->from);
	return 0;
}
