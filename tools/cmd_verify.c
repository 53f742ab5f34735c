// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/progress.h"
#include "consumers/export/contents.h"
#include "tracecore/base/out.h"
#include "tracecore/base/pool.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/schema/decode.h"

typedef unsigned long long ull;

enum { MAX_FILES = 4096, DAMAGES = 64 /* the reader keeps the text of this many */ };

struct verify {
	const char *paths[MAX_FILES];
	size_t n_paths;
	bool json;
	size_t unsound;
};

const struct wt_option cmd_verify_options[] = {
	{"json", 0, NULL, "one JSON object for each log; its \"error\" says why it cannot be read",
	 WT_FLAG(struct verify, json)},
	WT_OPTIONS_END,
};

static int take_path(void *ctx, const char *word, struct wt_err *err)
{
	struct verify *verify = ctx;

	if (verify->n_paths == MAX_FILES)
		return wt_fail(err, WT_ERR_USAGE, "more than %d logs", MAX_FILES);
	verify->paths[verify->n_paths++] = word;
	return 0;
}

static uint32_t kept(const struct wt_log_info *info)
{
	return info->n_damages < DAMAGES ? info->n_damages : DAMAGES;
}

static void put_text(const char *path, struct wt_log_reader *log, struct wt_buf *out)
{
	const struct wt_log_info *info = wt_log_info(log);

	wt_text_escape(out, path, strlen(path));
	wt_buf_printf(out, ": %s, %s, %llu event%s in %u segment%s\n", info->n_damages ? "damaged" : "sound",
		      info->complete ? "complete" : "not complete: cut, or not stopped cleanly",
		      (ull)info->events, info->events == 1 ? "" : "s", info->n_segments,
		      info->n_segments == 1 ? "" : "s");
	for (uint32_t i = 0; i < kept(info); i++) {
		const struct wt_log_damage *damage = &wt_log_damages(log)[i];

		wt_buf_printf(out, "  at byte %llu: ", (ull)damage->offset);
		wt_text_escape(out, damage->what, strnlen(damage->what, sizeof(damage->what)));
		wt_buf_puts(out, "\n");
	}
	if (info->n_damages > kept(info))
		wt_buf_printf(out, "  and %u more\n", info->n_damages - kept(info));
}

/* More threads bring no gain. */
enum { MOST_THREADS = 16 };

static uint32_t threads_here(void)
{
	uint32_t n = wt_pool_cpus();

	return n < MOST_THREADS ? n : MOST_THREADS;
}

/* Reports the error at once; the other logs are not affected. -1: the error is not the log's. */
static int leave_out(struct verify *verify, const char *path, struct wt_out *out, struct wt_err *err)
{
	if (err->code == WT_ERR_NOMEM || err->code == WT_ERR_USAGE)
		return -1;
	fprintf(stderr, "wtrace verify: %s\n", err->text);
	verify->unsound++;
	if (verify->json)
		wt_verified_json(path, NULL, err->text, &out->buf);
	*err = (struct wt_err)WT_ERR_INIT;
	return wt_out_flow(out, err);
}

static int verify_one(struct verify *verify, const char *path, struct wt_out *out, struct wt_err *err)
{
	struct wt_progress progress = {.what = path};
	struct wt_listener listener = wt_progress_listener(&progress);
	struct wt_log_reader *log;
	int rc;

	if (wt_log_open(path, &log, err))
		return leave_out(verify, path, out, err);
	rc = wt_log_verify(log, threads_here(), &listener, err);
	wt_progress_end(&progress);
	if (rc) {
		rc = leave_out(verify, path, out, err);
	} else {
		verify->unsound += wt_log_info(log)->n_damages || !wt_log_info(log)->complete;
		if (verify->json)
			wt_verified_json(path, log, NULL, &out->buf);
		else
			put_text(path, log, &out->buf);
		rc = wt_out_flow(out, err);
	}
	wt_log_close(log);
	return rc;
}

int cmd_verify(int argc, char **argv, struct wt_err *err)
{
	struct verify *verify = calloc(1, sizeof(*verify));
	struct wt_out out = {.stream = stdout};
	int rc;

	if (!verify)
		return wt_fail_nomem(err);
	rc = wt_options_words(argc, argv, cmd_verify_options, take_path, verify, err) < 0 ? -1 : 0;
	if (!rc && !verify->n_paths)
		rc = wt_fail(err, WT_ERR_USAGE, "no log: wtrace verify FILE...");
	for (size_t i = 0; i < verify->n_paths && !rc; i++)
		rc = verify_one(verify, verify->paths[i], &out, err);
	/* Results from before a failure are printed nevertheless. */
	if (rc) {
		struct wt_err ignored = WT_ERR_INIT;

		wt_out_end(&out, &ignored);
	} else {
		rc = wt_out_end(&out, err);
	}
	if (!rc && verify->unsound)
		rc = WT_EXIT_FAILED;
	free(verify);
	return rc;
}
