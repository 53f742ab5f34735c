/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/pause_source.h"
#include "consumers/export/pause.h"
#include "tools/cmd.h"
#include "tools/pause_text.h"
#include "tools/progress.h"

/* Most waits to show. */
enum { MOST = 1000 };

struct pause {
	const char *top, *compare;
	bool json, folded, all, no_resolve;
	struct wt_pause_choice choice, other_choice;

	struct wt_pause_source source, other; /* other: another log of the comparison */
	struct wt_out out;
	struct wt_json writer;
	struct wt_pause_folded lines;
};

const struct wt_option cmd_pause_options[] = {
	{"thread", 't', "TID|NAME", "the thread, by its number or its name",
	 WT_TEXT(struct pause, choice.thread)},
	{"from", 0, "TIME", "the beginning: seconds from the start (1.5, 200ms) or local time",
	 WT_TEXT(struct pause, choice.from)},
	{"to", 0, "TIME", "the end", WT_TEXT(struct pause, choice.to)},
	{"mark", 0, "TEXT",
	 "from a mark with this text to the next mark; where there are several, the longest such time",
	 WT_TEXT(struct pause, choice.mark)},
	{"region", 0, "NAME",
	 "the longest region of that name, as view --regions has it; with --thread, of those that "
	 "began in this thread",
	 WT_TEXT(struct pause, choice.region)},
	{"top", 0, "N",
	 "the N longest waits or regions, within --from and --to or the mark; without all of these, the "
	 "longest wait",
	 WT_TEXT(struct pause, top)},
	{"compare", 0, "N|FILE",
	 "what this pause has more than the N-th longest one, or than one of FILE (a log; ./2 if it is "
	 "called 2)",
	 WT_TEXT(struct pause, compare)},
	{"other-thread", 0, "TID|NAME", "the thread in FILE; otherwise as --thread",
	 WT_TEXT(struct pause, other_choice.thread)},
	{"other-from", 0, "TIME",
	 "the beginning in FILE; without --other-from, --other-to and --other-mark, the time is chosen as "
	 "for "
	 "this pause",
	 WT_TEXT(struct pause, other_choice.from)},
	{"other-to", 0, "TIME", "the end in FILE", WT_TEXT(struct pause, other_choice.to)},
	{"other-mark", 0, "TEXT", "as --mark, in FILE", WT_TEXT(struct pause, other_choice.mark)},
	{"all", 0, NULL,
	 "all segments and all rows of blame; otherwise the 40 longest segments, with the ones between them "
	 "together, and 20 rows",
	 WT_FLAG(struct pause, all)},
	{"folded", 0, NULL,
	 "a line for each chain of wakers and its cause, for flame graphs, in ns; of all pauses together",
	 WT_FLAG(struct pause, folded)},
	{"json", 0, NULL, "JSON, with all segments; times in ns", WT_FLAG(struct pause, json)},
	{"no-resolve", 0, NULL, "only names in the log; do not look in this machine's files",
	 WT_FLAG(struct pause, no_resolve)},
	WT_OPTIONS_END};

static int take_word(void *ctx, const char *word, struct wt_err *err)
{
	struct pause *pause = ctx;

	return wt_take_one(&pause->source.path, word, "FILE", err);
}

/* A number from 1 to MOST; 0: it is none. */
static uint32_t number_of(const char *text)
{
	char *rest;
	unsigned long n = strtoul(text, &rest, 10);

	return *text < '0' || *text > '9' || *rest || n > MOST ? 0 : (uint32_t)n;
}

static int take_choice(struct wt_pause_choice *choice, const char *option, struct wt_err *err)
{
	if (choice->mark && (choice->from || choice->to))
		return wt_fail(err, WT_ERR_USAGE, "--%smark does not go with --%sfrom or --%sto", option,
			       option, option);
	choice->most = choice->region || (!choice->from && !choice->to && !choice->mark);
	return 0;
}

/* What is not said of the other pause is as for this one. */
static int take_other(struct pause *pause, struct wt_err *err)
{
	struct wt_pause_choice *choice = &pause->choice, *other = &pause->other_choice;
	bool other_time = other->from || other->to || other->mark, given = other_time || other->thread;
	uint32_t number = pause->compare ? number_of(pause->compare) : 0;

	if (given && (!pause->compare || number))
		return wt_fail(err, WT_ERR_USAGE, "--other-... goes with --compare FILE");
	if (!pause->compare)
		return 0;
	if (pause->top)
		return wt_fail(err, WT_ERR_USAGE, "--top does not go with --compare");
	if (number) {
		choice->most = number;
		return 0;
	}
	if (*pause->compare && !pause->compare[strspn(pause->compare, "0123456789")])
		return wt_fail(err, WT_ERR_USAGE,
			       "--compare '%.40s': a number from 1 to %d, or a log, expected", pause->compare,
			       MOST);
	other->thread = other->thread ? other->thread : choice->thread;
	other->region = choice->region;
	other->other = other_time;
	other->resolve = choice->resolve;
	if (!other_time) {
		other->from = choice->from;
		other->to = choice->to;
		other->mark = choice->mark;
	}
	pause->other = (struct wt_pause_source){.path = pause->compare, .choice = other};
	return take_choice(other, "other-", err);
}

static int parse(struct pause *pause, int argc, char **argv, struct wt_err *err)
{
	struct wt_pause_choice *choice = &pause->choice;

	if (wt_options_words(argc, argv, cmd_pause_options, take_word, pause, err) < 0)
		return -1;
	if (!pause->source.path)
		return wt_fail(err, WT_ERR_USAGE, "no FILE: wtrace pause FILE --thread TID|NAME");
	if (!choice->thread && !choice->region)
		return wt_fail(err, WT_ERR_USAGE, "--thread TID|NAME or --region NAME is missing");
	choice->resolve = !pause->no_resolve;
	pause->source.choice = choice;
	if (take_choice(choice, "", err))
		return -1;
	if (pause->top) {
		choice->most = number_of(pause->top);
		if (!choice->most)
			return wt_fail(err, WT_ERR_USAGE, "--top '%.40s': a number from 1 to %d expected",
				       pause->top, MOST);
	}
	if (pause->folded && (pause->json || pause->compare))
		return wt_fail(err, WT_ERR_USAGE, "--folded does not go with --%s",
			       pause->json ? "json" : "compare");
	return take_other(pause, err);
}

static int show(struct pause *pause, uint32_t i, struct wt_err *err)
{
	struct wt_pause_report report = {0};
	int failed = wt_pause_report_open(&report, &pause->source, i, err);

	if (!failed && pause->folded)
		failed = wt_pause_fold(&report, &pause->lines, err);
	else if (!failed)
		failed = pause->json ? wt_pause_json(&report, &pause->writer, err)
				     : wt_pause_text(&report, pause->all, &pause->out, err);
	wt_pause_report_close(&report);
	return failed ? -1 : 0;
}

static int show_each(struct pause *pause, struct wt_err *err)
{
	if (pause->json)
		wt_json_array(&pause->writer, "pauses");
	for (uint32_t i = 0; i < pause->source.search.n_found; i++)
		if (show(pause, i, err))
			return -1;
	if (pause->json)
		wt_json_end_lines(&pause->writer);
	return wt_pause_folded_text(&pause->lines, &pause->out, err);
}

static int put_comparison(struct pause *pause, const struct wt_pause_report reports[2],
			  const struct wt_pause_compare *compare, struct wt_err *err)
{
	if (!pause->json)
		return wt_pause_compare_text(reports, compare, pause->all, &pause->out, err);
	wt_json_text(&pause->writer, "other_log", reports[1].log);
	wt_json_array(&pause->writer, "pauses");
	for (int side = 0; side < 2; side++)
		if (wt_pause_json(&reports[side], &pause->writer, err))
			return -1;
	wt_json_end_lines(&pause->writer);
	wt_pause_compare_json(reports, compare, &pause->writer);
	return 0;
}

static int show_comparison(struct pause *pause, struct wt_err *err)
{
	struct wt_pause_source *other = pause->other.path ? &pause->other : &pause->source;
	uint32_t last = other == &pause->source ? number_of(pause->compare) - 1 : 0;
	struct wt_pause_report reports[2] = {{0}};
	struct wt_pause_compare compare = {0};
	int failed;

	if (last >= other->search.n_found)
		return wt_fail(err, WT_ERR_NOTFOUND, "--compare %u: there are only %u", last + 1,
			       other->search.n_found);
	failed = wt_pause_report_open(&reports[0], &pause->source, 0, err) ||
		 wt_pause_report_open(&reports[1], other, last, err) ||
		 wt_pause_compare_reports(reports, &compare, err);
	failed = failed || put_comparison(pause, reports, &compare, err);
	wt_pause_compare_deinit(&compare);
	for (int side = 0; side < 2; side++)
		wt_pause_report_close(&reports[side]);
	return failed ? -1 : 0;
}

static int show_all(struct pause *pause, struct wt_err *err)
{
	pause->out.stream = stdout;
	pause->writer = wt_json(&pause->out.buf);
	if (pause->json) {
		wt_json_object(&pause->writer, NULL);
		wt_json_text(&pause->writer, "log", pause->source.path);
	}
	if (pause->compare ? show_comparison(pause, err) : show_each(pause, err))
		return -1;
	if (pause->json)
		wt_json_end_document(&pause->writer);
	return wt_out_end(&pause->out, err);
}

static int open_source(struct wt_pause_source *source, struct wt_err *err)
{
	struct wt_progress progress = {.what = source->path};
	int failed = wt_pause_source_open(source, wt_progress_listener(&progress), err);

	wt_progress_end(&progress);
	return failed;
}

static int open_sources(struct pause *pause, struct wt_err *err)
{
	return open_source(&pause->source, err) || (pause->other.path && open_source(&pause->other, err)) ? -1
													  : 0;
}

int cmd_pause(int argc, char **argv, struct wt_err *err)
{
	struct pause *pause = calloc(1, sizeof(*pause));
	int code = -1;

	if (!pause)
		return wt_fail_nomem(err);
	signal(SIGPIPE, SIG_IGN);
	if (!parse(pause, argc, argv, err) && !open_sources(pause, err) && !show_all(pause, err))
		code = WT_EXIT_OK;
	wt_buf_deinit(&pause->out.buf);
	wt_pause_folded_deinit(&pause->lines);
	wt_pause_source_close(&pause->source);
	wt_pause_source_close(&pause->other);
	free(pause);
	return code;
}
