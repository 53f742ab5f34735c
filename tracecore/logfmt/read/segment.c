// SPDX-License-Identifier: MIT
/* Loads and unloads the tables of a segment. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

/* The most facts of one segment that a reader keeps. */
#define MAX_FACTS 256

static int take_clock(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_cursor *cur)
{
	struct wt_clockset set;
	int rc;

	set.tick = wt_cur_u64(cur);
	set.raw = wt_cur_u64(cur);
	set.mono = wt_cur_u64(cur);
	set.realtime = wt_cur_u64(cur);
	if (cur->bad)
		return 1;
	rc = wt_log_grow(log, &tables->clocks, &tables->clocks_cap, (uint64_t)tables->segment.n_clocks + 1,
			 sizeof(set));
	if (rc == 0)
		tables->clocks[tables->segment.n_clocks++] = set;
	return rc;
}

static struct wt_str take_counted(struct wt_cursor *cur)
{
	uint32_t len = wt_cur_u16(cur);
	const uint8_t *p = wt_cur_bytes(cur, len);

	return wt_str_of(p, len);
}

/* A copy of a payload that lives as long as the segment. */
static const uint8_t *keep_payload(struct wt_log_reader *log, struct wt_log_tables *tables,
				   const uint8_t *raw, size_t size, int *rc)
{
	uint8_t *copy;

	*rc = wt_log_grow(log, &tables->kept, &tables->kept_cap, (uint64_t)tables->n_kept + 1,
			  sizeof(void *));
	if (*rc == 0 && size > log->table_bound - log->table_bytes)
		*rc = 1;
	if (*rc)
		return NULL;
	copy = malloc(size + 1);
	if (!copy) {
		*rc = -1;
		return NULL;
	}
	memcpy(copy, raw, size);
	log->table_bytes += size;
	tables->kept[tables->n_kept++] = copy;
	return copy;
}

static const char *take_facts(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_cursor *cur,
			      int *rc)
{
	uint32_t n = wt_cur_u32(cur);

	for (uint32_t i = 0; i < n && i < MAX_FACTS && !cur->bad; i++) {
		struct wt_log_fact fact = {take_counted(cur), take_counted(cur)};

		if (cur->bad)
			break;
		*rc = wt_log_grow(log, &tables->facts, &tables->facts_cap,
				  (uint64_t)tables->segment.n_facts + 1, sizeof(fact));
		if (*rc)
			return "more facts than fit the reader's bound";
		tables->facts[tables->segment.n_facts++] = fact;
	}
	return cur->bad ? "facts do not fit the block" : NULL;
}

static const char *take_begin(struct wt_log_reader *log, struct wt_log_tables *tables,
			      const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	const uint8_t *kept = keep_payload(log, tables, raw, header->raw_size, rc);
	struct wt_cursor cur;

	if (!kept)
		return "facts beyond the reader's bound";
	cur = wt_cursor(kept, header->raw_size);
	*rc = take_clock(log, tables, &cur);
	if (*rc)
		return "clock set does not fit the block";
	return take_facts(log, tables, &cur, rc);
}

static const char *take_clocks(struct wt_log_reader *log, struct wt_log_tables *tables,
			       const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	struct wt_cursor cur = wt_cursor(raw, header->raw_size);

	if (header->raw_size != (uint64_t)header->count * sizeof(struct wt_disk_clockset))
		return "clock sets do not fit the block";
	for (uint32_t i = 0; i < header->count && *rc == 0; i++)
		*rc = take_clock(log, tables, &cur);
	return *rc ? "more clock sets than fit the reader's bound" : NULL;
}

static const char *take_table(struct wt_log_reader *log, struct wt_log_tables *tables,
			      enum wt_log_table table, const struct wt_disk_block_header *header,
			      const uint8_t *raw, int *rc)
{
	if (wt_log_tables[table].items) {
		raw = keep_payload(log, tables, raw, header->raw_size, rc);
		if (!raw)
			return "rows beyond the reader's bound";
	}
	return wt_log_take_rows(log, tables, table, header, raw, rc);
}

/* Notes a damage when the segment's own counts differ from its content. */
static const char *take_end(struct wt_log_tables *tables, const struct wt_disk_block_header *header,
			    const uint8_t *raw)
{
	struct wt_cursor cur = wt_cursor(raw, header->raw_size);
	uint64_t events = wt_cur_u64(&cur);

	if (!cur.bad && events != tables->span.events)
		return "events are missing from this segment";
	for (unsigned t = 0; t < WT_DISK_N_TABLES; t++) {
		if (wt_cur_u32(&cur) != tables->n_rows[t])
			return "rows are missing from this segment";
	}
	return cur.bad ? "segment end does not fit the block" : NULL;
}

/* Reads one column of ranges into words; an absent column gives zeros. */
static const char *take_range_words(const struct wt_disk_block_header *header, const uint8_t *raw,
				    uint64_t *words)
{
	struct wt_cursor payload = wt_cursor(raw, header->raw_size);
	struct wt_log_column_view view;
	unsigned seen = 0;
	int rc;

	while ((rc = wt_log_column_next(&payload, &view)) == 0) {
		if (view.id >= WT_DISK_RANGE_COLUMNS)
			continue;
		if (seen >> view.id & 1)
			return "column twice";
		seen |= 1u << view.id;
		if (wt_log_get_ints(&view, header->count, words + (size_t)view.id * header->count))
			return "number column does not decode";
	}
	return rc < 0 ? "columns do not fit the block" : NULL;
}

static const char *take_ranges(struct wt_log_reader *log, struct wt_log_tables *tables,
			       const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	const uint32_t n = header->count;
	uint64_t *words = calloc((size_t)WT_DISK_RANGE_COLUMNS * n + 1, sizeof(*words));
	const char *what;

	*rc = words ? wt_log_grow(log, &tables->ranges, &tables->ranges_cap, (uint64_t)tables->n_ranges + n,
				  sizeof(*tables->ranges))
		    : -1;
	what = *rc ? "ranges beyond the reader's bound" : take_range_words(header, raw, words);
	for (uint32_t i = 0; !what && i < n; i++)
		tables->ranges[tables->n_ranges++] = (struct wt_log_range){
			.kind = (uint32_t)words[WT_DISK_RANGE_KIND * (size_t)n + i],
			.time = words[WT_DISK_RANGE_TIME * (size_t)n + i],
			.count = (uint32_t)words[WT_DISK_RANGE_COUNT * (size_t)n + i],
			.field = (uint32_t)words[WT_DISK_RANGE_FIELD * (size_t)n + i],
			.least = (int64_t)words[WT_DISK_RANGE_LEAST * (size_t)n + i],
			.most = (int64_t)words[WT_DISK_RANGE_MOST * (size_t)n + i],
		};
	free(words);
	return what;
}

static const char *take_block(struct wt_log_reader *log, struct wt_log_tables *tables,
			      const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	switch (header->type) {
	case WT_DISK_SEGMENT_BEGIN:
		return take_begin(log, tables, header, raw, rc);
	case WT_DISK_SCHEMA:
		return wt_log_take_schema(log, tables, header, raw, rc);
	case WT_DISK_CLOCK:
		return take_clocks(log, tables, header, raw, rc);
	case WT_DISK_SEGMENT_END:
		return take_end(tables, header, raw);
	case WT_DISK_RANGES:
		return take_ranges(log, tables, header, raw, rc);
	case WT_DISK_SYMBOLS:
		return take_table(log, tables, WT_LOG_SYMBOLS, header, raw, rc);
	default:
		return take_table(log, tables, (enum wt_log_table)(header->type - WT_DISK_FIRST_TABLE),
				  header, raw, rc);
	}
}

static bool is_wanted(uint16_t type, bool symbols)
{
	if (symbols)
		return type == WT_DISK_SYMBOLS;
	return type == WT_DISK_RANGES || (type != WT_DISK_EVENTS && type != WT_DISK_CHECKPOINT &&
					  type >= WT_DISK_SEGMENT_BEGIN && type <= WT_DISK_SEGMENT_END);
}

static int load_block(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_log_ref *ref,
		      struct wt_err *err)
{
	char text[WT_LOG_WHAT_SIZE];
	const char *what = text;
	const uint8_t *raw;
	int rc = wt_log_unpack(log->decoder.unpacker, log->fd, ref->offset, &ref->header, &raw, text, err);

	if (rc < 0)
		return -1;
	if (rc == 0)
		what = take_block(log, tables, &ref->header, raw, &rc);
	if (rc < 0)
		return wt_fail_nomem(err);
	if (what) {
		wt_log_damage_locked(log, ref->offset, "%s", what);
		ref->bad = true;
	}
	return 0;
}

/* Symbols may be anywhere after their frames' segment. So they are read in a second pass, when all frames
 * are known. */
enum pass { PASS_TABLES, PASS_SYMBOLS };

static int load_blocks(struct wt_log_reader *log, struct wt_log_tables *tables, enum pass pass,
		       struct wt_err *err)
{
	for (uint32_t i = tables->first; i != WT_LOG_NONE; i = log->refs[i].next) {
		struct wt_log_ref *ref = &log->refs[i];

		if (!ref->bad && is_wanted(ref->header.type, pass == PASS_SYMBOLS) &&
		    load_block(log, tables, ref, err))
			return -1;
	}
	return 0;
}

static void publish(struct wt_log_tables *tables)
{
	struct wt_log_segment *segment = &tables->segment;

	segment->kinds.kinds = tables->kinds;
	segment->kinds.providers = tables->providers;
	segment->processes = tables->rows[WT_LOG_PROCESSES];
	segment->n_processes = tables->n_rows[WT_LOG_PROCESSES];
	segment->threads = tables->rows[WT_LOG_THREADS];
	segment->n_threads = tables->n_rows[WT_LOG_THREADS];
	segment->images = tables->rows[WT_LOG_IMAGES];
	segment->n_images = tables->n_rows[WT_LOG_IMAGES];
	segment->frames = tables->rows[WT_LOG_FRAMES];
	segment->n_frames = tables->n_rows[WT_LOG_FRAMES];
	segment->stacks = tables->rows[WT_LOG_STACKS];
	segment->n_stacks = tables->n_rows[WT_LOG_STACKS];
	segment->symbols = tables->rows[WT_LOG_SYMBOLS];
	segment->clocks = tables->clocks;
	segment->facts = tables->facts;
	tables->loaded = true;
}

static int load_tables(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_err *err)
{
	if (load_blocks(log, tables, PASS_TABLES, err))
		return -1;
	wt_log_ranges_sort(tables->ranges, tables->n_ranges);
	if (wt_log_settle_rows(log, tables))
		return wt_fail_nomem(err);
	if (load_blocks(log, tables, PASS_SYMBOLS, err))
		return -1;
	if (tables->bad_ids)
		wt_log_damage_locked(log, log->refs[tables->first].offset,
				     "%u table rows name rows that are not there", tables->bad_ids);
	publish(tables);
	return 0;
}

/* Counts the memory of the tables, which is given back with them; schemas stay. */
static int load(struct wt_log_reader *log, struct wt_log_tables *tables, struct wt_err *err)
{
	uint64_t before = log->table_bytes - log->schema_bytes;
	int rc = load_tables(log, tables, err);

	tables->bytes = log->table_bytes - log->schema_bytes - before;
	return rc;
}

static void reset(struct wt_log_reader *log, struct wt_log_tables *tables)
{
	struct wt_log_tables empty = {
		.segment = {.number = tables->segment.number},
		.index = tables->index,
		.first = tables->first,
		.last = tables->last,
		.span = tables->span,
	};

	log->table_bytes -= tables->bytes;
	wt_log_tables_deinit(tables);
	*tables = empty;
}

int wt_log_load_segment(struct wt_log_reader *log, uint32_t i, const struct wt_log_segment **ret,
			struct wt_err *err)
{
	struct wt_log_tables *tables;
	int rc = 0;

	if (i >= log->info.n_segments)
		return wt_fail(err, WT_ERR_NOTFOUND, "%s has %u segments, there is no segment %u", log->name,
			       log->info.n_segments, i);
	tables = &log->segments[i];
	pthread_mutex_lock(&log->lock);
	if (!tables->loaded) {
		rc = load(log, tables, err);
		if (rc)
			reset(log, tables);
	}
	pthread_mutex_unlock(&log->lock);
	*ret = &tables->segment;
	return rc;
}

void wt_log_unload_segment(struct wt_log_reader *log, uint32_t i)
{
	if (i >= log->info.n_segments)
		return;
	pthread_mutex_lock(&log->lock);
	if (log->segments[i].loaded)
		reset(log, &log->segments[i]);
	pthread_mutex_unlock(&log->lock);
}

uint32_t wt_log_segment_number(const struct wt_log_reader *log, uint32_t i)
{
	return log->segments[i].segment.number;
}

struct wt_log_span wt_log_segment_span(const struct wt_log_reader *log, uint32_t i)
{
	return i < log->info.n_segments ? log->segments[i].span : (struct wt_log_span){0};
}
