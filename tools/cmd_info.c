// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "consumers/analysis/facts.h"
#include "tracecore/base/out.h"
#include "tracecore/base/json.h"
#include "tracecore/logfmt/read/census.h"

typedef unsigned long long ull;

struct info {
	const char *path;
	bool json;
	struct wt_log_reader *log;
	struct wt_view_file file;
	struct wt_view_facts facts;
	struct wt_log_census census;
};

const struct wt_option cmd_info_options[] = {
	{"json", 0, NULL, "one JSON object", WT_FLAG(struct info, json)},
	WT_OPTIONS_END,
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	return wt_take_one(&((struct info *)ctx)->path, word, "log", err);
}

static double span(const struct info *info)
{
	const struct wt_log_info *log = wt_log_info(info->log);

	return (double)(log->last_time - log->first_time) / (double)WT_NSEC;
}

/* Returns the events known to be lost, over all causes. The loss of a ring with several events has no
 * event's name. */
static uint64_t lost(const struct info *info, const char *provider, const char *event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < info->facts.n_losses; i++) {
		const struct wt_view_loss *loss = &info->facts.losses[i];

		if (!strcmp(wt_strings_get(&info->file.texts, loss->provider, NULL), provider) &&
		    !strcmp(wt_strings_get(&info->file.texts, loss->event, NULL), event))
			sum += loss->count;
	}
	return sum;
}

static uint64_t lost_of(const struct info *info, const struct wt_log_census_line *line)
{
	if (line->type != WT_DISK_EVENTS)
		return 0;
	return lost(info, wt_log_census_provider(&info->census, line),
		    wt_log_census_event(&info->census, line));
}

/* ---- text ---- */

static void put_head(const struct info *info, struct wt_buf *out)
{
	const struct wt_log_info *log = wt_log_info(info->log);
	const char *scope = wt_view_facts_info(&info->facts, "scope");

	wt_text_escape(out, info->path, strlen(info->path));
	wt_buf_printf(out, ": format %u.%u, %s, %u segment%s, %llu bytes\n", log->version_major,
		      log->version_minor,
		      log->complete ? "complete" : "not complete: cut, or not stopped cleanly",
		      log->n_segments, log->n_segments == 1 ? "" : "s", (ull)log->file_bytes);
	wt_buf_printf(out, "%llu event%s over %.3f s, %llu known to be lost", (ull)log->events,
		      log->events == 1 ? "" : "s", span(info), (ull)info->facts.lost);
	if (info->facts.blind_spans)
		wt_buf_printf(out, ", blind for %.3f s", (double)info->facts.blind_ns / (double)WT_NSEC);
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

static void put_name(const struct info *info, const struct wt_log_census_line *line, struct wt_buf *out)
{
	const char *provider = wt_log_census_provider(&info->census, line);
	const char *event = wt_log_census_event(&info->census, line);

	if (line->type != WT_DISK_EVENTS) {
		wt_buf_printf(out, "(%s)", wt_log_block_name(line->type));
		return;
	}
	wt_text_escape(out, provider, strlen(provider));
	wt_buf_puts(out, "/");
	wt_text_escape(out, event, strlen(event));
}

static void put_line(const struct info *info, const struct wt_log_census_line *line, struct wt_buf *out)
{
	double whole = (double)wt_log_info(info->log)->file_bytes, seconds = span(info);
	bool events = line->type == WT_DISK_EVENTS;
	uint64_t count = line->count ? line->count : line->blocks;

	wt_buf_printf(out, "%12llu ", (ull)count);
	if (events)
		wt_buf_printf(out, "%10llu ", (ull)lost_of(info, line));
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
	put_name(info, line, out);
	wt_buf_puts(out, "\n");
}

static void put_text(const struct info *info, struct wt_buf *out)
{
	uint64_t events = wt_log_info(info->log)->events, bytes = wt_log_info(info->log)->file_bytes;

	put_head(info, out);
	wt_buf_printf(out, "%12s %10s %12s %12s %8s %6s  %s\n", "count", "lost", "per second", "bytes",
		      "each", "%", "what");
	for (uint32_t i = 0; i < info->census.n; i++)
		put_line(info, &info->census.lines[i], out);
	wt_buf_printf(out, "%12llu %10llu %12s %12llu ", (ull)events, (ull)info->facts.lost, "", (ull)bytes);
	if (events)
		wt_buf_printf(out, "%8.2f %6.2f  events, all bytes\n", (double)bytes / (double)events, 100.0);
	else
		wt_buf_printf(out, "%8s %6.2f  events, all bytes\n", "", 100.0);
}

/* ---- JSON ---- */

static void put_json_line(const struct info *info, const struct wt_log_census_line *line,
			  struct wt_json *json)
{
	wt_json_object(json, NULL);
	wt_json_text(json, "type", wt_log_block_name(line->type));
	if (line->type == WT_DISK_EVENTS) {
		wt_json_text(json, "provider", wt_log_census_provider(&info->census, line));
		wt_json_text(json, "event", wt_log_census_event(&info->census, line));
		wt_json_number(json, "lost", lost_of(info, line));
		wt_json_number(json, "first", line->first_time - wt_log_info(info->log)->first_time);
		wt_json_number(json, "last", line->last_time - wt_log_info(info->log)->first_time);
	}
	wt_json_number(json, "count", line->count);
	wt_json_number(json, "blocks", line->blocks);
	wt_json_number(json, "raw_bytes", line->raw_bytes);
	wt_json_number(json, "bytes", line->bytes);
	wt_json_end_object(json);
}

static void put_version(const struct wt_log_info *log, struct wt_json *json)
{
	char version[24];

	snprintf(version, sizeof(version), "%u.%u", log->version_major, log->version_minor);
	wt_json_text(json, "version", version);
}

static void put_json(const struct info *info, struct wt_buf *out)
{
	const struct wt_log_info *log = wt_log_info(info->log);
	const char *scope = wt_view_facts_info(&info->facts, "scope");
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", info->path);
	put_version(log, &json);
	wt_json_bool(&json, "complete", log->complete);
	wt_json_hex(&json, "session", log->session_id, 16);
	if (scope)
		wt_json_text(&json, "scope", scope);
	wt_json_number(&json, "bytes", log->file_bytes);
	wt_json_number(&json, "segments", log->n_segments);
	wt_json_number(&json, "damaged", log->n_damages);
	wt_json_number(&json, "events", log->events);
	wt_json_number(&json, "lost", info->facts.lost);
	wt_json_number(&json, "blind_ns", info->facts.blind_ns);
	wt_json_number(&json, "span_ns", log->last_time - log->first_time);
	wt_json_array(&json, "lines");
	for (uint32_t i = 0; i < info->census.n; i++)
		put_json_line(info, &info->census.lines[i], &json);
	wt_json_end_array(&json);
	wt_json_end_document(&json);
}

static int run(struct info *info, struct wt_err *err)
{
	struct wt_view_options plain = {.resolve = false};
	struct wt_out out = {.stream = stdout};

	if (wt_log_open(info->path, &info->log, err) ||
	    wt_view_file_init(&info->file, info->log, &plain, err))
		return -1;
	wt_view_facts_init(&info->facts, &info->file);
	if (wt_view_facts_read(&info->facts, err) || wt_log_census_take(info->log, &info->census, err))
		return -1;
	(info->json ? put_json : put_text)(info, &out.buf);
	return wt_out_end(&out, err);
}

int cmd_info(int argc, char **argv, struct wt_err *err)
{
	struct info info = {0};
	int rc = wt_options_words(argc, argv, cmd_info_options, take_path, &info, err) < 0 ? -1 : 0;

	if (!rc && !info.path)
		rc = wt_fail(err, WT_ERR_USAGE, "no log: wtrace info FILE");
	if (!rc)
		rc = run(&info, err);
	wt_log_census_deinit(&info.census);
	wt_view_facts_deinit(&info.facts);
	wt_view_file_deinit(&info.file);
	if (info.log)
		wt_log_close(info.log);
	return rc;
}
