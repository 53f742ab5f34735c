// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/write/writer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/write/writer_impl.h"

#define DEFAULT_LEVEL 1
/* A flush adds a clock set when the last one is older. */
#define CLOCK_INTERVAL (10 * WT_NSEC)

static void fill_options(struct wt_log_options *ret, const struct wt_log_options *options)
{
	if (options)
		*ret = *options;
	if (ret->zstd_level == 0)
		ret->zstd_level = DEFAULT_LEVEL;
	if (ret->segment_bytes == 0)
		ret->segment_bytes = WT_LOG_SEGMENT_BYTES;
	if (ret->pending_bytes == 0)
		ret->pending_bytes = WT_LOG_PENDING_BYTES;
	if (ret->ranged == 0)
		ret->ranged = WT_LOG_RANGED;
}

static int check_arguments(int fd, const struct wt_log_options *options, struct wt_err *err)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st) < 0)
		return wt_fail_errno(err, "cannot use the log's file descriptor");
	if (!S_ISREG(st.st_mode))
		return wt_fail(err, WT_ERR_USAGE,
			       "a log must be a regular file: it is read back when it is "
			       "finished");
	if ((flags & O_ACCMODE) != O_RDWR)
		return wt_fail(err, WT_ERR_USAGE, "a log must be opened for reading and writing");
	if (options && (options->zstd_level < -7 || options->zstd_level > 19))
		return wt_fail(err, WT_ERR_USAGE, "zstd level %d is not in -7..19", options->zstd_level);
	return 0;
}

/* Adds a zeroed tail to the array *list for elements [from, to) of that size. */
static int extend(void *list, uint32_t from, uint32_t to, size_t size, struct wt_err *err)
{
	void **p = list;
	uint8_t *more = realloc(*p, (to + (size_t)1) * size);

	if (!more)
		return wt_fail_nomem(err);
	memset(more + from * size, 0, (to - from + (size_t)1) * size);
	*p = more;
	return 0;
}

static int render_schema(struct wt_log_writer *log, uint32_t provider, struct wt_err *err)
{
	struct wt_buf *schema = &log->schemas[provider];

	if (wt_manifest_render(log->kinds->providers[provider], schema, err))
		return -1;
	if (schema->failed)
		return wt_fail_nomem(err);
	if (schema->len > WT_DISK_MAX_RAW)
		return wt_fail(err, WT_ERR_LIMIT, "the schema of provider '%s' has %zu bytes; a log takes %d",
			       log->kinds->providers[provider]->name, schema->len, WT_DISK_MAX_RAW);
	return 0;
}

int wt_log_adopt_kinds(struct wt_log_writer *log, struct wt_err *err)
{
	uint32_t kinds = log->kinds->n, providers = log->kinds->n_providers;

	if (kinds > WT_DISK_MAX_KINDS)
		return wt_fail(err, WT_ERR_LIMIT, "%u kinds of event are more than a log can hold (%d)",
			       kinds, WT_DISK_MAX_KINDS);
	if (extend(&log->pending, log->n_kinds, kinds, sizeof(*log->pending), err) ||
	    extend(&log->schemas, log->n_providers, providers, sizeof(*log->schemas), err))
		return -1;
	for (uint32_t p = log->n_providers; p < providers; p++) {
		if (!render_schema(log, p, err))
			continue;
		for (uint32_t made = log->n_providers; made <= p; made++)
			wt_buf_deinit(&log->schemas[made]);
		return -1;
	}
	log->n_kinds = kinds;
	log->n_providers = providers;
	return 0;
}

int wt_log_writer_alloc(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
			struct wt_log_writer **ret, struct wt_err *err)
{
	struct wt_log_writer *log;

	if (check_arguments(fd, options, err))
		return -1;
	log = calloc(1, sizeof(*log));
	if (!log)
		return wt_fail_nomem(err);
	log->fd = fd;
	log->kinds = kinds;
	fill_options(&log->options, options);
	log->scratch = calloc(1, sizeof(*log->scratch));
	if (!log->scratch) {
		wt_log_writer_destroy(log);
		return wt_fail_nomem(err);
	}
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++) {
		if (wt_log_table_init(&log->tables[t], (enum wt_log_table)t, err)) {
			wt_log_writer_destroy(log);
			return -1;
		}
	}
	if (wt_log_packer_create(log->options.zstd_level, &log->packer, err) ||
	    wt_log_adopt_kinds(log, err)) {
		wt_log_writer_destroy(log);
		return -1;
	}
	*ret = log;
	return 0;
}

void wt_log_writer_destroy(struct wt_log_writer *log)
{
	if (!log)
		return;
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++)
		wt_log_cols_deinit(&log->tables[t]);
	for (uint32_t k = 0; k < log->n_kinds; k++)
		wt_log_pending_deinit(&log->pending[k]);
	for (uint32_t p = 0; p < log->n_providers; p++)
		wt_buf_deinit(&log->schemas[p]);
	wt_log_range_notes_deinit(&log->ranges);
	free(log->pending);
	free(log->schemas);
	free(log->stretches);
	wt_log_dropped_deinit(&log->dropped);
	if (log->scratch)
		wt_log_column_scratch_deinit(log->scratch);
	free(log->scratch);
	wt_log_packer_destroy(log->packer);
	wt_buf_deinit(&log->raw);
	wt_buf_deinit(&log->out);
	free(log);
}

void wt_log_put_file_header(struct wt_buf *out, const uint8_t session_id[16], const struct wt_clockset *began)
{
	struct wt_disk_file_header header = {
		.version_major = WT_DISK_VERSION_MAJOR,
		.version_minor = WT_DISK_VERSION_MINOR,
		.header_size = sizeof(header),
		.clock = WT_DISK_CLOCK_RAW,
	};

	header.raw = began->raw;
	header.mono = began->mono;
	header.realtime = began->realtime;
	memcpy(header.magic, WT_DISK_FILE_MAGIC, sizeof(header.magic));
	memcpy(header.session_id, session_id, sizeof(header.session_id));
	header.crc = wt_log_crc32(&header, sizeof(header) - 4);
	wt_buf_put(out, &header, sizeof(header));
}

int wt_log_add_stretch(struct wt_log_writer *log, const struct wt_log_stretch *stretch, struct wt_err *err)
{
	if (wt_grow(&log->stretches, &log->cap_stretches, log->n_stretches, 1, err))
		return -1;
	log->stretches[log->n_stretches++] = *stretch;
	return 0;
}

/* Begins log->segment; blocks may already be staged before it. */
int wt_log_begin_segment(struct wt_log_writer *log, struct wt_err *err)
{
	uint64_t start = log->stats.bytes + log->out.len;
	uint32_t sequence = log->sequence + log->staged;

	if (wt_grow(&log->stretches, &log->cap_stretches, log->n_stretches, 1, err) ||
	    wt_log_stage_segment(log, err)) {
		wt_log_unstage(log);
		return -1;
	}
	if (wt_log_commit(log, err))
		return -1;
	log->segment_start = start;
	log->stretches[log->n_stretches++] = (struct wt_log_stretch){
		.offset = start, .number = log->segment, .sequence = sequence};
	log->segment_events = 0;
	wt_log_range_notes_clear(&log->ranges);
	log->providers_written = log->n_providers;
	log->stats.segments++;
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++) {
		wt_log_cols_clear(&log->tables[t]);
		log->rows[t] = 0;
	}
	return 0;
}

int wt_log_create(int fd, const struct wt_kinds *kinds, const uint8_t session_id[16],
		  const struct wt_log_options *options, struct wt_log_writer **ret, struct wt_err *err)
{
	struct wt_log_writer *log;
	struct wt_clockset now;

	if (wt_log_writer_alloc(fd, kinds, options, &log, err))
		return -1;
	wt_clock_sample(&now);
	wt_log_put_file_header(&log->out, session_id, &now);
	if (log->out.failed || wt_log_begin_segment(log, err)) {
		int rc = log->out.failed ? wt_fail_nomem(err) : -1;

		wt_log_writer_destroy(log);
		return rc;
	}
	*ret = log;
	return 0;
}

static int check_event(const struct wt_log_writer *log, uint32_t kind, uint32_t payload_len, uint32_t thread,
		       uint32_t stack, struct wt_err *err)
{
	if (log->finished)
		return wt_fail(err, WT_ERR_USAGE, "the log is finished: no event can be added");
	if (kind >= log->n_kinds)
		return wt_fail(err, WT_ERR_FORMAT, "an event of kind %u, but the session has only %u kinds",
			       kind, log->n_kinds);
	if (payload_len > WT_DISK_MAX_PAYLOAD)
		return wt_fail(err, WT_ERR_FORMAT,
			       "an event with a payload of %u bytes; the log takes up to %d", payload_len,
			       WT_DISK_MAX_PAYLOAD);
	if ((thread && thread >= log->rows[WT_LOG_THREADS]) || stack > log->rows[WT_LOG_STACKS])
		return wt_fail(err, WT_ERR_FORMAT,
			       "an event names thread %u and stack %u, the log segment has %u and %u", thread,
			       stack, log->rows[WT_LOG_THREADS], log->rows[WT_LOG_STACKS]);
	return 0;
}

/* Counts n more pending events with payloads and ids of that many bytes. Returns whether to flush. */
static int count_pending(struct wt_log_writer *log, uint32_t n, uint32_t n_cols, uint64_t bytes)
{
	log->pending_events += n;
	log->pending_bytes += (uint64_t)n * n_cols * sizeof(uint64_t) + bytes;
	return log->pending_bytes >= log->options.pending_bytes;
}

int wt_log_event(struct wt_log_writer *log, const struct wt_event *event, uint32_t thread, uint32_t stack,
		 struct wt_err *err)
{
	struct wt_log_pending *pending;

	if (check_event(log, event->kind, event->payload_len, thread, stack, err))
		return -1;
	pending = &log->pending[event->kind];
	if (wt_log_pending_add(pending, &log->kinds->kinds[event->kind], event, thread, stack, err))
		return -1;
	return count_pending(log, 1, pending->cols.n_cols,
			     event->payload_len +
				     (event->activity || event->related ? 2 * WT_ACTIVITY_ID : 0));
}

int wt_log_run(struct wt_log_writer *log, const struct wt_run *run, uint32_t thread, uint32_t flags,
	       uint32_t *taken, struct wt_err *err)
{
	const struct wt_run_event *first = &run->events[0];
	struct wt_log_pending *pending;
	uint64_t bytes = 0;

	*taken = 0;
	if (check_event(log, first->kind, first->payload_len, thread, 0, err))
		return -1;
	pending = &log->pending[first->kind];
	*taken = wt_log_pending_add_run(pending, &log->kinds->kinds[first->kind], run, thread, flags, err);
	if (!*taken)
		return -1;
	for (uint32_t i = 0; i < *taken; i++)
		bytes += run->events[i].payload_len;
	return count_pending(log, *taken, pending->next->cols.n_cols, bytes);
}

int wt_log_strip(struct wt_log_writer *log, const struct wt_strip *strip, uint32_t thread, uint32_t flags,
		 uint32_t *taken, struct wt_err *err)
{
	struct wt_log_pending *pending;

	*taken = 0;
	if (check_event(log, strip->kind, strip->payload_len, thread, 0, err))
		return -1;
	pending = &log->pending[strip->kind];
	*taken = wt_log_pending_add_strip(pending, &log->kinds->kinds[strip->kind], strip, thread, flags,
					  err);
	if (!*taken)
		return -1;
	return count_pending(log, *taken, pending->next->cols.n_cols, (uint64_t)strip->payload_len * *taken);
}

/* Stages the events of one kind, and of one CPU where it has its own blocks. */
static int stage_events(struct wt_log_writer *log, uint32_t kind, struct wt_log_pending *pending,
			uint32_t lost, struct wt_err *err)
{
	const struct wt_log_cols *set = &pending->cols;
	const struct wt_log_col *cpu = &set->cols[WT_DISK_EVENT_CPU];

	if (wt_log_pending_sort(pending, err))
		return -1;
	for (uint32_t from = 0, to; from < set->n; from = to) {
		struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_EVENTS);

		to = wt_log_cols_run(set, from);
		header.kind = kind;
		header.cpu = cpu->same ? (uint32_t)cpu->value - 1 : UINT32_MAX;
		header.count = to - from;
		header.lost = from ? 0 : lost;
		header.time_min = set->cols[WT_DISK_EVENT_TIME].words[from];
		header.time_max = set->cols[WT_DISK_EVENT_TIME].words[to - 1];
		wt_buf_clear(&log->raw);
		wt_log_cols_put(set, from, to, &log->raw, log->scratch);
		log->staged_raw += log->raw.len;
		if (wt_log_stage_columns(log, &header, err) ||
		    wt_log_range_note(&log->ranges, &header, set, from, log->options.ranged, err))
			return -1;
	}
	return 0;
}

/* The first block gives the number of the kind's events that were dropped before it. */
static int stage_kind(struct wt_log_writer *log, uint32_t kind, struct wt_err *err)
{
	uint32_t lost = log->pending[kind].lost;

	for (struct wt_log_pending *p = &log->pending[kind]; p; p = p->next) {
		if (stage_events(log, kind, p, lost, err))
			return -1;
		if (p->cols.n)
			lost = 0;
	}
	return 0;
}

static int stage_checkpoint(struct wt_log_writer *log, const struct wt_log_position *positions, size_t n,
			    struct wt_err *err)
{
	struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_CHECKPOINT);

	header.count = (uint32_t)n;
	wt_buf_clear(&log->raw);
	for (size_t i = 0; i < n; i++) {
		struct wt_disk_position position = {.source = positions[i].source,
						    .position = positions[i].position};

		wt_buf_put(&log->raw, &position, sizeof(position));
	}
	if (log->raw.failed)
		return wt_fail_nomem(err);
	return wt_log_stage(log, &header, log->raw.data, log->raw.len, err);
}

static int stage_pending(struct wt_log_writer *log, struct wt_err *err)
{
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++) {
		uint32_t first = log->rows[t] - log->tables[t].n;

		if (wt_log_stage_table(log, (enum wt_log_table)t, log->segment, &log->tables[t],
				       first + (t == WT_LOG_STACKS), err))
			return -1;
	}
	if (wt_log_stage_schemas(log, log->providers_written, err))
		return -1;
	for (uint32_t k = 0; k < log->n_kinds; k++) {
		if (stage_kind(log, k, err))
			return -1;
	}
	return 0;
}

static void count_stretch(struct wt_log_stretch *stretch, uint64_t n, uint64_t first, uint64_t last)
{
	if (!stretch->events || first < stretch->first_time)
		stretch->first_time = first;
	if (last > stretch->last_time)
		stretch->last_time = last;
	stretch->events += n;
}

/* Adds one set's part to the counters and empties the set. */
static void drop_set(struct wt_log_writer *log, struct wt_log_pending *pending, uint32_t *lost)
{
	struct wt_log_stats *stats = &log->stats;
	const struct wt_log_cols *set = &pending->cols;

	if (set->n) {
		const uint64_t *time = set->cols[WT_DISK_EVENT_TIME].words;

		if (stats->events == 0 || time[0] < stats->first_time)
			stats->first_time = time[0];
		if (time[set->n - 1] > stats->last_time)
			stats->last_time = time[set->n - 1];
		stats->events += set->n;
		log->segment_events += set->n;
		count_stretch(&log->stretches[log->n_stretches - 1], set->n, time[0], time[set->n - 1]);
		*lost = 0;
	}
	if (set->cap)
		wt_log_pending_clear(pending);
}

/* Pending rows and events are written. */
static void drop_written(struct wt_log_writer *log)
{
	log->providers_written = log->n_providers;
	for (uint32_t k = 0; k < log->n_kinds; k++)
		for (struct wt_log_pending *p = &log->pending[k]; p; p = p->next)
			drop_set(log, p, &log->pending[k].lost);
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++)
		wt_log_cols_clear(&log->tables[t]);
	log->pending_events = 0;
	log->pending_bytes = 0;
}

static bool any_pending(const struct wt_log_writer *log)
{
	if (log->pending_events)
		return true;
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++) {
		if (log->tables[t].n)
			return true;
	}
	return false;
}

struct positions {
	const struct wt_log_position *list;
	size_t n;
};

/* Without positions no checkpoint is written. */
static int write_pending(struct wt_log_writer *log, const struct positions *positions, struct wt_err *err)
{
	bool clock_due = !log->origin && wt_clock_now() - log->clock_written > CLOCK_INTERVAL;

	if (!any_pending(log))
		return 0;
	if (stage_pending(log, err) || (clock_due && wt_log_stage_clock(log, err)) ||
	    (positions && stage_checkpoint(log, positions->list, positions->n, err))) {
		wt_log_unstage(log);
		return -1;
	}
	if (wt_log_commit(log, err))
		return -1;
	drop_written(log);
	return 0;
}

void wt_log_set_level(struct wt_log_writer *log, int level)
{
	log->stored = level == WT_LOG_LEVEL_STORED;
	if (!log->stored)
		wt_log_packer_set_level(log->packer, level);
}

int wt_log_flush(struct wt_log_writer *log, const struct wt_log_position *positions, size_t n,
		 struct wt_err *err)
{
	return write_pending(log, &(struct positions){positions, n}, err);
}

uint64_t wt_log_drop_pending(struct wt_log_writer *log)
{
	uint64_t dropped = log->pending_events;

	for (uint32_t k = 0; k < log->n_kinds; k++) {
		uint64_t lost = log->pending[k].lost;

		for (struct wt_log_pending *p = &log->pending[k]; p; p = p->next) {
			lost += p->cols.n;
			if (p->cols.cap)
				wt_log_pending_clear(p);
		}
		log->pending[k].lost = lost > UINT32_MAX ? UINT32_MAX : (uint32_t)lost;
	}
	log->pending_bytes = 0;
	for (unsigned t = 0; t < WT_LOG_SYMBOLS; t++)
		log->pending_bytes += wt_log_cols_bytes(&log->tables[t]);
	log->pending_events = 0;
	log->stats.events_dropped += dropped;
	return dropped;
}

bool wt_log_segment_full(const struct wt_log_writer *log)
{
	return log->stats.bytes - log->segment_start >= log->options.segment_bytes;
}

int wt_log_next_segment(struct wt_log_writer *log, struct wt_err *err)
{
	if (any_pending(log))
		return wt_fail(err, WT_ERR_USAGE, "a log segment is closed only after a flush");
	if (wt_log_stage_segment_end(log, err)) {
		wt_log_unstage(log);
		return -1;
	}
	log->segment++;
	if (wt_log_begin_segment(log, err)) {
		log->segment--;
		return -1;
	}
	return 0;
}

uint32_t wt_log_segment(const struct wt_log_writer *log)
{
	return log->segment;
}

int wt_log_put_symbols(struct wt_log_writer *log, uint32_t segment, uint32_t first,
		       const struct wt_log_symbol *rows, size_t n, struct wt_err *err)
{
	struct wt_log_cols set;
	int rc = 0;

	if (log->finished)
		return wt_fail(err, WT_ERR_USAGE, "the log is finished: no symbols can be added");
	if (segment > log->segment || n > UINT32_MAX - first)
		return wt_fail(err, WT_ERR_USAGE,
			       "symbols for frames %u to %zu of segment %u, which is not there", first,
			       first + n, segment);
	if (wt_log_table_init(&set, WT_LOG_SYMBOLS, err))
		return -1;
	for (size_t i = 0; i < n && !rc; i++)
		rc = wt_log_symbol_row(&set, &rows[i], err);
	rc = rc ? rc : wt_log_stage_table(log, WT_LOG_SYMBOLS, segment, &set, first, err);
	wt_log_cols_deinit(&set);
	if (rc) {
		wt_log_unstage(log);
		return -1;
	}
	return wt_log_commit(log, err);
}

int wt_log_finish(struct wt_log_writer *log, struct wt_err *err)
{
	uint64_t bytes;
	uint32_t sequence;

	if (log->finished)
		return 0;
	if (write_pending(log, NULL, err))
		return -1;
	bytes = log->stats.bytes;
	sequence = log->sequence;
	if (wt_log_stage_segment_end(log, err)) {
		wt_log_unstage(log);
		return -1;
	}
	if (wt_log_commit(log, err))
		return -1;
	if (wt_log_write_index(log, err)) {
		/* A caller that makes room may write more events before the next try, so the segment is
		 * opened again. */
		wt_log_rewind(log, bytes, sequence);
		return -1;
	}
	log->finished = true;
	return 0;
}

const struct wt_log_dropped *wt_log_writer_dropped(const struct wt_log_writer *log)
{
	return &log->dropped;
}

const struct wt_log_stats *wt_log_writer_stats(const struct wt_log_writer *log)
{
	return &log->stats;
}
