// SPDX-License-Identifier: MIT
#include "consumers/relog/relog.h"

#include "consumers/relog/sift.h"
#include "tracecore/base/json.h"

static int parse_pids(struct wt_relog *relog, struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc;

	if (!relog->n_pids)
		return 0;
	for (size_t i = 0; i < relog->n_pids; i++)
		wt_buf_printf(&text, "%spid == %s", i ? " || " : "", relog->pids[i]);
	rc = text.failed ? wt_fail_nomem(err)
			 : wt_view_filter_where(&relog->of_pids, wt_buf_cstr(&text), NULL, err);
	wt_buf_deinit(&text);
	return rc;
}

static bool is_filtered(const struct wt_relog *relog)
{
	const struct wt_question *ask = relog->ask;

	return ask->where || ask->n_events || relog->n_pids || ask->from || ask->to || relog->drop_stacks ||
	       ask->no_self;
}

int wt_relog_open(struct wt_relog *relog, const char *path, struct wt_buf *shown, struct wt_err *err)
{
	const struct wt_question *ask = relog->ask;
	struct wt_view_options options = {.resolve = !ask->no_resolve, .no_inline = ask->no_inline};

	if (wt_log_open(path, &relog->log, err))
		return -1;
	if (!is_filtered(relog))
		return 0;
	if (wt_view_file_init(&relog->file, relog->log, &options, err))
		return -1;
	relog->filter.file = relog->of_pids.file = &relog->file;
	relog->select.file = &relog->file;
	if (wt_question_filter(ask, &relog->filter, &relog->select, shown, err) || parse_pids(relog, err))
		return -1;
	return wt_question_range(ask, &relog->file, &relog->range, err);
}

int wt_relog_write(struct wt_relog *relog, int fd, struct wt_listener listener, uint64_t *events,
		   struct wt_err *err)
{
	struct wt_sift sift = {.log = relog->log,
			       .file = is_filtered(relog) ? &relog->file : NULL,
			       .select = &relog->select,
			       .filter = &relog->filter,
			       .pids = &relog->of_pids,
			       .from = relog->range.from,
			       .to = relog->range.to,
			       .drop_stacks = relog->drop_stacks,
			       .listener = listener};

	return wt_sift_write(&sift, fd, events, err);
}

void wt_relog_close(struct wt_relog *relog)
{
	wt_view_filter_deinit(&relog->filter);
	wt_view_filter_deinit(&relog->of_pids);
	wt_view_select_deinit(&relog->select);
	wt_view_file_deinit(&relog->file);
	if (relog->log)
		wt_log_close(relog->log);
}

void wt_relog_json(const struct wt_relog *relog, const char *file, uint64_t events, struct wt_buf *out)
{
	struct wt_json json = wt_json(out);

	wt_json_object(&json, NULL);
	wt_json_text(&json, "file", file);
	wt_json_number(&json, "events", events);
	wt_json_number(&json, "of", wt_log_info(relog->log)->events);
	wt_json_end_document(&json);
}
