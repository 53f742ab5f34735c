// SPDX-License-Identifier: MIT
#include "tools/session/told.h"

#include <string.h>

#include "tracecore/logfmt/log_reader.h"

static bool lost_kind(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(k->provider->name, "wtrace") && k->event->id == WT_CORE_LOST;
}

static struct wt_str text_field(const struct wt_log_batch *batch, uint32_t i, const char *name)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, name);
	struct wt_value value = {0};

	if (at < 0 || wt_log_value(batch, i, (uint32_t)at, &value))
		return (struct wt_str){"", 0};
	return (struct wt_str){(const char *)value.bytes, value.len};
}

static uint64_t number_field(const struct wt_log_batch *batch, uint32_t i, const char *name)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, name);
	struct wt_value value = {0};

	return at < 0 || wt_log_value(batch, i, (uint32_t)at, &value) ? 0 : value.u;
}

struct telling {
	int (*fn)(void *ctx, const struct wt_lost_payload *lost, struct wt_err *err);
	void *ctx;
};

static int on_lost(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct telling *telling = ctx;

	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_lost_payload lost = {
			.provider = text_field(batch, i, "provider"),
			.cause = (uint8_t)number_field(batch, i, "cause"),
			.count = number_field(batch, i, "count"),
			.ring = (uint32_t)number_field(batch, i, "ring"),
		};

		if (lost.ring && telling->fn(telling->ctx, &lost, err))
			return -1;
	}
	return 0;
}

int wt_told_each(const char *log,
		 int (*fn)(void *ctx, const struct wt_lost_payload *lost, struct wt_err *err), void *ctx,
		 struct wt_err *err)
{
	struct wt_log_filter filter = {.want = lost_kind};
	struct telling telling = {fn, ctx};
	struct wt_log_reader *reader;
	int rc;

	if (wt_log_open(log, &reader, err))
		return -1;
	rc = wt_log_scan(reader, &filter, on_lost, &telling, err);
	wt_log_close(reader);
	return rc;
}
