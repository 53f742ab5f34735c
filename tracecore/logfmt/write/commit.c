// SPDX-License-Identifier: MIT
/* Writes pending rows as blocks to the disk. */
#include "tracecore/logfmt/write/writer_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/format/walk.h"
#include "tracecore/base/write_all.h"

/* Entries of one INDEX block: 2.6 MB raw. */
#define INDEX_ENTRIES 32768

struct wt_disk_block_header wt_log_stage_header(const struct wt_log_writer *log, uint16_t type)
{
	return (struct wt_disk_block_header){
		.type = type,
		.segment = log->segment,
		.sequence = log->sequence + log->staged,
		.cpu = UINT32_MAX,
		.kind = UINT32_MAX,
	};
}

int wt_log_stage(struct wt_log_writer *log, struct wt_disk_block_header *header, const void *raw, size_t size,
		 struct wt_err *err)
{
	if (wt_log_pack(log->packer, &log->out, header, raw, size, (struct wt_log_cuts){0}, err))
		return -1;
	log->staged++;
	return 0;
}

int wt_log_stage_columns(struct wt_log_writer *log, struct wt_disk_block_header *header, struct wt_err *err)
{
	struct wt_log_cuts cuts = {log->scratch->cuts, log->scratch->n_cuts};
	struct wt_log_packer *packer = log->stored ? NULL : log->packer;

	if (log->raw.failed)
		return wt_fail_nomem(err);
	if (wt_log_pack(packer, &log->out, header, log->raw.data, log->raw.len, cuts, err))
		return -1;
	log->staged++;
	return 0;
}

int wt_log_stage_stored(struct wt_log_writer *log, struct wt_disk_block_header *header, const void *stored,
			struct wt_err *err)
{
	header->segment = log->segment;
	header->sequence = log->sequence + log->staged;
	if (wt_log_put_stored(&log->out, header, stored))
		return wt_fail_nomem(err);
	log->staged++;
	return 0;
}

/* The payload made in log->raw. */
static int stage_raw(struct wt_log_writer *log, struct wt_disk_block_header *header, struct wt_err *err)
{
	if (log->raw.failed)
		return wt_fail_nomem(err);
	return wt_log_stage(log, header, log->raw.data, log->raw.len, err);
}

static int stage_rows(struct wt_log_writer *log, uint16_t type, uint32_t segment,
		      const struct wt_log_cols *set, uint32_t first, struct wt_err *err)
{
	for (uint32_t from = 0, to; from < set->n; from = to) {
		struct wt_disk_block_header header = wt_log_stage_header(log, type);

		to = wt_log_cols_run(set, from);
		header.segment = segment;
		header.first = first + (type == WT_DISK_RANGES ? 0 : from);
		header.count = to - from;
		wt_buf_clear(&log->raw);
		wt_log_cols_put(set, from, to, &log->raw, log->scratch);
		if (wt_log_stage_columns(log, &header, err))
			return -1;
	}
	return 0;
}

int wt_log_stage_table(struct wt_log_writer *log, enum wt_log_table table, uint32_t segment,
		       const struct wt_log_cols *set, uint32_t first, struct wt_err *err)
{
	return stage_rows(log, wt_log_tables[table].type, segment, set, first, err);
}

int wt_log_stage_ranges(struct wt_log_writer *log, uint32_t segment, struct wt_err *err)
{
	return stage_rows(log, WT_DISK_RANGES, segment, &log->ranges.rows, 0, err);
}

static void put_clockset(struct wt_buf *out, const struct wt_clockset *set)
{
	struct wt_disk_clockset disk = {set->tick, set->raw, set->mono, set->realtime};

	wt_buf_put(out, &disk, sizeof(disk));
}

static void put_now(struct wt_log_writer *log)
{
	struct wt_clockset now;

	wt_clock_sample(&now);
	log->clock_written = now.raw;
	put_clockset(&log->raw, &now);
}

/* For a log with an origin: its clock sets that SEGMENT_BEGIN does not have. */
int wt_log_stage_clock(struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_CLOCK);
	const struct wt_log_origin *origin = log->origin;

	wt_buf_clear(&log->raw);
	if (!origin)
		put_now(log);
	for (uint32_t i = 1; origin && i < origin->n_clocks; i++)
		put_clockset(&log->raw, &origin->clocks[i]);
	header.count = (uint32_t)(log->raw.len / sizeof(struct wt_disk_clockset));
	return header.count || log->raw.failed ? stage_raw(log, &header, err) : 0;
}

static void put_fact(struct wt_buf *out, const char *key, const char *value)
{
	wt_buf_put_counted(out, key, strlen(key));
	wt_buf_put_counted(out, value, strlen(value));
}

static void put_facts(struct wt_buf *out)
{
	struct utsname host;
	char number[24], boot[64];

	if (uname(&host) < 0)
		host = (struct utsname){0};
	snprintf(number, sizeof(number), "%ld", sysconf(_SC_NPROCESSORS_CONF));
	wt_clock_boot_id(boot, sizeof(boot));
	wt_buf_put_u32(out, 6);
	put_fact(out, "host", host.nodename);
	put_fact(out, "kernel", host.release);
	put_fact(out, "machine", host.machine);
	put_fact(out, "boot", boot);
	put_fact(out, "cpus", number);
	snprintf(number, sizeof(number), "%ld", sysconf(_SC_PAGESIZE));
	put_fact(out, "page_size", number);
}

static void put_origin(struct wt_buf *out, const struct wt_log_origin *origin)
{
	static const struct wt_clockset unknown;

	put_clockset(out, origin->n_clocks ? &origin->clocks[0] : &unknown);
	wt_buf_put_u32(out, origin->n_facts);
	for (uint32_t i = 0; i < origin->n_facts; i++) {
		const struct wt_log_fact *fact = &origin->facts[i];

		wt_buf_put_counted(out, fact->key.p, fact->key.len);
		wt_buf_put_counted(out, fact->value.p, fact->value.len);
	}
}

int wt_log_stage_schemas(struct wt_log_writer *log, uint32_t from, struct wt_err *err)
{
	uint32_t first = 0;

	for (uint32_t p = 0; p < log->n_providers; p++) {
		struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_SCHEMA);

		header.first = first;
		header.count = log->kinds->providers[p]->n_events;
		first += header.count;
		if (p >= from && wt_log_stage(log, &header, log->schemas[p].data, log->schemas[p].len, err))
			return -1;
	}
	return 0;
}

int wt_log_stage_segment(struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_SEGMENT_BEGIN);

	wt_buf_clear(&log->raw);
	if (log->origin) {
		put_origin(&log->raw, log->origin);
	} else {
		put_now(log);
		put_facts(&log->raw);
	}
	if (stage_raw(log, &header, err))
		return -1;
	return wt_log_stage_schemas(log, 0, err);
}

int wt_log_stage_segment_end(struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_disk_segment_end end = {.events = log->segment_events};
	struct wt_disk_block_header header;

	if (wt_log_stage_clock(log, err) || wt_log_stage_ranges(log, log->segment, err))
		return -1;
	for (unsigned t = 0; t < WT_DISK_N_TABLES; t++)
		end.rows[t] = log->rows[t];
	header = wt_log_stage_header(log, WT_DISK_SEGMENT_END);
	return wt_log_stage(log, &header, &end, sizeof(end), err);
}

void wt_log_unstage(struct wt_log_writer *log)
{
	wt_buf_clear(&log->out);
	log->staged = 0;
	log->staged_raw = 0;
	log->ranges.rows.n = log->ranges.kept;
}

/* True when a later try may succeed: the request itself was valid. */
static bool is_disks_fault(int error)
{
	return error != EBADF && error != EINVAL && error != EFAULT;
}

void wt_log_rewind(struct wt_log_writer *log, uint64_t bytes, uint32_t sequence)
{
	struct stat st;

	/* If this fails, a cut block stays in the file: readers report it, and the next write overwrites
	 * it. */
	if ((fstat(log->fd, &st) < 0 || (uint64_t)st.st_size > bytes) && ftruncate(log->fd, (off_t)bytes) < 0)
		wt_warn("cannot cut the log back to its last whole block: %s", strerror(errno));
	log->stats.bytes = bytes;
	log->sequence = sequence;
}

int wt_log_commit(struct wt_log_writer *log, struct wt_err *err)
{
	if (wt_write_all_at(log->fd, log->out.data, log->out.len, log->stats.bytes)) {
		int saved = errno;

		wt_log_rewind(log, log->stats.bytes, log->sequence);
		errno = saved;
		wt_fail_errno(err, "cannot write %zu bytes to the log at offset %llu", log->out.len,
			      (unsigned long long)log->stats.bytes);
		if (err && is_disks_fault(saved))
			err->code = WT_ERR_NOSPACE;
		wt_log_unstage(log);
		return -1;
	}
	log->stats.bytes += log->out.len;
	log->stats.bytes_raw += log->staged_raw;
	log->sequence += log->staged;
	log->ranges.kept = log->ranges.rows.n;
	wt_log_unstage(log);
	return 0;
}

/* Puts the next INDEX_ENTRIES or fewer entries into log->raw; returns their number, or -1. */
static int64_t gather_entries(struct wt_log_writer *log, struct wt_log_walk *walk, struct wt_err *err)
{
	struct wt_log_place place;
	int64_t n = 0;

	wt_buf_clear(&log->raw);
	while (n < INDEX_ENTRIES) {
		enum wt_log_step step = wt_log_walk_next(walk, &place, err);

		if (step == WT_LOG_STEP_FAILED)
			return -1;
		if (step == WT_LOG_STEP_END || step == WT_LOG_STEP_CUT)
			break;
		if (step == WT_LOG_STEP_DAMAGE)
			continue;
		wt_buf_put_u64(&log->raw, place.offset);
		wt_buf_put(&log->raw, &place.header, sizeof(place.header));
		n++;
	}
	return log->raw.failed ? wt_fail_nomem(err) : n;
}

static int stage_index(struct wt_log_writer *log, struct wt_log_walk *walk, uint32_t *blocks,
		       struct wt_err *err)
{
	uint32_t first = 0;
	int64_t n;

	wt_log_walk_init(walk, log->fd, sizeof(struct wt_disk_file_header), log->stats.bytes);
	while ((n = gather_entries(log, walk, err)) > 0) {
		struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_INDEX);

		header.segment = WT_DISK_NO_SEGMENT;
		header.first = first;
		header.count = (uint32_t)n;
		if (stage_raw(log, &header, err))
			return -1;
		first += (uint32_t)n;
		++*blocks;
	}
	return n < 0 ? -1 : 0;
}

int wt_log_write_index(struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_disk_end_mark mark = {.index_offset = log->stats.bytes};
	int rc;

	if (!walk)
		return wt_fail_nomem(err);
	rc = stage_index(log, walk, &mark.index_blocks, err);
	free(walk);
	if (rc) {
		wt_log_unstage(log);
		return -1;
	}
	memcpy(mark.magic, WT_DISK_END_MAGIC, sizeof(mark.magic));
	mark.file_bytes = log->stats.bytes + log->out.len + sizeof(mark);
	mark.crc = wt_log_crc32(&mark, sizeof(mark) - 4);
	wt_buf_put(&log->out, &mark, sizeof(mark));
	if (log->out.failed) {
		wt_log_unstage(log);
		return wt_fail_nomem(err);
	}
	return wt_log_commit(log, err);
}
