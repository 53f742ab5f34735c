// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_source.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/key.h"
#include "consumers/analysis/moment.h"

/* Sets the stretch to the longest time from a mark with that text to the next mark, or the end. */
static void take_mark(struct wt_pause_source *source, const struct wt_view_key *key)
{
	const struct wt_pause_choice *choice = source->choice;
	struct wt_pause_search *search = &source->search;
	uint64_t end = wt_log_info(source->log)->last_time + 1;
	bool found = false;

	for (uint32_t m = 1; m < key->n_marks; m++) {
		uint64_t from = key->marks[m].time;
		uint64_t to = m + 1 < key->n_marks ? key->marks[m + 1].time : end;
		size_t len;
		const char *text = wt_strings_get(&source->file.texts, key->marks[m].text, &len);

		if (len != strlen(choice->mark) || memcmp(text, choice->mark, len) != 0 ||
		    (found && to - from <= search->to - search->from))
			continue;
		found = true;
		search->from = from;
		search->to = to;
	}
}

static int find_mark(struct wt_pause_source *source, struct wt_err *err)
{
	const struct wt_pause_choice *choice = source->choice;
	struct wt_view_key key = {0};
	int failed = wt_view_key_read_marks(&source->file, &key, err);

	if (!failed)
		take_mark(source, &key);
	free(key.marks);
	if (failed)
		return -1;
	if (!source->search.to)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no mark '%.60s' in the log: wtrace dump %.200s --event mark", choice->mark,
			       source->path);
	return 0;
}

static int prepare(struct wt_pause_source *source, struct wt_err *err)
{
	const struct wt_pause_choice *choice = source->choice;
	struct wt_view_options options = {.resolve = choice->resolve};

	if (wt_log_open(source->path, &source->log, err) ||
	    wt_view_file_init(&source->file, source->log, &options, err) ||
	    (choice->mark && find_mark(source, err)) || wt_wait_rows_init(&source->waits, &source->file, err))
		return -1;
	if ((choice->from && wt_view_moment(&source->file, choice->other ? "--other-from" : "--from",
					    choice->from, &source->search.from, err)) ||
	    (choice->to && wt_view_moment(&source->file, choice->other ? "--other-to" : "--to", choice->to,
					  &source->search.to, err)))
		return -1;
	if (choice->to && source->search.to <= source->search.from)
		return wt_fail(err, WT_ERR_USAGE, "%s",
			       choice->other ? "--other-to is not after --other-from"
					     : "--to is not after --from");
	return 0;
}

static int find(struct wt_pause_source *source, struct wt_listener listener, struct wt_err *err)
{
	const struct wt_pause_choice *choice = source->choice;
	int failed;

	source->waits.listener = listener;
	failed = choice->region ? wt_pause_find_regions(&source->search, source->log, choice->region, err)
				: wt_pause_find(&source->search, &source->waits, err);
	source->waits.listener = (struct wt_listener){0};
	if (failed)
		return -1;
	if (choice->region && !source->search.n_found)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no region '%.60s' that took time%s: wtrace view %.200s --regions",
			       choice->region, choice->thread || source->search.to ? " there" : "",
			       source->path);
	if (!source->search.tids.count)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no thread '%.60s' in the log%s: wtrace view %.200s --waits", choice->thread,
			       choice->from || source->search.to ? " at that time" : "", source->path);
	if (!source->search.most && source->search.tids.count > 1)
		return wt_fail(
			err, WT_ERR_USAGE,
			"%u threads have the name '%.60s' or that number: give the number of one, or --top N",
			source->search.tids.count, choice->thread);
	return 0;
}

/* The stretch from --from to --to is one by itself; its ends are those of the record. */
static int choose(struct wt_pause_source *source, struct wt_err *err)
{
	const struct wt_pause_choice *choice = source->choice;
	struct wt_pause_search *search = &source->search;

	if (search->most)
		return search->n_found
			       ? 0
			       : wt_fail(err, WT_ERR_NOTFOUND, "thread '%.60s' did not wait", choice->thread);
	search->n_found = 1;
	search->found[0] = (struct wt_pause_stretch){
		.tid = (uint32_t)search->tids.keys[0].a,
		.from = search->from > source->waits.first ? search->from : source->waits.first,
		.to = search->to && search->to < source->waits.last ? search->to : source->waits.last};
	if (search->found[0].from >= search->found[0].to)
		return wt_fail(err, WT_ERR_NOTFOUND, "the log has no context switches at that time");
	return 0;
}

int wt_pause_source_open(struct wt_pause_source *source, struct wt_listener listener, struct wt_err *err)
{
	source->search.thread = source->choice->thread;
	source->search.most = source->choice->most;
	return prepare(source, err) || find(source, listener, err) || choose(source, err) ? -1 : 0;
}

void wt_pause_source_close(struct wt_pause_source *source)
{
	wt_pause_search_deinit(&source->search);
	wt_view_file_deinit(&source->file);
	wt_wait_rows_deinit(&source->waits);
	if (source->log)
		wt_log_close(source->log);
	source->log = NULL;
}

int wt_pause_report_open(struct wt_pause_report *report, struct wt_pause_source *source, uint32_t i,
			 struct wt_err *err)
{
	const struct wt_pause_stretch *stretch = &source->search.found[i];

	*report = (struct wt_pause_report){.log = source->path,
					   .file = &source->file,
					   .waits = &source->waits,
					   .number = i + 1,
					   .open = stretch->open,
					   .of = source->search.n_found};
	return wt_pause_gather(&report->path, &source->waits, stretch->from, stretch->to, err) ||
			       wt_pause_walk(&report->path, stretch->tid, stretch->from, stretch->to, err) ||
			       wt_pause_blame(&report->path, &report->blame, &report->n_blame, err)
		       ? -1
		       : 0;
}

void wt_pause_report_close(struct wt_pause_report *report)
{
	free(report->blame);
	wt_pause_deinit(&report->path);
	*report = (struct wt_pause_report){0};
}
