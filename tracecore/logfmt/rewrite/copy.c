// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/copy.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/rewrite/remap.h"
#include "tracecore/logfmt/write/writer_impl.h"

/* Blocks that are copied unchanged go to the file in pieces of this size. */
#define PIECE (4u << 20)

struct wt_log_copy {
	/** A writer without kinds and segments: it counts sequence and bytes, stages copied blocks, and
	 * writes the index. */
	struct wt_log_writer *base;
	struct wt_log_unpacker *unpacker;
	uint64_t events;
};

int wt_log_copy_create(int fd, const uint8_t session_id[16], const struct wt_clockset *began,
		       struct wt_log_copy **ret, struct wt_err *err)
{
	static const struct wt_kinds none;
	struct wt_log_copy *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return wt_fail_nomem(err);
	if (wt_log_writer_alloc(fd, &none, NULL, &copy->base, err) ||
	    wt_log_unpacker_create(&copy->unpacker, err)) {
		wt_log_copy_destroy(copy);
		return -1;
	}
	wt_log_put_file_header(&copy->base->out, session_id, began);
	if (copy->base->out.failed || wt_log_commit(copy->base, err)) {
		int rc = copy->base->out.failed ? wt_fail_nomem(err) : -1;

		wt_log_copy_destroy(copy);
		return rc;
	}
	*ret = copy;
	return 0;
}

void wt_log_copy_destroy(struct wt_log_copy *copy)
{
	if (!copy)
		return;
	wt_log_writer_destroy(copy->base);
	wt_log_unpacker_destroy(copy->unpacker);
	free(copy);
}

int wt_log_copy_finish(struct wt_log_copy *copy, uint64_t *events, struct wt_err *err)
{
	if (events)
		*events = copy->events;
	return wt_log_write_index(copy->base, err);
}

int wt_log_extent(struct wt_log_reader *log, uint32_t i, struct wt_log_extent *ret, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	uint64_t first = UINT64_MAX;

	ret->bytes = 0;
	for (uint32_t r = log->segments[i].first; r != WT_LOG_NONE; r = log->refs[r].next) {
		const struct wt_log_ref *ref = &log->refs[r];

		ret->bytes += wt_log_block_extent(&ref->header);
		if (ref->header.type == WT_DISK_EVENTS && ref->header.time_min < first)
			first = ref->header.time_min;
	}
	if (first == UINT64_MAX) {
		if (wt_log_load_segment(log, i, &segment, err))
			return -1;
		first = segment->n_clocks ? segment->clocks[0].raw : 0;
	}
	ret->first_time = first;
	return 0;
}

/* ---- as it lies ---- */

/* A checkpoint has the positions of a recorder in its sources. No recorder continues this log. */
static bool is_copied(const struct wt_disk_block_header *header)
{
	return header->type != WT_DISK_CHECKPOINT && header->type != WT_DISK_INDEX;
}

/* 0 staged; 1 damaged; -1. */
static int take_block(struct wt_log_copy *copy, struct wt_log_reader *from, const struct wt_log_ref *ref,
		      struct wt_err *err)
{
	struct wt_disk_block_header header = ref->header;
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *stored;
	int rc = wt_log_read_stored(copy->unpacker, from->fd, ref->offset, &ref->header, &stored, what, err);

	if (rc < 0)
		return wt_fail_prefix(err, "%s", from->name);
	if (rc)
		return 1;
	return wt_log_stage_stored(copy->base, &header, stored, err);
}

/* 0 copied; 1 it is damaged, and nothing was copied; -1. */
static int splice(struct wt_log_copy *copy, struct wt_log_reader *from, uint32_t i, struct wt_err *err)
{
	struct wt_log_writer *base = copy->base;
	uint64_t bytes = base->stats.bytes;
	uint32_t sequence = base->sequence;
	int rc = 0;

	for (uint32_t r = from->segments[i].first; r != WT_LOG_NONE && !rc; r = from->refs[r].next) {
		const struct wt_log_ref *ref = &from->refs[r];

		if (!is_copied(&ref->header))
			continue;
		rc = ref->bad ? 1 : take_block(copy, from, ref, err);
		if (!rc && base->out.len >= PIECE)
			rc = wt_log_commit(base, err);
	}
	if (!rc)
		rc = wt_log_commit(base, err);
	if (rc) {
		wt_log_unstage(base);
		wt_log_rewind(base, bytes, sequence);
		return rc;
	}
	base->segment++;
	copy->events += from->segments[i].span.events;
	return 0;
}

/* ---- anew ---- */

struct sifting {
	const struct wt_log_sieve *sieve;
	struct wt_log_remap *map;
	uint8_t *mask;
	uint32_t n_mask;
	bool always; /* this pass is for the kinds that stay as a whole */
};

static int take_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct sifting *sifting = ctx;
	const struct wt_log_sieve *sieve = sifting->sieve;
	enum wt_log_keep_stack keep = WT_LOG_STACK_WHOLE;

	if (wt_grow(&sifting->mask, &sifting->n_mask, 0, batch->n, err))
		return -1;
	memset(sifting->mask, 1, batch->n);
	if (sieve->mask && sieve->mask(sieve->ctx, batch, sifting->always, sifting->mask, err))
		return -1;
	if (sieve->stack)
		keep = sieve->stack(sieve->ctx, batch->segment, batch->kind);
	return wt_log_remap_events(sifting->map, batch, sifting->mask, keep, err);
}

static bool want(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct sifting *sifting = ctx;
	const struct wt_log_sieve *sieve = sifting->sieve;
	bool always = sieve->always && sieve->always(sieve->ctx, segment, kind);

	if (always || sifting->always)
		return always == sifting->always;
	return !sieve->filter.want || sieve->filter.want(sieve->filter.ctx, segment, kind);
}

/* Takes the kinds that stay as a whole first, then the events that pass the filter. */
static int sift(struct wt_log_reader *from, uint32_t i, struct sifting *sifting, struct wt_err *err)
{
	struct wt_log_filter filter = {.want = want, .ctx = sifting, .first_segment = i, .n_segments = 1};
	int rc = 0;

	sifting->always = true;
	if (sifting->sieve->always)
		rc = wt_log_scan(from, &filter, take_batch, sifting, err);
	sifting->always = false;
	filter.from = sifting->sieve->filter.from;
	filter.to = sifting->sieve->filter.to;
	if (!rc)
		rc = wt_log_scan(from, &filter, take_batch, sifting, err);
	free(sifting->mask);
	return rc;
}

/* Events dropped by the recorder stay reported by the next blocks of their kinds. */
static void carry_lost(const struct wt_log_reader *from, uint32_t i, struct wt_log_remap *map)
{
	for (uint32_t r = from->segments[i].first; r != WT_LOG_NONE; r = from->refs[r].next) {
		const struct wt_disk_block_header *header = &from->refs[r].header;

		if (header->type == WT_DISK_EVENTS && header->lost)
			wt_log_remap_lost(map, header->kind, header->lost);
	}
}

/* True when the segment has its end, and nothing that the end counts is missing. */
static bool is_closed(const struct wt_log_reader *from, uint32_t i)
{
	for (uint32_t r = from->segments[i].first; r != WT_LOG_NONE; r = from->refs[r].next)
		if (from->refs[r].header.type == WT_DISK_SEGMENT_END)
			return !from->refs[r].bad;
	return false;
}

/* Parts that could not be read were found by reading. They are reported in the copy as losses. */
static int tell_missing(const struct wt_log_reader *from, uint32_t i, struct wt_log_remap *map,
			struct wt_err *err)
{
	struct wt_log_missing unknown = {.kind = WT_LOG_NONE, .cpu = WT_CPU_NONE, .from = UINT64_MAX};
	int rc = 0;

	for (uint32_t r = from->segments[i].first; r != WT_LOG_NONE && !rc; r = from->refs[r].next) {
		const struct wt_disk_block_header *header = &from->refs[r].header;

		if (header->type != WT_DISK_EVENTS)
			continue;
		if (from->refs[r].bad)
			rc = wt_log_remap_missing(map,
						  &(struct wt_log_missing){header->kind, header->cpu,
									   header->count, header->time_min,
									   header->time_max},
						  err);
		unknown.from = header->time_min < unknown.from ? header->time_min : unknown.from;
		unknown.to = header->time_max > unknown.to ? header->time_max : unknown.to;
	}
	if (rc || from->info.complete || is_closed(from, i))
		return rc;
	unknown.from = unknown.from > unknown.to ? unknown.to : unknown.from;
	return wt_log_remap_missing(map, &unknown, err);
}

static int write_anew(struct wt_log_copy *copy, struct wt_log_reader *from, uint32_t i,
		      const struct wt_log_sieve *sieve, struct wt_err *err)
{
	struct sifting sifting = {.sieve = sieve};
	const struct wt_log_segment *segment;
	uint64_t events = 0;
	int rc;

	if (wt_log_load_segment(from, i, &segment, err) ||
	    wt_log_remap_begin(copy->base, segment, &sifting.map, err))
		return -1;
	if (wt_log_remap_tell(sifting.map, sieve->told, sieve->n_told, err)) {
		wt_log_remap_destroy(sifting.map);
		return -1;
	}
	carry_lost(from, i, sifting.map);
	rc = sift(from, i, &sifting, err);
	if (!rc)
		rc = tell_missing(from, i, sifting.map, err);
	if (!rc)
		rc = wt_log_remap_end(sifting.map, &events, err);
	copy->events += events;
	wt_log_remap_destroy(sifting.map);
	return rc;
}

int wt_log_copy_segment(struct wt_log_copy *copy, struct wt_log_reader *from, uint32_t i,
			const struct wt_log_sieve *sieve, struct wt_err *err)
{
	static const struct wt_log_sieve everything;
	const struct wt_log_segment *segment;
	int rc = 1;

	if (!sieve) {
		/* The tables are checked for damage that no checksum shows. */
		if (wt_log_load_segment(from, i, &segment, err))
			return -1;
		rc = from->info.n_damages || (!from->info.complete && !is_closed(from, i))
			     ? 1
			     : splice(copy, from, i, err);
	}
	return rc > 0 ? write_anew(copy, from, i, sieve ? sieve : &everything, err) : rc;
}
