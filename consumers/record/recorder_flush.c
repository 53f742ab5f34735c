// SPDX-License-Identifier: MIT
/* Writes the pending batch to the disk with every source's position, or drops it and counts it as lost. */
#include "consumers/record/recorder_state.h"

#include <string.h>

#include "tracecore/base/clock.h"

bool wt_recorder_pending(const struct wt_recorder *rec)
{
	return rec->ledger.n_pending || rec->losses.n || rec->side_shares.missing ||
	       !wt_inject_empty(&rec->inject);
}

static int put_losses(struct wt_recorder *rec, struct wt_err *err)
{
	struct wt_event event = {.time = rec->last_time, .kind = rec->lost_kind, .cpu = WT_CPU_NONE};
	struct wt_lost_payload lost;
	struct wt_loss *loss;

	if (wt_recorder_lose_left_out(rec, err))
		return -1;
	while ((loss = wt_losses_next(&rec->losses, &lost))) {
		wt_buf_clear(&rec->scratch);
		wt_lost_put(&rec->scratch, &lost);
		if (rec->scratch.failed)
			return wt_fail_nomem(err);
		event.payload = rec->scratch.data;
		event.payload_len = (uint32_t)rec->scratch.len;
		if (wt_log_event(rec->config.log, &event, 0, 0, err) < 0)
			return -1;
		wt_loss_sent(loss);
	}
	return 0;
}

static size_t collect_positions(struct wt_recorder *rec)
{
	size_t n = 0;

	for (uint32_t i = 0; i < rec->merge.n; i++) {
		const struct wt_source *source = rec->merge.inputs[i].source;

		if (source != &rec->inject.source)
			rec->positions[n++] = (struct wt_log_position){source->id,
								       source->ops->position(source)};
	}
	return n;
}

static void release_all(struct wt_recorder *rec)
{
	for (uint32_t i = 0; i < rec->merge.n; i++) {
		struct wt_source *source = rec->merge.inputs[i].source;

		source->ops->release(source);
	}
}

static int lose_dropped(void *ctx, const struct wt_recorder_count *dropped, struct wt_err *err)
{
	struct wt_recorder *rec = ctx;
	const struct wt_kind *kind = &rec->config.kinds->kinds[dropped->kind];
	struct wt_lost_payload lost = {
		.provider = {kind->provider->name, (uint32_t)strlen(kind->provider->name)},
		.event = {kind->event->name, (uint32_t)strlen(kind->event->name)},
		.on_cpu = dropped->cpu,
		.cause = WT_LOSS_DISK,
		.count = dropped->events,
		.exact = 1,
		.from = rec->ledger.from,
		.to = rec->ledger.to,
	};

	return wt_recorder_lose(rec, &lost, err);
}

/* Losses in the batch wait again first, so that the events that are lost now add to them. */
static int drop_batch(struct wt_recorder *rec, struct wt_err *err)
{
	wt_log_drop_pending(rec->config.log);
	wt_losses_returned(&rec->losses);
	if (wt_ledger_dropped(&rec->ledger, lose_dropped, rec, err))
		return -1;
	release_all(rec);
	return 0;
}

/* Begins a new segment when the current one, or the recorder's tables for it, are full. */
static int rotate(struct wt_recorder *rec, struct wt_err *err)
{
	if (!rec->interner.broken && !wt_log_segment_full(rec->config.log) &&
	    wt_interner_bytes(&rec->interner) <= wt_recorder_intern_bound(rec))
		return 0;
	rec->rotation_failed = wt_log_next_segment(rec->config.log, err) != 0;
	if (rec->rotation_failed)
		return -1;
	wt_interner_shrink(&rec->interner, wt_recorder_intern_bound(rec));
	return wt_interner_begin(&rec->interner, err);
}

static int write_batch(struct wt_recorder *rec, struct wt_err *err)
{
	uint64_t from = wt_clock_now(), to;
	int rc = wt_log_flush(rec->config.log, rec->positions, collect_positions(rec), err);

	to = wt_clock_now();
	if (to - from >= rec->config.slow_write) {
		rec->slow_from = from;
		rec->slow_to = to;
	}
	return rc;
}

int wt_recorder_flush(struct wt_recorder *rec, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT, ignored;

	if (wt_recorder_settle(rec, &why) >= 0 && !put_losses(rec, &why) && !write_batch(rec, &why)) {
		wt_ledger_written(&rec->ledger);
		wt_losses_written(&rec->losses);
		release_all(rec);
		if (rotate(rec, err))
			return -1;
		if (rec->config.written)
			rec->config.written(rec->config.written_ctx);
		return 0;
	}
	if (why.code == WT_ERR_NOSPACE && drop_batch(rec, &ignored))
		why = ignored;
	if (err)
		*err = why;
	return -1;
}
