// SPDX-License-Identifier: MIT
#include "consumers/analysis/derived.h"

#include <stdlib.h>
#include <string.h>

int wt_derived_init(struct wt_derived *columns, uint32_t most, struct wt_err *err)
{
	size_t n = most;

	columns->time = malloc(n * sizeof(*columns->time));
	columns->cpu = malloc(n * sizeof(*columns->cpu));
	columns->thread = malloc(n * sizeof(*columns->thread));
	columns->stack = malloc(n * sizeof(*columns->stack));
	columns->self = malloc(n);
	columns->claimed = calloc(1, n);
	return columns->time && columns->cpu && columns->thread && columns->stack && columns->self &&
			       columns->claimed
		       ? 0
		       : wt_fail_nomem(err);
}

void wt_derived_deinit(struct wt_derived *columns)
{
	free(columns->time);
	free(columns->cpu);
	free(columns->thread);
	free(columns->stack);
	free(columns->self);
	free(columns->claimed);
}

struct wt_log_batch wt_derived_batch(const struct wt_derived *columns, const struct wt_log_segment *shadow,
				     uint32_t kind, uint32_t n, const struct wt_log_column *fields)
{
	return (struct wt_log_batch){
		.segment = shadow,
		.kind = kind,
		.n = n,
		.time = columns->time,
		.cpu = columns->cpu,
		.thread = columns->thread,
		.stack = columns->stack,
		.self = columns->self,
		.claimed = columns->claimed,
		.columns = fields,
	};
}

static int look_at_nothing(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)ctx;
	(void)batch;
	(void)err;
	return 0;
}

static void need_nothing(void *ctx, const struct wt_log_segment *segment, uint32_t kind,
			 struct wt_log_need *ret)
{
	(void)ctx;
	(void)segment;
	(void)kind;
	(void)ret;
}

int wt_derived_read_all(struct wt_log_reader *log,
			bool (*want)(void *ctx, const struct wt_log_segment *segment, uint32_t kind),
			int (*look)(void *ctx, const struct wt_log_batch *batch, struct wt_err *err),
			void *ctx, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = want, .need = need_nothing, .ctx = ctx};

	return wt_log_scan(log, &filter, look ? look : look_at_nothing, ctx, err) < 0 ? -1 : 0;
}

bool wt_derived_notices(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *row = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(row->provider->name, "wtrace") &&
	       (row->event->id == WT_CORE_LOST || row->event->id == WT_CORE_INFO);
}
