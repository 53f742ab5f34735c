// SPDX-License-Identifier: MIT
#include "consumers/session/told.h"

#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/read/tally.h"

/* Of the segments that are there, and of those that --max-file has dropped. */
static int sum_up(struct wt_log_reader *log, struct wt_log_dropped *dropped, struct wt_err *err)
{
	int rc = wt_log_read_dropped(log, dropped, err);

	for (uint32_t i = 0; !rc && i < wt_log_info(log)->n_segments; i++)
		rc = wt_log_lost_segment(log, i, &dropped->lost, err);
	return rc;
}

int wt_told_each(const char *log,
		 int (*fn)(void *ctx, const struct wt_lost_payload *lost, struct wt_err *err), void *ctx,
		 struct wt_err *err)
{
	struct wt_log_dropped sums = {0};
	struct wt_log_reader *reader;
	int rc;

	if (wt_log_open(log, &reader, err))
		return -1;
	rc = sum_up(reader, &sums, err);
	wt_log_close(reader);
	for (uint32_t i = 0; !rc && i < sums.lost.n; i++)
		if (sums.lost.rows[i].ring)
			rc = fn(ctx, &sums.lost.rows[i], err);
	wt_log_dropped_deinit(&sums);
	return rc;
}
