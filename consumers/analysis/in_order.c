// SPDX-License-Identifier: MIT
#include "consumers/analysis/in_order.h"

#include <stdlib.h>

#include "consumers/analysis/relay.h"

/* Records that are handed over at a time. */
enum { RECORDS = 4096 };

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

struct apart {
	struct wt_log_reader *log;
	const struct wt_log_filter *filter;
	const struct wt_in_order_ends *ends;
	struct wt_relay *relay;
	struct list {
		uint8_t *records; /* owned */
		uint32_t n;
	} lists[2]; /* in turn: one is filled while the other one is taken */
	uint32_t turn;
};

/* Returns 1 when no more is wanted. */
static int give(struct apart *apart)
{
	struct list *full = &apart->lists[apart->turn];

	if (full->n && wt_relay_give(apart->relay, full))
		return 1;
	apart->turn ^= 1;
	apart->lists[apart->turn].n = 0;
	return 0;
}

static int read_event(void *ctx, const struct wt_log_batch *batch, uint32_t i, struct wt_err *err)
{
	struct apart *apart = ctx;
	struct list *list = &apart->lists[apart->turn];
	size_t size = apart->ends->size;

	(void)err;
	apart->ends->read(apart->ends->ctx, batch, i, list->records + list->n * size);
	return ++list->n == RECORDS ? give(apart) : 0;
}

static int make(void *ctx, struct wt_relay *relay, struct wt_err *err)
{
	struct apart *apart = ctx;
	int rc;

	apart->relay = relay;
	rc = wt_in_order(apart->log, apart->filter, read_event, apart, err);
	if (!rc)
		give(apart);
	return rc < 0 ? -1 : 0;
}

static int take(void *ctx, void *part, struct wt_err *err)
{
	const struct wt_in_order_ends *ends = ((struct apart *)ctx)->ends;
	const struct list *list = part;
	int rc = 0;

	for (uint32_t i = 0; i < list->n && !rc; i++)
		rc = ends->take(ends->ctx, list->records + i * ends->size, err);
	return rc;
}

int wt_in_order_apart(struct wt_log_reader *log, const struct wt_log_filter *filter,
		      const struct wt_in_order_ends *ends, struct wt_err *err)
{
	struct apart apart = {.log = log, .filter = filter, .ends = ends};
	int rc = -1;

	for (int i = 0; i < 2; i++)
		apart.lists[i].records = malloc(RECORDS * ends->size);
	if (apart.lists[0].records && apart.lists[1].records)
		rc = wt_relay_run(&(struct wt_relay_ends){make, take, &apart}, err);
	else
		wt_fail_nomem(err);
	free(apart.lists[0].records);
	free(apart.lists[1].records);
	return rc;
}
