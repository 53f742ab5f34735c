// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#include "consumers/relog/merge.h"
#include "consumers/relog/target.h"
#include "tools/cmd.h"
#include "tools/damaged.h"
#include "tools/progress.h"

typedef unsigned long long ull;

enum { MAX_LOGS = 1024 };

struct merge {
	const char *paths[MAX_LOGS];
	size_t n_logs;
	const char *output;
	bool force;
	bool json;
	struct wt_log_merge logs;
};

const struct wt_option cmd_merge_options[] = {
	{"output", 'o', "FILE", "the new log; it appears when it is complete", WT_TEXT(struct merge, output),
	 .values = "@files"},
	{"force", 0, NULL, "replace FILE if it exists", WT_FLAG(struct merge, force)},
	{"json", 0, NULL, "one JSON object about the new log", WT_FLAG(struct merge, json)},
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
	if (wt_options_words(argc, argv, cmd_merge_options, take_path, merge, err))
		return -1;
	if (!merge->n_logs || !merge->output)
		return wt_fail(err, WT_ERR_USAGE, "%s: wtrace merge LOG... -o FILE",
			       merge->n_logs ? "no output file" : "no logs");
	return 0;
}

static void report(const struct merge *merge, uint64_t events)
{
	size_t segments = merge->logs.n_parts;
	struct wt_buf text = {0};

	for (size_t i = 0; i < merge->n_logs; i++)
		wt_warn_damaged(merge->logs.logs[i], merge->paths[i], "result");
	if (merge->json)
		wt_log_merge_json(&merge->logs, merge->output, events, &text);
	else
		wt_buf_printf(&text, "%s: %llu event%s of %zu log%s in %zu segment%s\n", merge->output,
			      (ull)events, events == 1 ? "" : "s", merge->n_logs,
			      merge->n_logs == 1 ? "" : "s", segments, segments == 1 ? "" : "s");
	fwrite(text.data, 1, text.len, stdout);
	wt_buf_deinit(&text);
}

static int run(struct merge *merge, struct wt_err *err)
{
	enum wt_replace replace = wt_replace_by(merge->force);
	struct wt_progress progress = {.what = merge->output};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_target target = {.fd = -1};
	uint64_t events = 0;
	int rc;

	if (wt_log_merge_open(&merge->logs, merge->paths, merge->n_logs, err))
		return -1;
	rc = wt_target_open(&target, merge->output, replace, err);
	if (!rc)
		rc = wt_log_merge_write(&merge->logs, target.fd, &listener, &events, err);
	wt_progress_end(&progress);
	if (!rc)
		rc = wt_target_keep(&target, err);
	if (!rc)
		report(merge, events);
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
	wt_log_merge_close(&merge->logs);
	free(merge);
	return rc;
}
