/* SPDX-License-Identifier: MIT */
#include "tools/view/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"

/* ---- options ---- */

static int append_word(char ***list, size_t *n, const char *word, struct wt_err *err)
{
	if (wt_grow_one(list, *n, err))
		return -1;
	(*list)[*n] = strdup(word);
	return (*list)[*n] ? (*n)++, 0 : wt_fail_nomem(err);
}

int wt_view_add_event(void *ctx, char *word, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	return append_word(&args->ask.events, &args->ask.n_events, word, err);
}

static int add_pid(void *ctx, char *word, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	if (word[strspn(word, "0123456789")] || strlen(word) > 10)
		return wt_fail(err, WT_ERR_USAGE, "--pid '%.40s' is not a process id", word);
	return append_word(&args->pids, &args->n_pids, word, err);
}

static int take_pair(void *ctx, const char *value, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	return wt_region_pairs_add(&args->ask.pairs, value, err);
}

static int take_word(void *ctx, const char *word, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	if (args->path)
		return wt_fail(err, WT_ERR_USAGE, "one FILE is enough, '%s' is too many", word);
	args->path = word;
	return 0;
}

/* LOG, then functions. */
static int take_function(void *ctx, const char *word, struct wt_err *err)
{
	struct wt_view_args *args = ctx;

	if (!args->path && !args->session) {
		args->path = word;
		return 0;
	}
	if (args->session && !access(word, F_OK) && strchr(word, '.'))
		return wt_fail(err, WT_ERR_USAGE,
			       "-s %s is the name of a session, and '%s' is a log: one of them is enough; a "
			       "function follows the log:  wtrace annotate '%s' %s",
			       args->session, word, word, args->session);
	return append_word(&args->functions, &args->n_functions, word, err);
}

static const struct wt_option which_events[] = {
	{"where", 'w', "EXPR", "only events for which the expression holds",
	 WT_TEXT(struct wt_view_args, ask.where)},
	{"from", 0, "TIME",
	 "only events from this time on: seconds from the start of the log (1.5), with a unit (200ms), or "
	 "local time (2026-01-31T12:00:00.5)",
	 WT_TEXT(struct wt_view_args, ask.from)},
	{"to", 0, "TIME", "only events before this time", WT_TEXT(struct wt_view_args, ask.to)},
	{"event", 'e', "NAME,...",
	 "only these events: a sampled event (cpu-clock), a provider, an event, or PROVIDER/EVENT",
	 WT_LIST(wt_view_add_event)},
	{"pair", 0, "PAIR",
	 "'BEGIN,END' or 'BEGIN,END by FIELD[,FIELD]': from the event BEGIN to the next END of the same "
	 "thread, or "
	 "with the same value of FIELD (BEGINFIELD=ENDFIELD where they differ), is a region too; it is "
	 "called "
	 "BEGIN..END; once for each pair",
	 WT_WORD(take_pair)},
	{"no-self", 0, NULL, "leave out the recorder's own events, shown as [wtrace recorder]",
	 WT_FLAG(struct wt_view_args, ask.no_self)},
	{"no-resolve", 0, NULL, "use only the names in the log, not files of this machine",
	 WT_FLAG(struct wt_view_args, ask.no_resolve)},
	{"no-inline", 0, NULL,
	 "show only the function that an address lies in; without it the functions inlined there are frames "
	 "too, and an event counts in the innermost one, 'NAME (inlined)'",
	 WT_FLAG(struct wt_view_args, ask.no_inline)},
	WT_OPTIONS_END,
};

static const struct wt_option strict[] = {
	{"strict", 0, NULL, "exit with 3 when data was lost, or the log is damaged or incomplete",
	 WT_FLAG(struct wt_view_args, strict)},
	WT_OPTIONS_END,
};

static const struct wt_option of_annotate[] = {
	{"source-prefix", 0, "DIR",
	 "look for source files below this directory too: by their path in the debug information, then by "
	 "its "
	 "last parts",
	 WT_TEXT(struct wt_view_args, source_prefix), .values = "@files"},
	{"no-source", 0, NULL, "leave out the text of source lines", WT_FLAG(struct wt_view_args, no_source)},
	{"no-asm", 0, NULL, "leave out instructions", WT_FLAG(struct wt_view_args, no_asm)},
	{"disassembler", 0, "NAME", "'objdump' or 'llvm'; default the first of them that is installed",
	 WT_TEXT(struct wt_view_args, disassembler), .values = "objdump llvm"},
	WT_OPTIONS_END,
};

const struct wt_option cmd_annotate_options[] = {
	{"event", 'e', "NAME,...",
	 "only these events: a sampled event (cpu-clock), a provider, an event, or PROVIDER/EVENT",
	 WT_LIST(wt_view_add_event)},
	{"process", 0, "PROCESS", "only events of this process: its pid, or its name",
	 WT_TEXT(struct wt_view_args, process), .values = "@pids"},
	{"where", 'w', "EXPR", "only events for which the expression holds; as in wtrace view",
	 WT_TEXT(struct wt_view_args, ask.where)},
	{"from", 0, "TIME", "only events from this time on; as in wtrace view",
	 WT_TEXT(struct wt_view_args, ask.from)},
	{"to", 0, "TIME", "only events before this time", WT_TEXT(struct wt_view_args, ask.to)},
	{"top", 'n', "N",
	 "at most N functions of each sampled event, 0 for all; default 10, or all that are named",
	 WT_TEXT(struct wt_view_args, top)},
	{.rows = of_annotate},
	{"no-resolve", 0, NULL, "use only the names and lines in the log, not files of this machine",
	 WT_FLAG(struct wt_view_args, ask.no_resolve)},
	{"session", 's', "NAME", "in place of LOG: the log of this running session so far",
	 WT_TEXT(struct wt_view_args, session), .values = "@sessions"},
	{"json", 0, NULL,
	 "one JSON object: \"sampling\" as wperf writes it, which extensions of editors read, and "
	 "\"functions\" with all there is",
	 WT_FLAG(struct wt_view_args, json)},
	{"output", 'o', "FILE", "write to FILE", WT_TEXT(struct wt_view_args, output), .values = "@files"},
	{.rows = strict},
	WT_OPTIONS_END,
};

const struct wt_option cmd_view_options[] = {
	{"regions", 0, NULL,
	 "count regions in place of events: from START to STOP in programs, system calls, pairs; one row for "
	 "each kind of region, or as --group-by says",
	 WT_FLAG(struct wt_view_args, ask.regions)},
	{"waits", 0, NULL,
	 "count what threads did in place of events: each row is a thread's turn, from one moment it left a "
	 "CPU "
	 "to the next; by process and thread, or as --group-by says; needs the providers cswitch and "
	 "dispatcher",
	 WT_FLAG(struct wt_view_args, ask.waits)},
	{"histogram", 0, "FIELD",
	 "distribution of the values of a number: a bar for each power of two; 'duration' and 'self_time' "
	 "belong to regions",
	 WT_TEXT(struct wt_view_args, ask.histogram)},
	{"group-by", 'g', "KEY,...", "nest rows by these keys; default function",
	 WT_TEXT(struct wt_view_args, ask.group_by), .values = "@keys"},
	{.rows = which_events},
	{"columns", 'c', "COLUMN,...", "default overhead,count", WT_TEXT(struct wt_view_args, ask.columns),
	 .values = "@columns"},
	{"sort", 0, "COLUMN", "order of the rows: a column, or 'key'; default count",
	 WT_TEXT(struct wt_view_args, ask.sort), .values = "@sorts"},
	{"top", 'n', "N", "at most N rows under each row, 0 for all; default 50, with --json and --csv all",
	 WT_TEXT(struct wt_view_args, top)},
	{"min", 0, "PERCENT",
	 "leave out rows with a smaller share of the table; default 0.5 for a tree of stacks, none with "
	 "--json, --csv and --folded",
	 WT_TEXT(struct wt_view_args, min)},
	{"inclusive", 'i', NULL, "functions with the functions they call: overhead-inclusive, inclusive",
	 WT_FLAG(struct wt_view_args, ask.inclusive)},
	{"stack-order", 0, "ORDER",
	 "'root': stacks from the thread's root down to the code of the event; 'leaf': inverted, from that "
	 "code up to its callers; default root",
	 WT_TEXT(struct wt_view_args, ask.stack_order), .values = "root leaf"},
	{"callers-of", 0, "NAME", "stacks with this function, only the part above it: its callers",
	 WT_TEXT(struct wt_view_args, ask.callers_of)},
	{"callees-of", 0, "NAME", "stacks with this function, only the part below it: the functions it calls",
	 WT_TEXT(struct wt_view_args, ask.callees_of)},
	{"depth", 0, "N", "at most N frames of a stack", WT_TEXT(struct wt_view_args, ask.depth)},
	{"folded", 0, NULL,
	 "a line per stack for flame graphs: NAME;NAME;NAME COUNT; by comm,stack, or as --group-by says",
	 WT_FLAG(struct wt_view_args, ask.folded)},
	{"annotate", 0, NULL,
	 "in place of a table: source lines and instructions with hits, as wtrace annotate shows them",
	 WT_FLAG(struct wt_view_args, annotate)},
	{.rows = of_annotate},
	{"missing", 0, NULL,
	 "in place of a table: the modules that lack names or unwind data, how many samples are affected, "
	 "and "
	 "the remedy",
	 WT_FLAG(struct wt_view_args, ask.missing)},
	{"threads", 0, "N",
	 "count on N threads, at most 16; default one for each usable CPU, fewer for a small log or one with "
	 "few "
	 "events per stack; N does not change the result",
	 WT_TEXT(struct wt_view_args, threads)},
	{"proved", 0, NULL, "leave out events with a caller that is not proved",
	 WT_FLAG(struct wt_view_args, ask.proved)},
	{"session", 's', "NAME", "in place of FILE: the log of this running session so far",
	 WT_TEXT(struct wt_view_args, session), .values = "@sessions"},
	{"json", 0, NULL,
	 "one JSON object; where numbers have names, FIELD is the number and FIELD_text the name (FIELD is "
	 "null "
	 "where events give one name to different numbers); an absent value is null",
	 WT_FLAG(struct wt_view_args, json)},
	{"csv", 0, NULL, "comma-separated values (RFC 4180)", WT_FLAG(struct wt_view_args, csv)},
	{.rows = strict},
	WT_OPTIONS_END,
};

const struct wt_option cmd_dump_options[] = {
	{.rows = which_events},
	{"regions", 0, NULL,
	 "a line for each region in place of events, in the order of their ends; regions without an end come "
	 "last",
	 WT_FLAG(struct wt_view_args, ask.regions)},
	{"absolute", 0, NULL, "wall time instead of seconds; with --json as \"realtime\", ns since 1970",
	 WT_FLAG(struct wt_view_args, absolute)},
	{"stack", 0, NULL, "the frames of each stack below its line, innermost first",
	 WT_FLAG(struct wt_view_args, stack)},
	{"json", 0, NULL,
	 "one JSON object per line, with all fields and the whole stack; times are in ns from the start of "
	 "the log, in fields too; where numbers have names, FIELD is the number and FIELD_text the name, or "
	 "the "
	 "number if it has no name; an absent value is null",
	 WT_FLAG(struct wt_view_args, json)},
	{"csv", 0, NULL,
	 "comma-separated values under a quoted header (RFC 4180): the columns every event has, then one for "
	 "each name of "
	 "a field among the events printed; numbers and times as with --json",
	 WT_FLAG(struct wt_view_args, csv)},
	{"follow", 'f', NULL,
	 "continue while the log grows, until it is complete or its session ends; events written together "
	 "are sorted by time",
	 WT_FLAG(struct wt_view_args, ask.follow)},
	{"session", 's', "NAME", "the log of this running session so far; with --follow default 'default'",
	 WT_TEXT(struct wt_view_args, session), .values = "@sessions"},
	{.rows = strict},
	WT_OPTIONS_END,
};

const struct wt_option cmd_relog_options[] = {
	{"output", 'o', "FILE", "the new log; it may be LOG itself; it appears when it is complete",
	 WT_TEXT(struct wt_view_args, output), .values = "@files"},
	{.rows = which_events},
	{"pid", 0, "PID,...", "only events of these processes", WT_LIST(add_pid), .values = "@pids"},
	{"drop-stacks", 0, NULL, "leave out call stacks; a sample keeps its own address",
	 WT_FLAG(struct wt_view_args, drop_stacks)},
	{"force", 0, NULL, "replace FILE if it exists", WT_FLAG(struct wt_view_args, force)},
	{"json", 0, NULL, "one JSON object about the new log", WT_FLAG(struct wt_view_args, json)},
	WT_OPTIONS_END,
};

static const struct wt_option *const command_options[] = {
	[WT_ARGS_VIEW] = cmd_view_options,
	[WT_ARGS_DUMP] = cmd_dump_options,
	[WT_ARGS_RELOG] = cmd_relog_options,
	[WT_ARGS_ANNOTATE] = cmd_annotate_options,
};

/** The report has its own form. */
static int check_shape(const struct wt_view_args *args, const char *shape, struct wt_err *err)
{
	const char *other = args->ask.group_by      ? "group-by"
			    : args->ask.columns     ? "columns"
			    : args->ask.sort        ? "sort"
			    : args->min             ? "min"
			    : args->ask.inclusive   ? "inclusive"
			    : args->ask.stack_order ? "stack-order"
			    : args->ask.callers_of  ? "callers-of"
			    : args->ask.callees_of  ? "callees-of"
			    : args->ask.depth       ? "depth"
			    : args->csv             ? "csv"
			    : args->ask.folded      ? "folded"
			    : args->ask.regions     ? "regions"
			    : args->ask.waits       ? "waits"
			    : args->ask.histogram   ? "histogram"
						    : NULL;

	return other ? wt_fail(err, WT_ERR_USAGE, "--%s does not go with %s", other, shape) : 0;
}

int wt_view_args_parse(enum wt_view_command command, int argc, char **argv, struct wt_view_args *ret,
		       struct wt_err *err)
{
	*ret = (struct wt_view_args){0};
	if (wt_options_words(argc, argv, command_options[command],
			     command == WT_ARGS_ANNOTATE ? take_function : take_word, ret, err))
		return -1;
	if (ret->session && ret->path)
		return wt_fail(err, WT_ERR_USAGE, "%s or --session %s, not both%s", ret->path, ret->session,
			       command == WT_ARGS_VIEW ? "; the order of rows is --sort COLUMN" : "");
	if (ret->ask.follow && ret->csv)
		return wt_fail(err, WT_ERR_USAGE,
			       "--csv does not go with --follow: its columns must be known before the first "
			       "event; --json has all fields");
	if (!ret->path && !ret->ask.follow && !ret->session)
		return wt_fail(err, WT_ERR_USAGE,
			       "no log: a log is made by wtrace record -o FILE -- COMMAND, or by wtrace stop "
			       "-o FILE");
	if (ret->json + ret->csv + ret->ask.folded > 1)
		return wt_fail(err, WT_ERR_USAGE, "--json, --csv or --folded: only one of them");
	if (ret->ask.missing && check_shape(ret, "--missing", err))
		return -1;
	if (ret->annotate && (ret->ask.missing || check_shape(ret, "--annotate", err)))
		return ret->ask.missing ? wt_fail(err, WT_ERR_USAGE, "--missing or --annotate, not both")
					: -1;
	if (command == WT_ARGS_VIEW && !ret->annotate &&
	    (ret->source_prefix || ret->no_source || ret->no_asm || ret->disassembler))
		return wt_fail(err, WT_ERR_USAGE, "--%s needs --annotate",
			       ret->source_prefix ? "source-prefix"
			       : ret->no_source   ? "no-source"
			       : ret->no_asm      ? "no-asm"
						  : "disassembler");
	if (ret->ask.histogram && (ret->csv || ret->ask.folded))
		return wt_fail(err, WT_ERR_USAGE, "--%s does not go with --histogram",
			       ret->csv ? "csv" : "folded");
	if (wt_question_check(&ret->ask, err))
		return -1;
	if (ret->ask.folded && (ret->top || ret->min || ret->ask.depth))
		return wt_fail(err, WT_ERR_USAGE, "--folded has all stacks: %s does not go with it",
			       ret->top   ? "--top"
			       : ret->min ? "--min"
					  : "--depth");
	return 0;
}

static void free_words(char **words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(words[i]);
	free(words);
}

void wt_view_args_deinit(struct wt_view_args *args)
{
	free_words(args->pids, args->n_pids);
	free_words(args->functions, args->n_functions);
	wt_question_deinit(&args->ask);
	*args = (struct wt_view_args){0};
}

/* ---- their meaning for a file ---- */

void wt_view_args_show(struct wt_buf *shown)
{
	fwrite(shown->data, 1, shown->len, stderr);
	wt_buf_deinit(shown);
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
