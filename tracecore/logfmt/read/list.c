// SPDX-License-Identifier: MIT
/* Lists the blocks of a log: by its index, or header by header. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/format/walk.h"

static bool has_rows(uint16_t type)
{
	return (type >= WT_DISK_FIRST_TABLE && type < WT_DISK_FIRST_TABLE + WT_DISK_N_TABLES) ||
	       type == WT_DISK_EVENTS || type == WT_DISK_SYMBOLS || type == WT_DISK_RANGES;
}

/* Index of the segment with that number, which is made on its first block. Symbols never make one. */
static int find_segment(struct wt_log_reader *log, const struct wt_disk_block_header *header, uint32_t *ret,
			struct wt_err *err)
{
	bool fresh;
	struct wt_log_tables *tables;

	*ret = wt_intern_find(&log->numbers, header->segment, 0);
	if (*ret != WT_INTERN_NONE || header->type == WT_DISK_SYMBOLS)
		return 0;
	if (wt_grow(&log->segments, &log->cap_segments, log->info.n_segments, 1, err))
		return -1;
	*ret = wt_intern(&log->numbers, header->segment, 0, &fresh);
	if (*ret == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	tables = &log->segments[log->info.n_segments++];
	*tables = (struct wt_log_tables){.index = *ret, .first = WT_LOG_NONE, .last = WT_LOG_NONE};
	tables->segment.number = header->segment;
	return 0;
}

static int append_ref(struct wt_log_reader *log, uint64_t offset, const struct wt_disk_block_header *header,
		      struct wt_err *err)
{
	if (wt_grow(&log->refs, &log->cap_refs, log->n_refs, 1, err))
		return -1;
	log->refs[log->n_refs++] = (struct wt_log_ref){
		.offset = offset, .header = *header, .next = WT_LOG_NONE};
	log->info.whole_bytes = offset + wt_log_block_extent(header);
	return 0;
}

static void count_events(struct wt_log_reader *log, struct wt_log_tables *tables, uint64_t offset,
			 const struct wt_disk_block_header *header)
{
	struct wt_log_info *info = &log->info;

	if (info->events == 0 || header->time_min < info->first_time)
		info->first_time = header->time_min;
	if (header->time_max > info->last_time)
		info->last_time = header->time_max;
	if (tables->span.events == 0 || header->time_min < tables->span.first_time)
		tables->span.first_time = header->time_min;
	if (header->time_max > tables->span.last_time)
		tables->span.last_time = header->time_max;
	tables->span.last_block = offset;
	info->events += header->count;
	tables->span.events += header->count;
}

static void check_sequence(struct wt_log_reader *log, uint64_t offset,
			   const struct wt_disk_block_header *header)
{
	const struct wt_disk_block_header *last = log->n_refs ? &log->refs[log->n_refs - 1].header : NULL;

	if (last && header->sequence != last->sequence + 1 && log->listed_damages == log->info.n_damages)
		wt_log_damage(log, offset, "blocks missing: number %u follows %u", header->sequence,
			      last->sequence);
}

/* Lists one block with a sound header. */
static int list_block(struct wt_log_reader *log, uint64_t offset, const struct wt_disk_block_header *header,
		      struct wt_err *err)
{
	struct wt_log_tables *tables;
	uint32_t segment, ref = log->n_refs;

	check_sequence(log, offset, header);
	if (append_ref(log, offset, header, err))
		return -1;
	if (has_rows(header->type) &&
	    (header->count == 0 || header->count > WT_DISK_MAX_ROWS || header->clock != WT_DISK_CLOCK_RAW)) {
		wt_log_damage(log, offset, "block with %u rows on clock %u", header->count, header->clock);
		log->refs[ref].bad = true;
	}
	log->listed_damages = log->info.n_damages;
	if (header->type == WT_DISK_INDEX || header->segment == WT_DISK_NO_SEGMENT)
		return 0;
	if (find_segment(log, header, &segment, err))
		return -1;
	if (segment == WT_INTERN_NONE) {
		wt_log_damage(log, offset, "symbols of a segment that is not there");
		return 0;
	}
	tables = &log->segments[segment];
	if (tables->first == WT_LOG_NONE)
		tables->first = ref;
	else
		log->refs[tables->last].next = ref;
	tables->last = ref;
	if (header->type == WT_DISK_EVENTS && !log->refs[ref].bad)
		count_events(log, tables, offset, header);
	return 0;
}

static int list_by_walk(struct wt_log_reader *log, struct wt_log_walk *walk, uint64_t from, uint64_t to,
			struct wt_err *err)
{
	wt_log_walk_init(walk, log->fd, from, to);
	for (;;) {
		struct wt_log_place place;
		enum wt_log_step step = wt_log_walk_next(walk, &place, err);

		if (step == WT_LOG_STEP_END)
			return 0;
		if (step == WT_LOG_STEP_FAILED)
			return -1;
		if (step == WT_LOG_STEP_BLOCK) {
			if (list_block(log, place.offset, &place.header, err))
				return -1;
			continue;
		}
		wt_log_damage(log, place.offset, "%s", place.what);
		if (step == WT_LOG_STEP_CUT)
			return 0;
	}
}

/* Reads all INDEX blocks, expanded, one after the other. 1: they are invalid. */
static int read_index(struct wt_log_reader *log, struct wt_log_walk *walk,
		      const struct wt_disk_end_mark *mark, struct wt_buf *ret, struct wt_err *err)
{
	char what[WT_LOG_WHAT_SIZE];
	uint32_t blocks = 0;

	wt_log_walk_init(walk, log->fd, mark->index_offset, mark->file_bytes - sizeof(*mark));
	for (;; blocks++) {
		struct wt_log_place place;
		enum wt_log_step step = wt_log_walk_next(walk, &place, err);
		const uint8_t *raw;
		int rc;

		if (step == WT_LOG_STEP_END)
			return blocks != mark->index_blocks;
		if (step != WT_LOG_STEP_BLOCK)
			return step == WT_LOG_STEP_FAILED ? -1 : 1;
		if (place.header.type != WT_DISK_INDEX ||
		    place.header.raw_size !=
			    (uint64_t)place.header.count * sizeof(struct wt_disk_index_entry))
			return 1;
		rc = wt_log_unpack(log->decoder.unpacker, log->fd, place.offset, &place.header, &raw, what,
				   err);
		if (rc)
			return rc;
		/* A file cannot have more headers than bytes, so a small file cannot claim a large index. */
		if (ret->len + place.header.raw_size > 2 * mark->file_bytes)
			return 1;
		wt_buf_put(ret, raw, place.header.raw_size);
		if (ret->failed)
			return wt_fail_nomem(err);
	}
}

/* Every entry must be a sound header of a block after the one before, and all blocks must lie before the
 * index. */
static bool index_is_sound(const struct wt_buf *index, uint64_t first_block, uint64_t index_offset)
{
	struct wt_cursor cur = wt_cursor(index->data, index->len);
	uint64_t end = first_block;

	while (wt_cur_left(&cur)) {
		struct wt_disk_block_header header;
		uint64_t offset = wt_cur_u64(&cur);
		const uint8_t *bytes = wt_cur_bytes(&cur, sizeof(header));

		if (!bytes || wt_log_block_header(bytes, &header) || offset < end || offset % WT_DISK_ALIGN ||
		    offset > index_offset || wt_log_block_extent(&header) > index_offset - offset)
			return false;
		end = offset + wt_log_block_extent(&header);
	}
	return true;
}

static int list_by_index(struct wt_log_reader *log, const struct wt_buf *index, uint64_t first_block,
			 uint64_t index_offset, struct wt_err *err)
{
	struct wt_cursor cur = wt_cursor(index->data, index->len);
	uint64_t end = first_block;

	while (wt_cur_left(&cur)) {
		struct wt_disk_block_header header;
		uint64_t offset = wt_cur_u64(&cur);

		memcpy(&header, wt_cur_bytes(&cur, sizeof(header)), sizeof(header));
		if (offset != end)
			wt_log_damage(log, end, "%llu bytes that are no block",
				      (unsigned long long)(offset - end));
		if (list_block(log, offset, &header, err))
			return -1;
		end = offset + wt_log_block_extent(&header);
	}
	if (end != index_offset)
		wt_log_damage(log, end, "%llu bytes that are no block",
			      (unsigned long long)(index_offset - end));
	return 0;
}

static int list_complete(struct wt_log_reader *log, struct wt_log_walk *walk, uint64_t first_block,
			 const struct wt_disk_end_mark *mark, struct wt_err *err)
{
	struct wt_buf index = {0};
	int rc = read_index(log, walk, mark, &index, err);

	if (rc == 0 && index_is_sound(&index, first_block, mark->index_offset)) {
		rc = list_by_index(log, &index, first_block, mark->index_offset, err);
	} else if (rc >= 0) {
		wt_log_damage(log, mark->index_offset, "index: reading block by block instead");
		rc = list_by_walk(log, walk, first_block, mark->file_bytes - sizeof(*mark), err);
	}
	wt_buf_deinit(&index);
	return rc;
}

/* The clock set of the first segment also has the counter. */
static void take_first_clock(struct wt_log_reader *log)
{
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *raw;

	for (uint32_t i = 0; i < log->n_refs; i++) {
		const struct wt_log_ref *ref = &log->refs[i];

		if (ref->header.type != WT_DISK_SEGMENT_BEGIN)
			continue;
		if (ref->header.raw_size >= sizeof(struct wt_disk_clockset) &&
		    !wt_log_unpack(log->decoder.unpacker, log->fd, ref->offset, &ref->header, &raw, what,
				   NULL)) {
			struct wt_cursor cur = wt_cursor(raw, ref->header.raw_size);

			log->info.clock.tick = wt_cur_u64(&cur);
			log->info.clock.raw = wt_cur_u64(&cur);
			log->info.clock.mono = wt_cur_u64(&cur);
			log->info.clock.realtime = wt_cur_u64(&cur);
		}
		return;
	}
}

int wt_log_list(struct wt_log_reader *log, uint64_t first_block, struct wt_err *err)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_disk_end_mark mark;
	int rc;

	if (!walk)
		return wt_fail_nomem(err);
	log->info.complete = wt_log_read_end_mark(log->fd, log->info.file_bytes, &mark);
	if (log->info.complete)
		rc = list_complete(log, walk, first_block, &mark, err);
	else
		rc = list_by_walk(log, walk, first_block, log->info.file_bytes, err);
	free(walk);
	if (rc == 0)
		take_first_clock(log);
	return rc;
}

int wt_log_list_more(struct wt_log_reader *log, uint64_t from, uint64_t to, struct wt_err *err)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	bool first = !log->n_refs;
	int rc;

	if (!walk)
		return wt_fail_nomem(err);
	rc = list_by_walk(log, walk, from, to, err);
	free(walk);
	if (rc == 0 && first)
		take_first_clock(log);
	return rc;
}
