// SPDX-License-Identifier: MIT
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cmd.h"
#include "tools/progress.h"
#include "tools/view/out.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/schema/decode.h"

const char cmd_verify_help[] =
	"usage: wtrace verify FILE... [--json]\n"
	"\n"
	"Reads every byte of logs: each header, each checksum, each table and event decoded, each reference\n"
	"looked up, what segments say they hold against what is there. Names each damaged place with its\n"
	"offset. Exit code 1 when a log is damaged, or is not complete: cut, or not stopped cleanly; and\n"
	"when one cannot be read: the others are read all the same.\n"
	"\n"
	"      --json   one JSON object for each log; \"error\" says why one cannot be read\n"
	"\n"
	"examples:\n"
	"  wtrace verify run.etl\n"
	"  wtrace verify *.etl --json | jq -r 'select(.sound | not) | .file'\n";

typedef unsigned long long ull;

enum { MAX_FILES = 4096, DAMAGES = 64 /* whose text the reader keeps */ };

struct verify {
	const char *paths[MAX_FILES];
	size_t n_paths;
	bool json;
	size_t unsound;
};

static int set_json(void *ctx, const struct wt_option *option, const char *value, struct wt_err *err)
{
	(void)option, (void)value, (void)err;
	((struct verify *)ctx)->json = true;
	return 0;
}

static const struct wt_option options[] = {{"json", 0, WT_OPT_FLAG, set_json}};

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

static void put_json(const char *path, struct wt_log_reader *log, struct wt_buf *out)
{
	const struct wt_log_info *info = wt_log_info(log);

	wt_buf_puts(out, "{\"file\":");
	wt_json_string(out, path, strlen(path));
	wt_buf_printf(
		out,
		",\"sound\":%s,\"complete\":%s,\"events\":%llu,\"segments\":%u,\"damaged\":%u,\"damages\":[",
		info->n_damages ? "false" : "true", info->complete ? "true" : "false", (ull)info->events,
		info->n_segments, info->n_damages);
	for (uint32_t i = 0; i < kept(info); i++) {
		const struct wt_log_damage *damage = &wt_log_damages(log)[i];

		wt_buf_printf(out, "%s{\"offset\":%llu,\"what\":", i ? "," : "", (ull)damage->offset);
		wt_json_string(out, damage->what, strnlen(damage->what, sizeof(damage->what)));
		wt_buf_puts(out, "}");
	}
	wt_buf_puts(out, "]}\n");
}

/* More threads are of no use. */
enum { MOST_THREADS = 16 };

static uint32_t cpus_here(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return n < MOST_THREADS ? (uint32_t)n : MOST_THREADS;
}

/* It is said at once, and costs the other logs nothing. -1: it is not the log's fault. */
static int leave_out(struct verify *verify, const char *path, struct wt_out *out, struct wt_err *err)
{
	if (err->code == WT_ERR_NOMEM || err->code == WT_ERR_USAGE)
		return -1;
	fprintf(stderr, "wtrace verify: %s\n", err->text);
	verify->unsound++;
	if (verify->json) {
		wt_buf_puts(&out->buf, "{\"file\":");
		wt_json_string(&out->buf, path, strlen(path));
		wt_buf_puts(&out->buf, ",\"sound\":false,\"complete\":false,\"error\":");
		wt_json_string(&out->buf, err->text, strlen(err->text));
		wt_buf_puts(&out->buf, "}\n");
	}
	*err = (struct wt_err)WT_ERR_INIT;
	return wt_out_flow(out, err);
}

static int verify_one(struct verify *verify, const char *path, struct wt_out *out, struct wt_err *err)
{
	struct wt_progress progress = {.what = path};
	struct wt_log_reader *log;
	int rc;

	if (wt_log_open(path, &log, err))
		return leave_out(verify, path, out, err);
	rc = wt_log_verify(log, cpus_here(), wt_progress_show, &progress, err);
	wt_progress_end(&progress);
	if (rc) {
		rc = leave_out(verify, path, out, err);
	} else {
		verify->unsound += wt_log_info(log)->n_damages || !wt_log_info(log)->complete;
		(verify->json ? put_json : put_text)(path, log, &out->buf);
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
	rc = wt_options_parse(argc, argv, options, 1, take_path, verify, err) < 0 ? -1 : 0;
	if (!rc && !verify->n_paths)
		rc = wt_fail(err, WT_ERR_USAGE, "which log? usage: wtrace verify FILE...");
	for (size_t i = 0; i < verify->n_paths && !rc; i++)
		rc = verify_one(verify, verify->paths[i], &out, err);
	/* What was found until then is said all the same. */
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
