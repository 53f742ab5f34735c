// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/read/census.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/format/walk.h"

static const char *const block_names[] = {
	[WT_LOG_NO_BLOCK] = "file header, end mark, damage",
	[WT_DISK_SEGMENT_BEGIN] = "segments",
	[WT_DISK_SCHEMA] = "schemas",
	[WT_DISK_CLOCK] = "clock sets",
	[WT_DISK_PROCESSES] = "processes",
	[WT_DISK_THREADS] = "threads",
	[WT_DISK_IMAGES] = "images",
	[WT_DISK_FRAMES] = "frames",
	[WT_DISK_STACKS] = "stacks",
	[WT_DISK_EVENTS] = "events",
	[WT_DISK_CHECKPOINT] = "checkpoints",
	[WT_DISK_SEGMENT_END] = "segment ends",
	[WT_DISK_SYMBOLS] = "symbols",
	[WT_DISK_INDEX] = "index",
	[WT_DISK_RANGES] = "ranges",
	[WT_DISK_DROPPED] = "what was dropped",
};

const char *wt_log_block_name(uint16_t type)
{
	return type < sizeof(block_names) / sizeof(block_names[0]) ? block_names[type] : "other";
}

const char *wt_log_census_provider(const struct wt_log_census *census, const struct wt_log_census_line *line)
{
	return wt_strings_get(&census->names, line->names, NULL);
}

const char *wt_log_census_event(const struct wt_log_census *census, const struct wt_log_census_line *line)
{
	const char *provider = wt_log_census_provider(census, line);

	return *provider ? provider + strlen(provider) + 1 : "";
}

void wt_log_census_deinit(struct wt_log_census *census)
{
	free(census->lines);
	wt_strings_deinit(&census->names);
	*census = (struct wt_log_census){0};
}

static struct wt_log_census_line *line_of(struct wt_log_census *census, uint16_t type, uint32_t names)
{
	for (uint32_t i = 0; i < census->n; i++)
		if (census->lines[i].type == type && census->lines[i].names == names)
			return &census->lines[i];
	if (wt_grow(&census->lines, &census->cap, census->n, 1, NULL))
		return NULL;
	census->lines[census->n] = (struct wt_log_census_line){.type = type, .names = names};
	return &census->lines[census->n++];
}

/* The id of "provider\0event" of a kind. A kind with a damaged schema also gets a name. */
static uint32_t name_kind(struct wt_log_census *census, const struct wt_log_segment *segment, uint32_t kind)
{
	struct wt_buf text = {0};
	uint32_t id = WT_INTERN_NONE;
	bool fresh;

	if (wt_log_kind_known(segment, kind)) {
		const struct wt_kind *known = &segment->kinds.kinds[kind];

		wt_buf_put(&text, known->provider->name, strlen(known->provider->name) + 1);
		wt_buf_puts(&text, known->event->name);
	} else {
		wt_buf_put(&text, "?", 2);
		wt_buf_printf(&text, "kind %u", kind);
	}
	if (!text.failed)
		id = wt_strings_add(&census->names, text.data, text.len, &fresh);
	wt_buf_deinit(&text);
	return id;
}

/* The line numbers of one segment's kinds, each looked up once. */
struct kinds {
	uint32_t *line; /* plus 1 */
	uint32_t n;
};

static struct wt_log_census_line *line_of_kind(struct wt_log_census *census, struct kinds *kinds,
					       const struct wt_log_segment *segment, uint32_t kind)
{
	struct wt_log_census_line *line;
	uint32_t names;

	if (kind < kinds->n && kinds->line[kind])
		return &census->lines[kinds->line[kind] - 1];
	names = name_kind(census, segment, kind);
	line = names == WT_INTERN_NONE ? NULL : line_of(census, WT_DISK_EVENTS, names);
	if (line && kind < kinds->n)
		kinds->line[kind] = (uint32_t)(line - census->lines) + 1;
	return line;
}

static void count_block(struct wt_log_census_line *line, const struct wt_disk_block_header *header)
{
	line->blocks++;
	line->count += header->count;
	line->raw_bytes += header->raw_size;
	line->bytes += wt_log_block_extent(header);
	if (header->type != WT_DISK_EVENTS)
		return;
	line->lost += header->lost;
	if (line->blocks == 1 || header->time_min < line->first_time)
		line->first_time = header->time_min;
	if (header->time_max > line->last_time)
		line->last_time = header->time_max;
}

static int count_segment(struct wt_log_reader *log, struct wt_log_census *census, uint32_t i,
			 struct wt_err *err)
{
	const struct wt_log_segment *segment;
	struct kinds kinds = {0};
	int rc = 0;

	if (wt_log_load_segment(log, i, &segment, err))
		return -1;
	kinds.n = segment->kinds.n;
	kinds.line = calloc(kinds.n + (size_t)1, sizeof(*kinds.line));
	if (!kinds.line)
		return wt_fail_nomem(err);
	for (uint32_t r = log->segments[i].first; r != WT_LOG_NONE && !rc; r = log->refs[r].next) {
		const struct wt_disk_block_header *header = &log->refs[r].header;
		struct wt_log_census_line *line = header->type == WT_DISK_EVENTS
							  ? line_of_kind(census, &kinds, segment,
									 header->kind)
							  : line_of(census, header->type, WT_INTERN_NONE);

		if (line)
			count_block(line, header);
		rc = line ? 0 : wt_fail_nomem(err);
	}
	free(kinds.line);
	wt_log_unload_segment(log, i);
	return rc;
}

/* Counts INDEX blocks and those of no segment, then the rest of the file. */
static int count_rest(struct wt_log_reader *log, struct wt_log_census *census, struct wt_err *err)
{
	struct wt_log_census_line *line;
	struct wt_disk_end_mark mark;
	uint64_t bytes = 0, index = 0;

	if (wt_log_read_end_mark(log->fd, log->info.file_bytes, &mark)) {
		index = mark.file_bytes - sizeof(mark) - mark.index_offset;
		line = line_of(census, WT_DISK_INDEX, WT_INTERN_NONE);
		if (!line)
			return wt_fail_nomem(err);
		line->blocks = mark.index_blocks;
		line->count = log->n_refs;
		line->bytes = index;
	}
	if (log->n_refs && log->refs[0].header.type == WT_DISK_DROPPED) {
		line = line_of(census, WT_DISK_DROPPED, WT_INTERN_NONE);
		if (!line)
			return wt_fail_nomem(err);
		count_block(line, &log->refs[0].header);
	}
	for (uint32_t i = 0; i < census->n; i++)
		bytes += census->lines[i].bytes;
	line = line_of(census, WT_LOG_NO_BLOCK, WT_INTERN_NONE);
	if (!line)
		return wt_fail_nomem(err);
	line->bytes = log->info.file_bytes - bytes;
	return 0;
}

/* Events come first. Otherwise the order is kept. */
static void sort_lines(struct wt_log_census *census)
{
	struct wt_log_census_line *lines = census->lines;

	for (uint32_t i = 1, events = 0; i <= census->n; i++) {
		struct wt_log_census_line line = lines[i - 1];

		if (line.type != WT_DISK_EVENTS)
			continue;
		memmove(&lines[events + 1], &lines[events], (i - 1 - events) * sizeof(*lines));
		lines[events++] = line;
	}
}

int wt_log_census_take(struct wt_log_reader *log, struct wt_log_census *ret, struct wt_err *err)
{
	*ret = (struct wt_log_census){0};
	for (uint32_t i = 0; i < log->info.n_segments; i++)
		if (count_segment(log, ret, i, err)) {
			wt_log_census_deinit(ret);
			return -1;
		}
	if (count_rest(log, ret, err)) {
		wt_log_census_deinit(ret);
		return -1;
	}
	sort_lines(ret);
	return 0;
}
