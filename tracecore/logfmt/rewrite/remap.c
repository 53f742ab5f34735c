// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/remap.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/kernel_events.h"
#include "tracecore/logfmt/format/layout.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/write/writer_impl.h"

/* The new ids of one table, by old id. */
struct ids {
	uint32_t *of; /* WT_LOG_NONE: not defined yet */
	uint32_t n;   /* defined */
};

struct wt_log_remap {
	struct wt_log_writer *base; /* borrowed */
	struct wt_log_writer *log;  /* NULL until the first event */
	const struct wt_log_segment *from;
	struct wt_log_origin origin;
	struct wt_log_fact *facts; /* for origin, when there are facts beside the segment's own */
	struct wt_kinds kinds;     /* shallow: the kinds of the segment that can be read */
	uint32_t *kind_of;
	uint32_t *lost; /* by old kind */
	struct ids processes, threads, images, frames, stacks;
	struct ids innermost; /* stacks of one frame, by 2 * old frame + kernel; the values are ids of
			       * stacks */
	uint32_t *old_frames; /* by new id */
	uint32_t *chain;      /* room for a stack's nodes */
	struct wt_buf payload;
	uint64_t events;
};

static bool ids_init(struct ids *ids, size_t n)
{
	ids->of = malloc((n + 1) * sizeof(*ids->of));
	if (ids->of)
		memset(ids->of, 0xff, (n + 1) * sizeof(*ids->of));
	return ids->of != NULL;
}

static bool alloc_ids(struct wt_log_remap *map)
{
	const struct wt_log_segment *from = map->from;

	return ids_init(&map->processes, from->n_processes) && ids_init(&map->threads, from->n_threads) &&
	       ids_init(&map->images, from->n_images) && ids_init(&map->frames, from->n_frames) &&
	       ids_init(&map->stacks, from->n_stacks) &&
	       ids_init(&map->innermost, 2 * (size_t)from->n_frames);
}

/* Providers whose schema could not be read have no readable events. */
static void choose_kinds(struct wt_log_remap *map)
{
	const struct wt_kinds *old = &map->from->kinds;
	uint32_t kind = 0;

	for (uint32_t p = 0; p < old->n_providers; p++) {
		uint32_t n = old->providers[p]->n_events;
		bool known = n && wt_log_kind_known(map->from, kind);

		if (known)
			map->kinds.providers[map->kinds.n_providers++] = old->providers[p];
		for (uint32_t i = 0; i < n; i++, kind++) {
			map->kind_of[kind] = known ? map->kinds.n : WT_LOG_NONE;
			if (known)
				map->kinds.kinds[map->kinds.n++] = old->kinds[kind];
		}
	}
}

int wt_log_remap_begin(struct wt_log_writer *base, const struct wt_log_segment *segment,
		       struct wt_log_remap **ret, struct wt_err *err)
{
	struct wt_log_remap *map = calloc(1, sizeof(*map));
	const struct wt_kinds *old = &segment->kinds;

	if (!map)
		return wt_fail_nomem(err);
	map->base = base;
	map->from = segment;
	map->origin = (struct wt_log_origin){segment->clocks, segment->facts, segment->n_clocks,
					     segment->n_facts};
	map->kinds.kinds = calloc(old->n + (size_t)1, sizeof(*map->kinds.kinds));
	map->kinds.providers = calloc(old->n_providers + (size_t)1, sizeof(struct wt_provider *));
	map->kind_of = calloc(old->n + (size_t)1, sizeof(*map->kind_of));
	map->lost = calloc(old->n + (size_t)1, sizeof(*map->lost));
	map->old_frames = calloc(segment->n_frames + (size_t)1, sizeof(*map->old_frames));
	map->chain = calloc(segment->n_stacks + (size_t)1, sizeof(*map->chain));
	if (!map->kinds.kinds || !map->kinds.providers || !map->kind_of || !map->lost || !map->old_frames ||
	    !map->chain || !alloc_ids(map)) {
		wt_log_remap_destroy(map);
		return wt_fail_nomem(err);
	}
	choose_kinds(map);
	*ret = map;
	return 0;
}

static bool is_fact(const struct wt_log_fact *a, const struct wt_log_fact *b)
{
	return a->key.len == b->key.len && a->value.len == b->value.len &&
	       !memcmp(a->key.p, b->key.p, a->key.len) && !memcmp(a->value.p, b->value.p, a->value.len);
}

int wt_log_remap_tell(struct wt_log_remap *map, const struct wt_log_fact *told, uint32_t n,
		      struct wt_err *err)
{
	struct wt_log_origin *origin = &map->origin;

	if (!n)
		return 0;
	map->facts = calloc(origin->n_facts + (size_t)n, sizeof(*map->facts));
	if (!map->facts)
		return wt_fail_nomem(err);
	if (origin->n_facts)
		memcpy(map->facts, origin->facts, origin->n_facts * sizeof(*map->facts));
	origin->facts = map->facts;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = 0;

		while (f < origin->n_facts && !is_fact(&map->facts[f], &told[i]))
			f++;
		if (f == origin->n_facts)
			map->facts[origin->n_facts++] = told[i];
	}
	return 0;
}

void wt_log_remap_destroy(struct wt_log_remap *map)
{
	struct ids *const all[] = {&map->processes, &map->threads, &map->images,
				   &map->frames,    &map->stacks,  &map->innermost};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]->of);
	wt_log_writer_destroy(map->log);
	free(map->facts);
	free(map->kinds.kinds);
	free(map->kinds.providers);
	free(map->kind_of);
	free(map->lost);
	free(map->old_frames);
	free(map->chain);
	wt_buf_deinit(&map->payload);
	free(map);
}

void wt_log_remap_lost(struct wt_log_remap *map, uint32_t kind, uint32_t lost)
{
	if (kind >= map->from->kinds.n)
		return;
	map->lost[kind] = lost > UINT32_MAX - map->lost[kind] ? UINT32_MAX : map->lost[kind] + lost;
}

/* ---- rows ---- */

static int need_process(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	struct ids *ids = &map->processes;

	if (ids->of[old] == WT_LOG_NONE) {
		if (wt_log_put_process(map->log, &map->from->processes[old], err))
			return -1;
		ids->of[old] = ids->n++;
	}
	*ret = ids->of[old];
	return 0;
}

static int need_thread(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	struct wt_log_thread row = map->from->threads[old];
	struct ids *ids = &map->threads;

	if (ids->of[old] == WT_LOG_NONE) {
		if (need_process(map, row.process, &row.process, err) ||
		    wt_log_put_thread(map->log, &row, err))
			return -1;
		ids->of[old] = ids->n++;
	}
	*ret = ids->of[old];
	return 0;
}

static int need_image(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	struct ids *ids = &map->images;

	if (ids->of[old] == WT_LOG_NONE) {
		if (wt_log_put_image(map->log, &map->from->images[old], err))
			return -1;
		ids->of[old] = ids->n++;
	}
	*ret = ids->of[old];
	return 0;
}

static int need_frame(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	struct wt_log_frame row = map->from->frames[old];
	struct ids *ids = &map->frames;

	if (ids->of[old] == WT_LOG_NONE) {
		if (need_image(map, row.image, &row.image, err) || wt_log_put_frame(map->log, &row, err))
			return -1;
		map->old_frames[ids->n] = old;
		ids->of[old] = ids->n++;
	}
	*ret = ids->of[old];
	return 0;
}

static int put_stack(struct wt_log_remap *map, struct wt_log_stack row, uint32_t *ret, struct wt_err *err)
{
	if (need_frame(map, row.frame, &row.frame, err) || wt_log_put_stack(map->log, &row, err))
		return -1;
	*ret = ++map->stacks.n;
	return 0;
}

/* Callers are defined before the stacks that they call. */
static int need_stack(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	uint32_t n = 0, at = old;

	for (; at && map->stacks.of[at] == WT_LOG_NONE; at = map->from->stacks[at - 1].caller)
		map->chain[n++] = at;
	while (n) {
		uint32_t top = map->chain[--n];
		struct wt_log_stack row = map->from->stacks[top - 1];

		row.caller = row.caller ? map->stacks.of[row.caller] : 0;
		if (put_stack(map, row, &map->stacks.of[top], err))
			return -1;
	}
	*ret = old ? map->stacks.of[old] : 0;
	return 0;
}

/* The code address of an event without its callers, as if no stack had been asked for. */
static int need_innermost(struct wt_log_remap *map, uint32_t old, uint32_t *ret, struct wt_err *err)
{
	struct wt_log_stack row;
	uint32_t *of;

	*ret = 0;
	if (!old)
		return 0;
	row = map->from->stacks[old - 1];
	of = &map->innermost.of[2 * (size_t)row.frame + row.kernel];
	row.caller = 0;
	row.status = WT_STACK_NONE;
	if (*of == WT_LOG_NONE && put_stack(map, row, of, err))
		return -1;
	*ret = *of;
	return 0;
}

/* ---- events ---- */

/* Begins the segment with the rows that stand for unknown ones. */
static int begin(struct wt_log_remap *map, struct wt_err *err)
{
	uint32_t row;

	if (wt_log_writer_alloc(map->base->fd, &map->kinds, NULL, &map->log, err))
		return -1;
	map->log->origin = &map->origin;
	map->log->stats.bytes = map->base->stats.bytes;
	map->log->sequence = map->base->sequence;
	map->log->segment = map->base->segment;
	for (uint32_t k = 0; k < map->from->kinds.n; k++)
		if (map->kind_of[k] != WT_LOG_NONE)
			map->log->pending[map->kind_of[k]].lost = map->lost[k];
	return wt_log_begin_segment(map->log, err) || need_process(map, 0, &row, err) ||
			       need_thread(map, 0, &row, err) || need_image(map, 0, &row, err)
		       ? -1
		       : 0;
}

static void put_word(struct wt_buf *out, const struct wt_field *field, unsigned width, uint64_t word)
{
	uint8_t bytes[8];
	double wide;
	float single;

	if (field->type == WT_TYPE_F32) {
		memcpy(&wide, &word, sizeof(wide));
		single = (float)wide;
		memcpy(bytes, &single, sizeof(single));
	} else {
		wt_store_u64(bytes, word);
	}
	wt_buf_put(out, bytes, width);
}

/* The payload of event i, packed by its schema. */
static void pack(const struct wt_log_batch *batch, uint32_t i, struct wt_buf *out)
{
	const struct wt_event_desc *desc = batch->segment->kinds.kinds[batch->kind].event;

	wt_buf_clear(out);
	for (uint32_t f = 0; f < desc->n_fields; f++) {
		const struct wt_log_column *column = &batch->columns[f];
		struct wt_log_field_layout layout;

		wt_log_field_layout(&desc->fields[f], &layout);
		if (column->values) {
			put_word(out, &desc->fields[f], layout.width, column->values[i]);
			continue;
		}
		if (layout.storage == WT_LOG_CONTENT)
			wt_buf_put_u16(out, (uint16_t)(column->offsets[i + 1] - column->offsets[i]));
		wt_buf_put(out, column->bytes + column->offsets[i],
			   column->offsets[i + 1] - column->offsets[i]);
	}
}

static const uint8_t *id_of(const uint8_t *ids, uint32_t i)
{
	const uint8_t *id = ids ? ids + (size_t)i * WT_ACTIVITY_ID : NULL;

	return id && !wt_activity_is_none(id) ? id : NULL;
}

static int put_event(struct wt_log_remap *map, const struct wt_log_batch *batch, uint32_t i,
		     enum wt_log_keep_stack keep, struct wt_err *err)
{
	uint32_t thread, stack = 0;
	struct wt_event event = {
		.time = batch->time[i],
		.kind = map->kind_of[batch->kind],
		.cpu = batch->cpu[i],
		.flags = (batch->self[i] ? WT_EVENT_SELF : 0u) | (batch->claimed[i] ? WT_EVENT_CLAIMED : 0u),
		.activity = id_of(batch->activity, i),
		.related = id_of(batch->related, i),
	};
	int rc;

	if (need_thread(map, batch->thread[i], &thread, err) ||
	    (keep == WT_LOG_STACK_WHOLE && need_stack(map, batch->stack[i], &stack, err)) ||
	    (keep == WT_LOG_STACK_INNERMOST && need_innermost(map, batch->stack[i], &stack, err)))
		return -1;
	pack(batch, i, &map->payload);
	if (map->payload.failed)
		return wt_fail_nomem(err);
	event.payload = map->payload.data;
	event.payload_len = (uint32_t)map->payload.len;
	rc = wt_log_event(map->log, &event, thread, stack, err);
	map->events += rc >= 0;
	return rc > 0 ? wt_log_flush(map->log, NULL, 0, err) : rc;
}

int wt_log_remap_events(struct wt_log_remap *map, const struct wt_log_batch *batch, const uint8_t *mask,
			enum wt_log_keep_stack keep, struct wt_err *err)
{
	for (uint32_t i = 0; i < batch->n; i++) {
		if (!mask[i])
			continue;
		if ((!map->log && begin(map, err)) || put_event(map, batch, i, keep, err))
			return -1;
	}
	return 0;
}

/* The segment's kind of loss events. */
static uint32_t kind_of_losses(const struct wt_log_remap *map)
{
	const struct wt_kinds *kinds = &map->from->kinds;

	for (uint32_t k = 0; k < kinds->n; k++)
		if (map->kind_of[k] != WT_LOG_NONE && kinds->kinds[k].event->id == WT_CORE_LOST &&
		    !strcmp(kinds->kinds[k].provider->name, "wtrace"))
			return map->kind_of[k];
	return WT_LOG_NONE;
}

int wt_log_remap_missing(struct wt_log_remap *map, const struct wt_log_missing *missing, struct wt_err *err)
{
	struct wt_event event = {.time = missing->to, .kind = kind_of_losses(map), .cpu = WT_CPU_NONE};
	struct wt_lost_payload lost = {.on_cpu = missing->cpu,
				       .cause = WT_LOSS_DAMAGED,
				       .count = missing->count,
				       .exact = missing->kind != WT_LOG_NONE,
				       .from = missing->from,
				       .to = missing->to};
	uint32_t thread;
	int rc;

	if (event.kind == WT_LOG_NONE)
		return 0;
	if (missing->kind < map->from->kinds.n && map->kind_of[missing->kind] != WT_LOG_NONE) {
		lost.provider = wt_str(map->from->kinds.kinds[missing->kind].provider->name);
		lost.event = wt_str(map->from->kinds.kinds[missing->kind].event->name);
	}
	if ((!map->log && begin(map, err)) || need_thread(map, 0, &thread, err))
		return -1;
	wt_buf_clear(&map->payload);
	wt_lost_put(&map->payload, &lost);
	if (map->payload.failed)
		return wt_fail_nomem(err);
	event.payload = map->payload.data;
	event.payload_len = (uint32_t)map->payload.len;
	rc = wt_log_event(map->log, &event, thread, 0, err);
	map->events += rc >= 0;
	return rc > 0 ? wt_log_flush(map->log, NULL, 0, err) : rc;
}

/* ---- the end ---- */

static bool is_resolved(const struct wt_log_symbol *symbol)
{
	return symbol->name.len || symbol->reason != WT_RESOLVED;
}

/* Adds the names of the new frames, if there are any. */
static int put_symbols(struct wt_log_remap *map, struct wt_err *err)
{
	struct wt_log_symbol *rows = malloc((map->frames.n + (size_t)1) * sizeof(*rows));
	bool any = false;
	int rc = 0;

	if (!rows)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < map->frames.n; i++) {
		rows[i] = map->from->symbols[map->old_frames[i]];
		any |= is_resolved(&rows[i]);
	}
	if (any)
		rc = wt_log_put_symbols(map->log, map->log->segment, 0, rows, map->frames.n, err);
	free(rows);
	return rc;
}

int wt_log_remap_end(struct wt_log_remap *map, uint64_t *events, struct wt_err *err)
{
	struct wt_log_writer *log = map->log;

	*events = map->events;
	if (!log)
		return 0;
	if (wt_log_flush(log, NULL, 0, err) || put_symbols(map, err))
		return -1;
	if (wt_log_stage_segment_end(log, err)) {
		wt_log_unstage(log);
		return -1;
	}
	if (wt_log_commit(log, err))
		return -1;
	map->base->stats.bytes = log->stats.bytes;
	map->base->sequence = log->sequence;
	map->base->segment++;
	return 0;
}
