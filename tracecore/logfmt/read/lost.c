// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/lost.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

void wt_log_lost_deinit(struct wt_log_lost *lost)
{
	for (uint32_t i = 0; i < lost->n; i++)
		free((char *)lost->rows[i].provider.p);
	free(lost->rows);
	*lost = (struct wt_log_lost){0};
}

static bool same_text(const struct wt_str *a, const struct wt_str *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->p, b->p, a->len));
}

static bool same_thing(const struct wt_lost_payload *a, const struct wt_lost_payload *b)
{
	return a->on_cpu == b->on_cpu && a->ring == b->ring && a->cause == b->cause && a->exact == b->exact &&
	       same_text(&a->provider, &b->provider) && same_text(&a->event, &b->event);
}

static void merge(struct wt_lost_payload *into, const struct wt_lost_payload *more)
{
	into->count += more->count;
	if (more->from < into->from)
		into->from = more->from;
	if (more->to > into->to)
		into->to = more->to;
}

static int append(struct wt_log_lost *lost, const struct wt_lost_payload *loss, struct wt_err *err)
{
	struct wt_lost_payload *row;
	char *texts = malloc((size_t)loss->provider.len + loss->event.len + 1);

	if (!texts || wt_grow(&lost->rows, &lost->cap, lost->n, 1, NULL)) {
		free(texts);
		return wt_fail_nomem(err);
	}
	row = &lost->rows[lost->n++];
	*row = *loss;
	row->provider.p = texts;
	row->event.p = texts + loss->provider.len;
	if (loss->provider.len)
		memcpy(texts, loss->provider.p, loss->provider.len);
	if (loss->event.len)
		memcpy(texts + loss->provider.len, loss->event.p, loss->event.len);
	return 0;
}

static bool add_up(struct wt_log_lost *lost, const struct wt_lost_payload *loss)
{
	for (uint32_t i = 0; i < lost->n; i++) {
		if (same_thing(&lost->rows[i], loss)) {
			merge(&lost->rows[i], loss);
			return true;
		}
	}
	return false;
}

/* Forgets the oldest ring: its row stays a row, or is added to another one. */
static void forget_ring(struct wt_log_lost *lost)
{
	struct wt_lost_payload row;
	uint32_t i = 0;

	while (i < lost->n && !lost->rows[i].ring)
		i++;
	if (i == lost->n)
		return;
	row = lost->rows[i];
	row.ring = 0;
	if (add_up(lost, &row)) {
		free((char *)row.provider.p);
		memmove(&lost->rows[i], &lost->rows[i + 1], (lost->n - i - 1) * sizeof(row));
		lost->n--;
	} else {
		lost->rows[i] = row;
	}
}

static int add(struct wt_log_lost *lost, const struct wt_lost_payload *loss, struct wt_err *err)
{
	if (add_up(lost, loss))
		return 0;
	if (lost->n >= WT_LOG_LOST_RINGS)
		forget_ring(lost);
	return append(lost, loss, err);
}

int wt_log_lost_add_all(struct wt_log_lost *lost, const struct wt_log_lost *more, struct wt_err *err)
{
	for (uint32_t i = 0; i < more->n; i++)
		if (add(lost, &more->rows[i], err))
			return -1;
	return 0;
}

/* ---- from events ---- */

static bool lost_kind(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *k = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(k->provider->name, "wtrace") && k->event->id == WT_CORE_LOST;
}

/* Finds fields by name, because another recorder may have others. A missing field reads as empty. */
static struct wt_value field(const struct wt_log_batch *batch, uint32_t i, const char *name)
{
	int at = wt_event_field(batch->segment->kinds.kinds[batch->kind].event, name);
	struct wt_value value = {0};

	if (at < 0 || wt_log_value(batch, i, (uint32_t)at, &value))
		return (struct wt_value){0};
	return value;
}

static struct wt_str text(const struct wt_log_batch *batch, uint32_t i, const char *name)
{
	struct wt_value value = field(batch, i, name);

	return wt_str_of(value.bytes, value.len);
}

static int on_lost(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_lost_payload loss = {
			.provider = text(batch, i, "provider"),
			.event = text(batch, i, "event"),
			.on_cpu = (uint32_t)field(batch, i, "on_cpu").u,
			.cause = (uint8_t)field(batch, i, "cause").u,
			.count = field(batch, i, "count").u,
			.exact = field(batch, i, "exact").u != 0,
			.from = field(batch, i, "from").u,
			.to = field(batch, i, "to").u,
			.ring = (uint32_t)field(batch, i, "ring").u,
		};

		if (add(ctx, &loss, err))
			return -1;
	}
	return 0;
}

int wt_log_lost_segment(struct wt_log_reader *log, uint32_t i, struct wt_log_lost *lost, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = lost_kind, .first_segment = i, .n_segments = 1};

	return wt_log_scan(log, &filter, on_lost, lost, err);
}

/* ---- in a DROPPED block ---- */

void wt_log_lost_put(const struct wt_log_lost *lost, struct wt_buf *out)
{
	if (!lost->n)
		return;
	wt_buf_put_u32(out, lost->n);
	for (uint32_t i = 0; i < lost->n; i++) {
		const struct wt_lost_payload *row = &lost->rows[i];

		wt_buf_put_counted(out, row->provider.p, row->provider.len);
		wt_buf_put_counted(out, row->event.p, row->event.len);
		wt_buf_put_u32(out, row->on_cpu);
		wt_buf_put_u32(out, row->ring);
		wt_buf_put_u8(out, row->cause);
		wt_buf_put_u8(out, row->exact);
		wt_buf_put_u64(out, row->count);
		wt_buf_put_u64(out, row->from);
		wt_buf_put_u64(out, row->to);
	}
}

static struct wt_str take_text(struct wt_cursor *cur)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_str_of(bytes, len);
}

/* Rows are taken unchanged: adding them up would cost the square of the number of rows in a hostile file. */
int wt_log_lost_get(struct wt_cursor *payload, struct wt_log_lost *ret, struct wt_err *err)
{
	uint32_t n = wt_cur_left(payload) ? wt_cur_u32(payload) : 0;

	for (uint32_t i = 0; i < n && !payload->bad; i++) {
		struct wt_lost_payload row = {.provider = take_text(payload), .event = take_text(payload)};

		row.on_cpu = wt_cur_u32(payload);
		row.ring = wt_cur_u32(payload);
		row.cause = wt_cur_u8(payload);
		row.exact = wt_cur_u8(payload) != 0;
		row.count = wt_cur_u64(payload);
		row.from = wt_cur_u64(payload);
		row.to = wt_cur_u64(payload);
		if (!payload->bad && append(ret, &row, err)) {
			wt_log_lost_deinit(ret);
			return -1;
		}
	}
	if (!payload->bad)
		return 0;
	wt_log_lost_deinit(ret);
	return 1;
}
