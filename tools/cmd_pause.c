/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/key.h"
#include "consumers/analysis/moment.h"
#include "tools/cmd.h"
#include "tools/pause.h"
#include "tools/progress.h"

const char cmd_pause_help[] =
	"usage: wtrace pause FILE --thread TID|NAME [OPTION]...\n"
	"       wtrace pause FILE --region NAME [OPTION]...\n"
	"\n"
	"Shows why a thread did not run, or took long: the longest waits of the thread, or what it did from\n"
	"--from to --to, from a mark to the next one, or in a region. The log needs context switches and "
	"wakes (-p "
	"cswitch,dispatcher), and stacks for "
	"kinds\n"
	"of waits and functions (--stackwalk).\n"
	"\n"
	"@options\n"
	"\n"
	"The path leads backwards from the end. While the thread was blocked, it is in the thread that woke "
	"it,\n"
	"from the moment of the wake back to the beginning of the wait, and from there in that one's waker. "
	"So "
	"it\n"
	"ends where nobody waits for another thread: at one that ran or was ready, at a timer, a disk, the\n"
	"network, or an interrupt. Each nanosecond is in one segment, and the blame adds up to 100.00 %. "
	"What "
	"lost\n"
	"events may hide is unknown; nothing is guessed. While a thread is ready, the threads are named that "
	"had\n"
	"the CPU which it got next.\n"
	"\n"
	"examples:\n"
	"  wtrace record -p cswitch,dispatcher --stackwalk -o run.etl -- ./server\n"
	"  wtrace pause run.etl --thread worker\n"
	"  wtrace pause run.etl --thread 4711 --top 3\n"
	"  wtrace pause run.etl --thread 4711 --from 1.5 --to 1.58\n"
	"  wtrace pause run.etl --thread 4711 --mark 'warm-up done'\n"
	"  wtrace pause run.etl --region request --top 3\n"
	"  wtrace pause run.etl --thread worker --json | jq '.pauses[0].blame'\n";

/* Most waits to show. */
enum { MOST = 1000 };

struct pause {
	const char *path, *thread, *from, *to, *mark, *region, *top;
	bool json, all, no_resolve;

	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_wait_rows waits;
	struct wt_pause_search search;
	struct wt_out out;
	struct wt_json writer;
};

const struct wt_option cmd_pause_options[] = {
	{"thread", 't', "TID|NAME", "the thread, by its number or its name", WT_TEXT(struct pause, thread)},
	{"from", 0, "TIME", "the beginning: seconds from the start (1.5, 200ms) or local time",
	 WT_TEXT(struct pause, from)},
	{"to", 0, "TIME", "the end", WT_TEXT(struct pause, to)},
	{"mark", 0, "TEXT",
	 "from a mark with this text to the next mark; where there are several, the longest such time",
	 WT_TEXT(struct pause, mark)},
	{"region", 0, "NAME",
	 "the longest region of that name, as view --regions has it; with --thread, of those that "
	 "began in this thread",
	 WT_TEXT(struct pause, region)},
	{"top", 0, "N",
	 "the N longest waits or regions, within --from and --to or the mark; without all of these, the "
	 "longest wait",
	 WT_TEXT(struct pause, top)},
	{"all", 0, NULL,
	 "all segments and all rows of blame; otherwise the 40 longest segments, with the ones between them "
	 "together, and 20 rows",
	 WT_FLAG(struct pause, all)},
	{"json", 0, NULL, "JSON, with all segments; times in ns", WT_FLAG(struct pause, json)},
	{"no-resolve", 0, NULL, "only names in the log; do not look in this machine's files",
	 WT_FLAG(struct pause, no_resolve)},
	WT_OPTIONS_END};

static int take_word(void *ctx, const char *word, struct wt_err *err)
{
	struct pause *pause = ctx;

	return wt_take_one(&pause->path, word, "FILE", err);
}

static int parse(struct pause *pause, int argc, char **argv, struct wt_err *err)
{
	char *rest;

	if (wt_options_words(argc, argv, cmd_pause_options, take_word, pause, err) < 0)
		return -1;
	if (!pause->path)
		return wt_fail(err, WT_ERR_USAGE, "no FILE: wtrace pause FILE --thread TID|NAME");
	if (!pause->thread && !pause->region)
		return wt_fail(err, WT_ERR_USAGE, "--thread TID|NAME or --region NAME is missing");
	pause->search.thread = pause->thread;
	if (pause->mark && (pause->from || pause->to))
		return wt_fail(err, WT_ERR_USAGE, "--mark does not go with --from or --to");
	pause->search.most = pause->region || (!pause->from && !pause->to && !pause->mark);
	if (pause->top) {
		unsigned long n = strtoul(pause->top, &rest, 10);

		if (*pause->top < '0' || *pause->top > '9' || *rest || !n || n > MOST)
			return wt_fail(err, WT_ERR_USAGE, "--top '%.40s': a number from 1 to %d expected",
				       pause->top, MOST);
		pause->search.most = (uint32_t)n;
	}
	return 0;
}

/* Sets the stretch to the longest time from a mark with that text to the next mark, or the end. */
static void take_mark(struct pause *pause, const struct wt_view_key *key)
{
	struct wt_pause_search *search = &pause->search;
	uint64_t end = wt_log_info(pause->log)->last_time + 1;
	bool found = false;

	for (uint32_t m = 1; m < key->n_marks; m++) {
		uint64_t from = key->marks[m].time;
		uint64_t to = m + 1 < key->n_marks ? key->marks[m + 1].time : end;
		size_t len;
		const char *text = wt_strings_get(&pause->file.texts, key->marks[m].text, &len);

		if (len != strlen(pause->mark) || memcmp(text, pause->mark, len) != 0 ||
		    (found && to - from <= search->to - search->from))
			continue;
		found = true;
		search->from = from;
		search->to = to;
	}
}

static int find_mark(struct pause *pause, struct wt_err *err)
{
	struct wt_view_key key = {0};
	int failed = wt_view_key_read_marks(&pause->file, &key, err);

	if (!failed)
		take_mark(pause, &key);
	free(key.marks);
	if (failed)
		return -1;
	if (!pause->search.to)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no mark '%.60s' in the log: wtrace dump %.200s --event mark", pause->mark,
			       pause->path);
	return 0;
}

static int prepare(struct pause *pause, struct wt_err *err)
{
	struct wt_view_options options = {.resolve = !pause->no_resolve};

	if (wt_log_open(pause->path, &pause->log, err) ||
	    wt_view_file_init(&pause->file, pause->log, &options, err) ||
	    (pause->mark && find_mark(pause, err)) || wt_wait_rows_init(&pause->waits, &pause->file, err))
		return -1;
	if ((pause->from && wt_view_moment(&pause->file, "--from", pause->from, &pause->search.from, err)) ||
	    (pause->to && wt_view_moment(&pause->file, "--to", pause->to, &pause->search.to, err)))
		return -1;
	if (pause->to && pause->search.to <= pause->search.from)
		return wt_fail(err, WT_ERR_USAGE, "--to is not after --from");
	return 0;
}

static int find(struct pause *pause, struct wt_err *err)
{
	struct wt_progress progress = {.what = pause->path};
	int failed;

	pause->waits.listener = wt_progress_listener(&progress);
	failed = pause->region ? wt_pause_find_regions(&pause->search, pause->log, pause->region, err)
			       : wt_pause_find(&pause->search, &pause->waits, err);
	wt_progress_end(&progress);
	pause->waits.listener = (struct wt_listener){0};
	if (failed)
		return -1;
	if (pause->region && !pause->search.n_found)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no region '%.60s' that took time%s: wtrace view %.200s --regions",
			       pause->region, pause->thread || pause->search.to ? " there" : "", pause->path);
	if (!pause->search.tids.count)
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no thread '%.60s' in the log%s: wtrace view %.200s --waits", pause->thread,
			       pause->from || pause->search.to ? " at that time" : "", pause->path);
	if (!pause->search.most && pause->search.tids.count > 1)
		return wt_fail(
			err, WT_ERR_USAGE,
			"%u threads have the name '%.60s' or that number: give the number of one, or --top N",
			pause->search.tids.count, pause->thread);
	return 0;
}

/* The stretch from --from to --to is one by itself; its ends are those of the record. */
static int choose(struct pause *pause, struct wt_err *err)
{
	struct wt_pause_search *search = &pause->search;

	if (search->most)
		return search->n_found
			       ? 0
			       : wt_fail(err, WT_ERR_NOTFOUND, "thread '%.60s' did not wait", pause->thread);
	search->n_found = 1;
	search->found[0] = (struct wt_pause_stretch){
		.tid = (uint32_t)search->tids.keys[0].a,
		.from = search->from > pause->waits.first ? search->from : pause->waits.first,
		.to = search->to && search->to < pause->waits.last ? search->to : pause->waits.last};
	if (search->found[0].from >= search->found[0].to)
		return wt_fail(err, WT_ERR_NOTFOUND, "the log has no context switches at that time");
	return 0;
}

static int show(struct pause *pause, uint32_t i, struct wt_err *err)
{
	const struct wt_pause_stretch *stretch = &pause->search.found[i];
	struct wt_pause_path path = {0};
	struct wt_pause_report report = {.file = &pause->file,
					 .waits = &pause->waits,
					 .path = &path,
					 .number = i + 1,
					 .of = pause->search.n_found,
					 .all = pause->all};
	int failed = wt_pause_gather(&path, &pause->waits, stretch->from, stretch->to, err) ||
		     wt_pause_walk(&path, stretch->tid, stretch->from, stretch->to, err) ||
		     wt_pause_blame(&path, &report.blame, &report.n_blame, err) ||
		     (pause->json ? wt_pause_json(&report, &pause->writer, err)
				  : wt_pause_text(&report, &pause->out, err));

	free(report.blame);
	wt_pause_deinit(&path);
	return failed ? -1 : 0;
}

static int show_all(struct pause *pause, struct wt_err *err)
{
	pause->out.stream = stdout;
	pause->writer = wt_json(&pause->out.buf);
	if (pause->json) {
		wt_json_object(&pause->writer, NULL);
		wt_json_text(&pause->writer, "log", pause->path);
		wt_json_array(&pause->writer, "pauses");
	}
	for (uint32_t i = 0; i < pause->search.n_found; i++)
		if (show(pause, i, err))
			return -1;
	if (pause->json) {
		wt_json_end_lines(&pause->writer);
		wt_json_end_document(&pause->writer);
	}
	return wt_out_end(&pause->out, err);
}

int cmd_pause(int argc, char **argv, struct wt_err *err)
{
	struct pause *pause = calloc(1, sizeof(*pause));
	int code = -1;

	if (!pause)
		return wt_fail_nomem(err);
	signal(SIGPIPE, SIG_IGN);
	if (!parse(pause, argc, argv, err) && !prepare(pause, err) && !find(pause, err) &&
	    !choose(pause, err) && !show_all(pause, err))
		code = WT_EXIT_OK;
	wt_buf_deinit(&pause->out.buf);
	wt_pause_search_deinit(&pause->search);
	wt_view_file_deinit(&pause->file);
	wt_wait_rows_deinit(&pause->waits);
	if (pause->log)
		wt_log_close(pause->log);
	free(pause);
	return code;
}
