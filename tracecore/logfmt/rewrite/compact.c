// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/compact.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/rewrite/gather.h"
#include "tracecore/logfmt/format/keys.h"
#include "tracecore/logfmt/format/walk.h"
#include "tracecore/logfmt/write/writer_impl.h"

/* The number of blocks above which a log is left alone, because their list would take too much memory. */
#define MAX_BLOCKS (1u << 18)
/* The mean size of a segment's blocks, bytes, from which on there is less to gain. Such a segment is
 * joined only while there is time. */
#define LARGE           16384
#define SECONDS_TO_GAIN 3.0
/* The size of a log, bytes, up to which there is time for the better levels, and the time that they may
 * take. */
#define TINY_LOG           (UINT64_C(256) << 10)
#define SMALL_LOG          (UINT64_C(4) << 20)
#define SECONDS_OF_LEVELS  2.0
#define LEVEL_IN_A_HURRY   3
#define LEVEL_WITHOUT_TIME 1
/* The payload bytes joined at a time: the n-th part of a segment, within bounds. A file that is cut or
 * damaged loses that much and keeps the rest. */
#define SLICES         8
#define SMALLEST_SLICE (128u << 10)
#define LARGEST_SLICE  (4u << 20)
/* The number of CPUs that are told apart, and the number of events that each should have. */
#define MAX_CPUS   256
#define CPU_EVENTS 512

struct place {
	uint64_t offset;
	struct wt_disk_block_header header;
};

/* A kind's events: their begin and their number. */
struct share {
	uint64_t events;
	uint32_t kind, from;
};

struct compact {
	int fd;
	struct place *places; /* by segment, then in file order; INDEX and DROPPED left out */
	uint32_t n;
	uint32_t first, last; /* places of the segment that is being written */
	uint32_t from, to;    /* those of its slice */
	struct share *shares; /* of the slice; those with most events first */
	uint32_t *share_of;   /* of each kind, its number + 1 */
	uint32_t n_shares;
	struct wt_log_walk walk;
	struct wt_log_unpacker *unpacker;
	struct wt_log_writer *log;
	struct wt_log_gather gather, part;
	uint32_t lost; /* before what is gathered */
	struct timespec began;
	int level; /* of zstd, at present */
};

/* Measures real time, not CPU time: a user waits for this, perhaps on a busy machine. */
static bool has_time(const struct compact *c, double seconds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - c->began.tv_sec) + (double)(now.tv_nsec - c->began.tv_nsec) / 1e9 <
	       seconds;
}

static bool is_table(uint16_t type)
{
	return (type >= WT_DISK_FIRST_TABLE && type < WT_DISK_FIRST_TABLE + WT_DISK_N_TABLES) ||
	       type == WT_DISK_SYMBOLS;
}

static bool has_columns(uint16_t type)
{
	return is_table(type) || type == WT_DISK_EVENTS;
}

static bool is_known(const struct wt_disk_block_header *header)
{
	return header->type >= WT_DISK_SEGMENT_BEGIN && header->type <= WT_DISK_RANGES && !header->flags &&
	       header->codec <= WT_DISK_CODEC_ZSTD && header->clock == WT_DISK_CLOCK_RAW && !header->reserved;
}

static int by_segment(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->header.segment != y->header.segment)
		return x->header.segment < y->header.segment ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int add_place(struct compact *c, const struct wt_log_place *place, struct wt_err *err)
{
	/* The record of dropped events is only useful to a program that continues the file. */
	if (place->header.type == WT_DISK_INDEX || place->header.type == WT_DISK_DROPPED)
		return 0;
	if (c->n == MAX_BLOCKS || !is_known(&place->header))
		return 1;
	if (wt_grow_one(&c->places, c->n, err))
		return -1;
	c->places[c->n++] = (struct place){place->offset, place->header};
	return 0;
}

static int list_blocks(struct compact *c, uint64_t size, struct wt_err *err)
{
	struct wt_log_place place;
	struct wt_disk_end_mark mark;
	enum wt_log_step step;

	if (!wt_log_read_end_mark(c->fd, size, &mark))
		return 1;
	wt_log_walk_init(&c->walk, c->fd, sizeof(struct wt_disk_file_header), size - sizeof(mark));
	while ((step = wt_log_walk_next(&c->walk, &place, err)) == WT_LOG_STEP_BLOCK) {
		int rc = add_place(c, &place, err);

		if (rc)
			return rc;
	}
	if (c->n)
		qsort(c->places, c->n, sizeof(*c->places), by_segment);
	return step == WT_LOG_STEP_FAILED ? -1 : step != WT_LOG_STEP_END;
}

static int read_block(struct compact *c, const struct place *place, const uint8_t **raw, struct wt_err *err)
{
	char what[WT_LOG_WHAT_SIZE];

	return wt_log_unpack(c->unpacker, c->fd, place->offset, &place->header, raw, what, err);
}

/* Writes a block with new compression; only its number changes otherwise. */
static int copy_block(struct compact *c, const struct place *place, struct wt_err *err)
{
	struct wt_disk_block_header header = place->header;
	const uint8_t *raw;
	int rc = read_block(c, place, &raw, err);

	if (rc)
		return rc;
	header.sequence = c->log->sequence + c->log->staged;
	return wt_log_stage(c->log, &header, raw, header.raw_size, err) || wt_log_commit(c->log, err) ? -1
												      : 0;
}

/* Writes a block with the bytes that it has in the file. */
static int keep_block(struct compact *c, const struct place *place, struct wt_err *err)
{
	struct wt_disk_block_header header = place->header;
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *stored;
	int rc = wt_log_read_stored(c->unpacker, c->fd, place->offset, &place->header, &stored, what, err);

	if (rc)
		return rc;
	header.sequence = c->log->sequence + c->log->staged;
	if (wt_log_put_stored(&c->log->out, &header, stored))
		return wt_fail_nomem(err);
	c->log->staged++;
	return wt_log_commit(c->log, err);
}

/* Writes rows [0, n) of a set as blocks like `like`. */
static int put_blocks(struct compact *c, const struct wt_log_gather *rows, struct wt_disk_block_header like,
		      struct wt_err *err)
{
	const struct wt_log_col *time = wt_log_gather_column(rows, WT_DISK_EVENT_TIME);

	for (uint32_t from = 0, to; from < rows->set.n; from = to) {
		struct wt_disk_block_header header = like;

		if (c->level > LEVEL_IN_A_HURRY && !has_time(c, SECONDS_OF_LEVELS)) {
			c->level = LEVEL_IN_A_HURRY;
			wt_log_packer_hurry(c->log->packer, c->level);
		}
		to = wt_log_cols_run(&rows->set, from);
		header.sequence = c->log->sequence + c->log->staged;
		header.count = to - from;
		header.first += is_table(like.type) ? from : 0;
		if (like.type == WT_DISK_EVENTS) {
			header.time_min = time ? time->words[from] : 0;
			header.time_max = time ? time->words[to - 1] : 0;
			header.lost = c->lost;
			c->lost = 0;
		}
		wt_buf_clear(&c->log->raw);
		/* Only EVENTS may have columns that follow others. */
		c->log->scratch->keys->wanted = like.type == WT_DISK_EVENTS;
		wt_log_cols_put(&rows->set, from, to, &c->log->raw, c->log->scratch);
		c->log->scratch->keys->wanted = false;
		if (wt_log_stage_columns(c->log, &header, err) ||
		    (like.type == WT_DISK_EVENTS &&
		     wt_log_range_note(&c->log->ranges, &header, &rows->set, from, WT_LOG_RANGED, err)) ||
		    wt_log_commit(c->log, err))
			return -1;
	}
	return 0;
}

/* The CPUs of the gathered events, CPU + 1; 0 when there are too many. */
static uint32_t list_cpus(const struct wt_log_gather *gather, uint64_t cpus[MAX_CPUS])
{
	const struct wt_log_col *col = wt_log_gather_column(gather, WT_DISK_EVENT_CPU);
	uint32_t n = 0;

	for (uint32_t i = 0; col && i < gather->set.n; i++) {
		uint32_t k = 0;

		while (k < n && cpus[k] != col->words[i])
			k++;
		if (k == MAX_CPUS)
			return 0;
		if (k == n)
			cpus[n++] = col->words[i];
	}
	return n;
}

static int put_cpu(struct compact *c, uint64_t cpu, uint32_t *rows, struct wt_disk_block_header like,
		   struct wt_err *err)
{
	const struct wt_log_col *col = wt_log_gather_column(&c->gather, WT_DISK_EVENT_CPU);
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->gather.set.n; i++)
		if (col->words[i] == cpu)
			rows[n++] = i;
	if (wt_log_gather_select(&c->part, &c->gather, rows, n))
		return wt_fail_nomem(err);
	like.cpu = (uint32_t)cpu - 1;
	return put_blocks(c, &c->part, like, err);
}

/* Writes each CPU's events separately, when there are many: the gaps between them are alike. */
static int put_events(struct compact *c, struct wt_disk_block_header like, struct wt_err *err)
{
	uint64_t cpus[MAX_CPUS];
	uint32_t n = list_cpus(&c->gather, cpus);
	uint32_t *rows;
	int rc = 0;

	like.cpu = n == 1 ? (uint32_t)cpus[0] - 1 : UINT32_MAX;
	if (n < 2 || c->gather.set.n / n < CPU_EVENTS)
		return put_blocks(c, &c->gather, like, err);
	rows = malloc(c->gather.set.n * sizeof(*rows));
	if (!rows)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; !rc && i < n; i++)
		rc = put_cpu(c, cpus[i], rows, like, err);
	free(rows);
	return rc;
}

/* Time must be the first column, because sets are sorted by that column. */
static int sort_events(struct compact *c, struct wt_err *err)
{
	struct wt_log_cols *set = &c->gather.set;
	struct wt_log_col *time = wt_log_gather_column(&c->gather, WT_DISK_EVENT_TIME), swap;

	if (!time)
		return 0;
	swap = *time;
	*time = set->cols[0];
	set->cols[0] = swap;
	for (uint32_t i = 1; i < set->n; i++)
		if (swap.words[i] < swap.words[i - 1])
			return wt_log_cols_sort(set, err);
	return 0;
}

static int put_gathered(struct compact *c, const struct wt_disk_block_header *like, struct wt_err *err)
{
	int rc = 0;

	if (c->gather.set.n && like->type == WT_DISK_EVENTS)
		rc = sort_events(c, err) || put_events(c, *like, err) ? -1 : 0;
	else if (c->gather.set.n)
		rc = put_blocks(c, &c->gather, *like, err);
	wt_log_gather_clear(&c->gather);
	return rc;
}

/* True when the block does not continue the gathered ones. */
static bool breaks(const struct compact *c, const struct wt_disk_block_header *like,
		   const struct wt_disk_block_header *header)
{
	if (c->gather.bytes + header->raw_size > LARGEST_SLICE ||
	    c->gather.set.n + header->count > WT_DISK_MAX_ROWS)
		return true;
	return header->type == WT_DISK_EVENTS ? header->lost != 0
					      : header->first != like->first + c->gather.set.n;
}

static bool is_of(const struct place *place, uint16_t type, uint32_t kind)
{
	return place->header.type == type && (type != WT_DISK_EVENTS || place->header.kind == kind);
}

/* Joins all blocks of a segment with rows of one type (and kind), from place `from` on. */
static int merge_rows(struct compact *c, uint32_t from, struct wt_err *err)
{
	struct wt_disk_block_header like = c->places[from].header;

	for (uint32_t i = from; i < c->to; i++) {
		const struct wt_disk_block_header *header = &c->places[i].header;
		const uint8_t *raw;
		int rc;

		if (!is_of(&c->places[i], like.type, like.kind))
			continue;
		if (breaks(c, &like, header)) {
			if (put_gathered(c, &like, err))
				return -1;
			like = *header;
		}
		c->lost += header->type == WT_DISK_EVENTS ? header->lost : 0;
		rc = read_block(c, &c->places[i], &raw, err);
		if (!rc)
			rc = wt_log_gather_add(&c->gather, raw, header->raw_size, header->count);
		if (rc)
			return rc < 0 ? wt_fail_nomem(err) : 1;
	}
	return put_gathered(c, &like, err);
}

/* Joins all clock sets of a segment into one block. */
static int merge_clocks(struct compact *c, struct wt_err *err)
{
	struct wt_disk_block_header like = {0};
	struct wt_buf *sets = &c->log->raw;

	wt_buf_clear(sets);
	for (uint32_t i = c->from; i < c->to; i++) {
		const struct wt_disk_block_header *header = &c->places[i].header;
		const uint8_t *raw;
		int rc;

		if (!is_of(&c->places[i], WT_DISK_CLOCK, 0))
			continue;
		rc = read_block(c, &c->places[i], &raw, err);
		if (rc)
			return rc;
		wt_buf_put(sets, raw, header->raw_size);
		header = like.type ? &like : header;
		like = *header;
	}
	like.sequence = c->log->sequence + c->log->staged;
	like.count = (uint32_t)(sets->len / sizeof(struct wt_disk_clockset));
	if (sets->failed)
		return wt_fail_nomem(err);
	if (!like.count)
		return 0;
	return wt_log_stage(c->log, &like, sets->data, sets->len, err) || wt_log_commit(c->log, err) ? -1 : 0;
}

static int copy_all(struct compact *c, uint16_t type, struct wt_err *err)
{
	int rc = 0;

	for (uint32_t i = c->from; !rc && i < c->to; i++)
		if (is_of(&c->places[i], type, c->places[i].header.kind))
			rc = copy_block(c, &c->places[i], err);
	return rc;
}

static int copy_last(struct compact *c, uint16_t type, struct wt_err *err)
{
	for (uint32_t i = c->to; i-- > c->from;)
		if (is_of(&c->places[i], type, 0))
			return copy_block(c, &c->places[i], err);
	return 0;
}

static int merge_table(struct compact *c, uint16_t type, struct wt_err *err)
{
	for (uint32_t i = c->from; i < c->to; i++)
		if (is_of(&c->places[i], type, 0))
			return merge_rows(c, i, err);
	return 0;
}

static int by_events(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return (x->from > y->from) - (x->from < y->from);
}

static struct share *share_of(struct compact *c, uint32_t kind)
{
	if (!c->share_of[kind]) {
		c->shares[c->n_shares] = (struct share){.kind = kind, .from = UINT32_MAX};
		c->share_of[kind] = ++c->n_shares;
	}
	return &c->shares[c->share_of[kind] - 1];
}

static int sum_kinds(struct compact *c)
{
	c->n_shares = 0;
	for (uint32_t i = c->from; i < c->to; i++) {
		const struct wt_disk_block_header *header = &c->places[i].header;
		struct share *share;

		if (header->type != WT_DISK_EVENTS)
			continue;
		if (header->kind >= WT_DISK_MAX_KINDS)
			return 1;
		share = share_of(c, header->kind);
		share->from = share->from < i ? share->from : i;
		share->events += header->count;
	}
	return 0;
}

/* The kind of the first event comes first, because times are shown from that event on. */
static void prefer_first(struct compact *c)
{
	const struct wt_disk_block_header *first = NULL;

	for (uint32_t i = c->from; i < c->to; i++) {
		const struct wt_disk_block_header *header = &c->places[i].header;

		if (header->type == WT_DISK_EVENTS && (!first || header->time_min < first->time_min))
			first = header;
	}
	if (first)
		share_of(c, first->kind)->events = UINT64_MAX;
}

/* The kind with the most events comes next. */
static int merge_events(struct compact *c, struct wt_err *err)
{
	int rc = sum_kinds(c);

	if (!rc)
		prefer_first(c);
	for (uint32_t i = 0; i < c->n_shares; i++)
		c->share_of[c->shares[i].kind] = 0;
	if (!rc && c->n_shares)
		qsort(c->shares, c->n_shares, sizeof(*c->shares), by_events);
	for (uint32_t i = 0; !rc && i < c->n_shares; i++)
		rc = merge_rows(c, c->shares[i].from, err);
	return rc;
}

/* Writes the ranges of the segment's new blocks. The ranges of the old blocks are no longer valid. */
static int put_ranges(struct compact *c, struct wt_err *err)
{
	int rc = wt_log_stage_ranges(c->log, c->places[c->from].header.segment, err) ||
				 wt_log_commit(c->log, err)
			 ? -1
			 : 0;

	wt_log_range_notes_clear(&c->log->ranges);
	return rc;
}

static int merge_slice(struct compact *c, struct wt_err *err)
{
	int rc = copy_all(c, WT_DISK_SEGMENT_BEGIN, err);

	if (!rc)
		rc = copy_all(c, WT_DISK_SCHEMA, err);
	for (uint16_t type = WT_DISK_FIRST_TABLE; !rc && type < WT_DISK_FIRST_TABLE + WT_DISK_N_TABLES;
	     type++)
		rc = merge_table(c, type, err);
	return rc ? rc : merge_events(c, err);
}

static uint64_t payload_of(const struct compact *c, uint32_t i)
{
	const struct wt_disk_block_header *header = &c->places[i].header;

	return has_columns(header->type) && header->type != WT_DISK_SYMBOLS ? header->raw_size : 0;
}

/* The number of payload bytes in each slice of the segment. */
static uint64_t slice_bytes(const struct compact *c)
{
	uint64_t bytes = 0;

	for (uint32_t i = c->first; i < c->last; i++)
		bytes += payload_of(c, i);
	bytes /= SLICES;
	if (bytes > LARGEST_SLICE)
		return LARGEST_SLICE;
	return bytes < SMALLEST_SLICE ? SMALLEST_SLICE : bytes;
}

static int merge_slices(struct compact *c, struct wt_err *err)
{
	uint64_t most = slice_bytes(c), bytes = 0;
	int rc = 0;

	for (c->from = c->first; !rc && c->from < c->last; c->from = c->to, bytes = 0) {
		for (c->to = c->from; c->to < c->last && bytes < most; c->to++)
			bytes += payload_of(c, c->to);
		rc = merge_slice(c, err);
	}
	c->from = c->first;
	c->to = c->last;
	return rc;
}

/* Symbols come last and together, because the names in one slice resemble those in others. */
static int merge_segment(struct compact *c, struct wt_err *err)
{
	int rc = merge_slices(c, err);

	if (!rc)
		rc = merge_table(c, WT_DISK_SYMBOLS, err);
	if (!rc)
		rc = copy_last(c, WT_DISK_CHECKPOINT, err);
	if (!rc)
		rc = merge_clocks(c, err);
	if (!rc)
		rc = put_ranges(c, err);
	return rc ? rc : copy_all(c, WT_DISK_SEGMENT_END, err);
}

/* True for a large block without compression: its recorder had no time for it. */
static bool is_hasty(const struct wt_disk_block_header *header)
{
	return has_columns(header->type) && header->codec == WT_DISK_CODEC_NONE && header->raw_size >= LARGE;
}

/* Without time, blocks stay unchanged, except those that would cost most space. */
static int keep_segment(struct compact *c, struct wt_err *err)
{
	int rc = 0;

	c->level = LEVEL_WITHOUT_TIME;
	wt_log_packer_hurry(c->log->packer, c->level);
	for (uint32_t i = c->from; !rc && i < c->to; i++)
		rc = is_hasty(&c->places[i].header) ? copy_block(c, &c->places[i], err)
						    : keep_block(c, &c->places[i], err);
	return rc;
}

/* True when the segment's blocks should be joined. With small blocks this always pays. */
static bool is_worth_it(const struct compact *c)
{
	uint64_t bytes = 0, blocks = 0;

	for (uint32_t i = c->from; i < c->to; i++) {
		if (!has_columns(c->places[i].header.type))
			continue;
		bytes += c->places[i].header.stored_size;
		blocks++;
	}
	return blocks && (bytes / blocks < LARGE || has_time(c, SECONDS_TO_GAIN));
}

static int all_segments(struct compact *c, struct wt_err *err)
{
	bool any = false;
	int rc = 0;

	for (c->first = 0; !rc && c->first < c->n; c->first = c->last) {
		bool merged;

		for (c->last = c->first; c->last < c->n; c->last++)
			if (c->places[c->last].header.segment != c->places[c->first].header.segment)
				break;
		c->from = c->first;
		c->to = c->last;
		merged = is_worth_it(c);
		any |= merged;
		rc = merged ? merge_segment(c, err) : keep_segment(c, err);
	}
	return !rc && !any ? 1 : rc;
}

static int level_for(uint64_t bytes)
{
	return bytes < TINY_LOG ? 19 : bytes < SMALL_LOG ? 9 : LEVEL_IN_A_HURRY;
}

static int begin(struct compact *c, int to, uint64_t size, struct wt_err *err)
{
	static const struct wt_kinds no_kinds;
	struct wt_log_options options = {.zstd_level = level_for(size)};
	struct wt_disk_file_header header;
	bool damaged;

	if (wt_log_read_file_header(c->fd, "the log", &header, &damaged, err) ||
	    wt_log_unpacker_create(&c->unpacker, err))
		return -1;
	c->level = options.zstd_level;
	c->share_of = calloc(WT_DISK_MAX_KINDS, sizeof(*c->share_of));
	c->shares = malloc(WT_DISK_MAX_KINDS * sizeof(*c->shares));
	if (!c->share_of || !c->shares)
		return wt_fail_nomem(err);
	if (damaged || header.header_size != sizeof(header) || header.version_minor > WT_DISK_VERSION_MINOR)
		return 1;
	if (wt_log_writer_alloc(to, &no_kinds, &options, &c->log, err))
		return -1;
	c->log->scratch->keys = calloc(1, sizeof(*c->log->scratch->keys));
	if (!c->log->scratch->keys)
		return wt_fail_nomem(err);
	if (size < SMALL_LOG && wt_log_packer_be_thorough(c->log->packer, err))
		return -1;
	header.version_minor = WT_DISK_VERSION_MINOR;
	header.crc = wt_log_crc32(&header, sizeof(header) - 4);
	wt_buf_put(&c->log->out, &header, sizeof(header));
	return c->log->out.failed ? wt_fail_nomem(err) : 0;
}

int wt_log_compact(int from, int to, struct wt_err *err)
{
	struct compact *c = calloc(1, sizeof(*c));
	struct stat st;
	int rc;

	if (!c)
		return wt_fail_nomem(err);
	c->fd = from;
	clock_gettime(CLOCK_MONOTONIC, &c->began);
	rc = fstat(from, &st) < 0 ? wt_fail_errno(err, "cannot examine the log")
				  : begin(c, to, (uint64_t)st.st_size, err);
	if (!rc)
		rc = list_blocks(c, (uint64_t)st.st_size, err);
	if (!rc)
		rc = all_segments(c, err);
	if (!rc)
		rc = wt_log_write_index(c->log, err);
	if (!rc && c->log->stats.bytes >= (uint64_t)st.st_size)
		rc = 1;
	wt_log_writer_destroy(c->log);
	wt_log_unpacker_destroy(c->unpacker);
	wt_log_gather_deinit(&c->gather);
	wt_log_gather_deinit(&c->part);
	free(c->share_of);
	free(c->shares);
	free(c->places);
	free(c);
	return rc;
}
