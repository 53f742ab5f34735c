// SPDX-License-Identifier: MIT
#include <string.h>

#include "tools/cmd.h"
#include "consumers/export/contents.h"
#include "tracecore/base/out.h"

typedef unsigned long long ull;

struct info {
	const char *path;
	bool json;
};

const struct wt_option cmd_info_options[] = {
	{"json", 0, NULL, "one JSON object", WT_FLAG(struct info, json)},
	WT_OPTIONS_END,
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	return wt_take_one(&((struct info *)ctx)->path, word, "log", err);
}

static void put_head(const struct wt_contents *contents, struct wt_buf *out)
{
	const struct wt_log_info *log = wt_log_info(contents->log);
	const char *scope = wt_view_facts_info(&contents->facts, "scope");

	wt_text_escape(out, contents->path, strlen(contents->path));
	wt_buf_printf(out, ": format %u.%u, %s, %u segment%s, %llu bytes\n", log->version_major,
		      log->version_minor,
		      log->complete ? "complete" : "not complete: cut, or not stopped cleanly",
		      log->n_segments, log->n_segments == 1 ? "" : "s", (ull)log->file_bytes);
	wt_buf_printf(out, "%llu event%s over %.3f s, %llu known to be lost", (ull)log->events,
		      log->events == 1 ? "" : "s", wt_contents_span(contents), (ull)contents->facts.lost);
	if (contents->facts.blind_spans)
		wt_buf_printf(out, ", blind for %.3f s", (double)contents->facts.blind_ns / (double)WT_NSEC);
	if (log->n_damages)
		wt_buf_printf(out, ", %u damaged place%s (wtrace verify)", log->n_damages,
			      log->n_damages == 1 ? "" : "s");
	wt_buf_puts(out, "\nsession ");
	for (int i = 0; i < 16; i++)
		wt_buf_printf(out, "%02x", log->session_id[i]);
	if (scope) {
		wt_buf_puts(out, "\nscope ");
		wt_text_escape(out, scope, strlen(scope));
	}
	wt_buf_puts(out, "\n\n");
}

static void put_name(const struct wt_contents *contents, const struct wt_log_census_line *line,
		     struct wt_buf *out)
{
	const char *provider = wt_log_census_provider(&contents->census, line);
	const char *event = wt_log_census_event(&contents->census, line);

	if (line->type != WT_DISK_EVENTS) {
		wt_buf_printf(out, "(%s)", wt_log_block_name(line->type));
		return;
	}
	wt_text_escape(out, provider, strlen(provider));
	wt_buf_puts(out, "/");
	wt_text_escape(out, event, strlen(event));
}

static void put_line(const struct wt_contents *contents, const struct wt_log_census_line *line,
		     struct wt_buf *out)
{
	double whole = (double)wt_log_info(contents->log)->file_bytes, seconds = wt_contents_span(contents);
	bool events = line->type == WT_DISK_EVENTS;
	uint64_t count = line->count ? line->count : line->blocks;

	wt_buf_printf(out, "%12llu ", (ull)count);
	if (events)
		wt_buf_printf(out, "%10llu ", (ull)wt_contents_lost(contents, line));
	else
		wt_buf_printf(out, "%10s ", "");
	if (events && seconds > 0)
		wt_buf_printf(out, "%12.1f ", (double)line->count / seconds);
	else
		wt_buf_printf(out, "%12s ", "");
	wt_buf_printf(out, "%12llu ", (ull)line->bytes);
	if (count)
		wt_buf_printf(out, "%8.2f ", (double)line->bytes / (double)count);
	else
		wt_buf_printf(out, "%8s ", "");
	wt_buf_printf(out, "%6.2f  ", 100.0 * (double)line->bytes / whole);
	put_name(contents, line, out);
	wt_buf_puts(out, "\n");
}

static void put_text(const struct wt_contents *contents, struct wt_buf *out)
{
	uint64_t events = wt_log_info(contents->log)->events, bytes = wt_log_info(contents->log)->file_bytes;

	put_head(contents, out);
	wt_buf_printf(out, "%12s %10s %12s %12s %8s %6s  %s\n", "count", "lost", "per second", "bytes",
		      "each", "%", "what");
	for (uint32_t i = 0; i < contents->census.n; i++)
		put_line(contents, &contents->census.lines[i], out);
	wt_buf_printf(out, "%12llu %10llu %12s %12llu ", (ull)events, (ull)contents->facts.lost, "",
		      (ull)bytes);
	if (events)
		wt_buf_printf(out, "%8.2f %6.2f  events, all bytes\n", (double)bytes / (double)events, 100.0);
	else
		wt_buf_printf(out, "%8s %6.2f  events, all bytes\n", "", 100.0);
}

static int run(const struct info *info, struct wt_contents *contents, struct wt_err *err)
{
	struct wt_out out = {.stream = stdout};

	if (wt_contents_read(contents, info->path, err))
		return -1;
	(info->json ? wt_contents_json : put_text)(contents, &out.buf);
	return wt_out_end(&out, err);
}

int cmd_info(int argc, char **argv, struct wt_err *err)
{
	struct info info = {0};
	struct wt_contents contents = {0};
	int rc = wt_options_words(argc, argv, cmd_info_options, take_path, &info, err) < 0 ? -1 : 0;

	if (!rc && !info.path)
		rc = wt_fail(err, WT_ERR_USAGE, "no log: wtrace info FILE");
	if (!rc)
		rc = run(&info, &contents, err);
	wt_contents_deinit(&contents);
	return rc;
}
