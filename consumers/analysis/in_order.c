// SPDX-License-Identifier: MIT
#include "consumers/analysis/in_order.h"

static int take_run(const struct wt_log_batch *batch, uint32_t from, uint32_t n, wt_in_order_fn *fn,
		    void *ctx, struct wt_err *err)
{
	int rc = 0;

	for (uint32_t i = from; i < from + n && !rc; i++)
		rc = fn(ctx, batch, i, err);
	return rc;
}

int wt_in_order(struct wt_log_reader *log, const struct wt_log_filter *filter, wt_in_order_fn *fn, void *ctx,
		struct wt_err *err)
{
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t i, n = 0;
	int rc = 0, end = 0;

	if (wt_log_iter_create(log, filter, &iter, err))
		return -1;
	while (!rc && !(end = wt_log_iter_next_run(iter, &batch, &i, &n, err)))
		rc = take_run(batch, i, n, fn, ctx, err);
	wt_log_iter_destroy(iter);
	return end < 0 ? -1 : rc;
}
