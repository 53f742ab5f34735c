// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "tools/cmd.h"
#include "tracecore/logfmt/read/host.h"
#include "tools/logs/target.h"
#include "tools/progress.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/json.h"
#include "tracecore/logfmt/rewrite/copy.h"
#include "tracecore/schema/decode.h"

const char cmd_merge_help[] =
	"usage: wtrace merge LOG... -o FILE [--force] [--json]\n"
	"\n"
	"Makes one log of several that were recorded on one machine between two of its boots. Nothing is\n"
	"decoded or left out: the logs' segments are sorted by time. An event that is in\n"
	"two of the logs is in the result twice.\n"
	"\n"
	"@options\n"
	"\n"
	"examples:\n"
	"  wtrace merge before.etl after.etl -o both.etl\n";

typedef unsigned long long ull;

enum { MAX_LOGS = 1024 };

struct part {
	struct wt_log_reader *log;
	size_t order; /* of the log on the command line */
	uint32_t segment;
	struct wt_log_extent extent;
};

struct merge {
	const char *paths[MAX_LOGS];
	struct wt_log_reader *logs[MAX_LOGS];
	size_t n_logs;
	const char *output;
	bool force;
	bool json;
	struct part *parts; /* in the order they are written */
	size_t n_parts;
	uint64_t bytes;
};

const struct wt_option cmd_merge_options[] = {
	{"output", 'o', "FILE", "the log to make: complete, or not there", WT_TEXT(struct merge, output),
	 .values = "@files"},
	{"force", 0, NULL, "FILE may be there already: it is replaced", WT_FLAG(struct merge, force)},
	{"json", 0, NULL, "one JSON object that says what was made", WT_FLAG(struct merge, json)},
	WT_OPTIONS_END,
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	struct merge *merge = ctx;

	if (merge->n_logs == MAX_LOGS)
		return wt_fail(err, WT_ERR_USAGE, "more than %d logs", MAX_LOGS);
	merge->paths[merge->n_logs++] = word;
	return 0;
}

static int parse(struct merge *merge, int argc, char **argv, struct wt_err *err)
{
	int end = wt_options_parse(argc, argv, cmd_merge_options, take_path, merge, err);

	if (end < 0)
		return -1;
	for (; end < argc; end++)
		if (take_path(merge, argv[end], err))
			return -1;
	if (!merge->n_logs || !merge->output)
		return wt_fail(err, WT_ERR_USAGE, "%s usage: wtrace merge LOG... -o FILE",
			       merge->n_logs ? "where to?" : "which logs?");
	return 0;
}

/* Opens all logs and refuses those of different machines or boots. */
static int open_logs(struct merge *merge, struct wt_err *err)
{
	struct wt_host first, host;

	for (size_t i = 0; i < merge->n_logs; i++) {
		if (wt_log_open(merge->paths[i], &merge->logs[i], err) ||
		    wt_host_read(merge->logs[i], &host, err))
			return -1;
		if (i == 0)
			first = host;
		else if (wt_host_same(&first, merge->paths[0], &host, merge->paths[i], err))
			return -1;
		if (!wt_log_info(merge->logs[i])->complete)
			wt_warn("%s is not complete: what it has is taken", merge->paths[i]);
	}
	return 0;
}

static int add_parts(struct merge *merge, size_t i, struct wt_err *err)
{
	uint32_t n = wt_log_info(merge->logs[i])->n_segments;
	struct part *parts = realloc(merge->parts, (merge->n_parts + n + 1) * sizeof(*parts));

	if (!parts)
		return wt_fail_nomem(err);
	merge->parts = parts;
	for (uint32_t s = 0; s < n; s++) {
		struct part *part = &parts[merge->n_parts++];

		*part = (struct part){.log = merge->logs[i], .order = i, .segment = s};
		if (wt_log_extent(part->log, s, &part->extent, err))
			return -1;
		wt_log_unload_segment(part->log, s);
		merge->bytes += part->extent.bytes;
	}
	return 0;
}

/* Ties keep the order of the command line. */
static int by_time(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->extent.first_time != y->extent.first_time)
		return x->extent.first_time < y->extent.first_time ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

/* The session all logs are of, or a new one; the clocks of the one that began first. */
static int choose_origin(const struct merge *merge, uint8_t id[16], struct wt_clockset *began,
			 struct wt_err *err)
{
	const struct wt_log_info *first = wt_log_info(merge->logs[0]);
	bool same = true;

	*began = first->clock;
	memcpy(id, first->session_id, 16);
	for (size_t i = 1; i < merge->n_logs; i++) {
		const struct wt_log_info *info = wt_log_info(merge->logs[i]);

		same &= !memcmp(id, info->session_id, 16);
		if (info->clock.raw < began->raw)
			*began = info->clock;
	}
	if (!same && getrandom(id, 16, 0) != 16)
		return wt_fail_errno(err, "no random bytes");
	return 0;
}

static int copy_parts(struct merge *merge, struct wt_log_copy *copy, uint64_t *events, struct wt_err *err)
{
	struct wt_progress progress = {.what = merge->output};
	uint64_t done = 0;
	int rc = 0;

	for (size_t i = 0; i < merge->n_parts && !rc; i++) {
		const struct part *part = &merge->parts[i];

		rc = wt_log_copy_segment(copy, part->log, part->segment, NULL, err);
		wt_log_unload_segment(part->log, part->segment);
		done += part->extent.bytes;
		wt_progress_show(&progress, done, merge->bytes);
	}
	wt_progress_end(&progress);
	return rc ? rc : wt_log_copy_finish(copy, events, err);
}

static void report(const struct merge *merge, uint64_t events)
{
	struct wt_buf text = {0};
	struct wt_json json = wt_json(&text);

	for (size_t i = 0; i < merge->n_logs; i++)
		if (wt_log_info(merge->logs[i])->n_damages)
			wt_warn("%s is damaged in %u place%s: what could not be read is not in the result "
				"(wtrace verify)",
				merge->paths[i], wt_log_info(merge->logs[i])->n_damages,
				wt_log_info(merge->logs[i])->n_damages == 1 ? "" : "s");
	if (merge->json) {
		wt_json_object(&json, NULL);
		wt_json_text(&json, "file", merge->output);
		wt_json_number(&json, "logs", merge->n_logs);
		wt_json_number(&json, "segments", merge->n_parts);
		wt_json_number(&json, "events", events);
		wt_json_end_document(&json);
	} else {
		wt_buf_printf(&text, "%s: %llu event%s of %zu log%s in %zu segment%s\n", merge->output,
			      (ull)events, events == 1 ? "" : "s", merge->n_logs,
			      merge->n_logs == 1 ? "" : "s", merge->n_parts, merge->n_parts == 1 ? "" : "s");
	}
	fwrite(text.data, 1, text.len, stdout);
	wt_buf_deinit(&text);
}

static int write_merged(struct merge *merge, struct wt_target *target, struct wt_err *err)
{
	struct wt_log_copy *copy = NULL;
	struct wt_clockset began;
	uint64_t events = 0;
	uint8_t id[16];
	int rc;

	if (choose_origin(merge, id, &began, err) ||
	    wt_target_open(target, merge->output, merge->force ? WT_REPLACE_ANYTHING : WT_REPLACE_NOTHING,
			   err) ||
	    wt_log_copy_create(target->fd, id, &began, &copy, err))
		return -1;
	rc = copy_parts(merge, copy, &events, err);
	if (!rc)
		rc = wt_target_keep(target, err);
	wt_log_copy_destroy(copy);
	if (!rc)
		report(merge, events);
	return rc;
}

static int run(struct merge *merge, struct wt_err *err)
{
	struct wt_target target = {.fd = -1};
	int rc;

	if (open_logs(merge, err))
		return -1;
	for (size_t i = 0; i < merge->n_logs; i++)
		if (add_parts(merge, i, err))
			return -1;
	if (merge->n_parts)
		qsort(merge->parts, merge->n_parts, sizeof(*merge->parts), by_time);
	rc = write_merged(merge, &target, err);
	wt_target_close(&target);
	return rc;
}

int cmd_merge(int argc, char **argv, struct wt_err *err)
{
	struct merge *merge = calloc(1, sizeof(*merge));
	int rc;

	if (!merge)
		return wt_fail_nomem(err);
	rc = parse(merge, argc, argv, err);
	if (!rc)
		rc = run(merge, err);
	for (size_t i = 0; i < merge->n_logs; i++)
		if (merge->logs[i])
			wt_log_close(merge->logs[i]);
	free(merge->parts);
	free(merge);
	return rc;
}
