// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/resume.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/format/walk.h"
#include "tracecore/logfmt/write/writer_impl.h"

/* The part of the file that is kept: up to and with its last readable checkpoint. */
struct kept {
	uint64_t end;                   /* file bytes */
	uint32_t sequence;              /* of the next block */
	uint32_t segments;              /* number of the next segment */
	bool blocks;                    /* keep every whole block, not only up to a checkpoint */
	uint64_t first_time, last_time; /* of its events; 0 when none */
	struct wt_log_position *positions;
	size_t n;
};

static int take_positions(struct kept *kept, const struct wt_disk_block_header *header, const uint8_t *raw,
			  struct wt_err *err)
{
	struct wt_cursor cur = wt_cursor(raw, header->raw_size);
	struct wt_log_position *positions = calloc((size_t)header->count + 1, sizeof(*positions));

	if (!positions)
		return wt_fail_nomem(err);
	for (uint32_t i = 0; i < header->count; i++) {
		positions[i].source = wt_cur_u32(&cur);
		wt_cur_u32(&cur);
		positions[i].position = wt_cur_u64(&cur);
	}
	free(kept->positions);
	kept->positions = positions;
	kept->n = header->count;
	return 0;
}

/* 0 read, 1 not a valid checkpoint, -1 failed. */
static int read_checkpoint(struct wt_log_writer *log, struct wt_log_unpacker *unpacker,
			   const struct wt_log_place *place, struct kept *kept, struct wt_err *err)
{
	const struct wt_disk_block_header *header = &place->header;
	char what[WT_LOG_WHAT_SIZE];
	const uint8_t *raw;
	int rc = wt_log_unpack(unpacker, log->fd, place->offset, header, &raw, what, err);

	if (rc)
		return rc;
	if (header->raw_size != (uint64_t)header->count * sizeof(struct wt_disk_position))
		return 1;
	return take_positions(kept, header, raw, err);
}

static int find_kept(struct wt_log_writer *log, struct wt_log_walk *walk, struct wt_log_unpacker *unpacker,
		     struct kept *kept, struct wt_err *err)
{
	uint64_t first_time = 0, last_time = 0;
	uint32_t segments = 0;
	struct wt_log_place place;
	enum wt_log_step step;

	while ((step = wt_log_walk_next(walk, &place, err)) != WT_LOG_STEP_END && step != WT_LOG_STEP_CUT) {
		int rc = 1;

		if (step == WT_LOG_STEP_FAILED)
			return -1;
		if (step == WT_LOG_STEP_DAMAGE)
			continue;
		if (place.header.segment != WT_DISK_NO_SEGMENT && place.header.segment >= segments)
			segments = place.header.segment + 1;
		if (place.header.type == WT_DISK_EVENTS) {
			if (!first_time || place.header.time_min < first_time)
				first_time = place.header.time_min;
			if (place.header.time_max > last_time)
				last_time = place.header.time_max;
		}
		if (place.header.type == WT_DISK_CHECKPOINT)
			rc = read_checkpoint(log, unpacker, &place, kept, err);
		if (rc < 0)
			return -1;
		if (rc && (!kept->blocks || place.header.type == WT_DISK_INDEX))
			continue;
		kept->end = walk->offset;
		kept->sequence = place.header.sequence + 1;
		kept->segments = segments;
		kept->first_time = first_time;
		kept->last_time = last_time;
	}
	return 0;
}

static int scan_file(struct wt_log_writer *log, struct kept *kept, struct wt_err *err)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_unpacker *unpacker = NULL;
	struct wt_disk_file_header header;
	struct stat st;
	bool damaged;
	int rc = -1;

	if (!walk) {
		wt_fail_nomem(err);
	} else if (fstat(log->fd, &st) < 0) {
		wt_fail_errno(err, "cannot use the log's file descriptor");
	} else if (!wt_log_read_file_header(log->fd, "the log to go on with", &header, &damaged, err) &&
		   !wt_log_unpacker_create(&unpacker, err)) {
		kept->end = header.header_size;
		wt_log_walk_init(walk, log->fd, header.header_size, (uint64_t)st.st_size);
		rc = find_kept(log, walk, unpacker, kept, err);
	}
	wt_log_unpacker_destroy(unpacker);
	free(walk);
	return rc;
}

/* Reads the segments of earlier writers, and the record of those dropped before them. */
static int take_stretches(struct wt_log_writer *log, struct wt_log_reader *file, struct wt_err *err)
{
	for (uint32_t i = 0; i < file->info.n_segments; i++) {
		const struct wt_log_tables *tables = &file->segments[i];
		const struct wt_log_ref *first = &file->refs[tables->first];
		struct wt_log_stretch stretch = {.offset = first->offset,
						 .number = tables->segment.number,
						 .sequence = first->header.sequence,
						 .events = tables->span.events,
						 .first_time = tables->span.first_time,
						 .last_time = tables->span.last_time};

		if (wt_log_add_stretch(log, &stretch, err))
			return -1;
	}
	return wt_log_read_dropped(file, &log->dropped, err);
}

static int read_earlier(struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_log_reader *file;
	int fd = dup(log->fd), rc;

	if (fd < 0)
		return wt_fail_errno(err, "cannot use the log's file descriptor");
	if (wt_log_open_fd(fd, "the log to go on with", &file, err))
		return -1;
	rc = take_stretches(log, file, err);
	wt_log_close(file);
	return rc;
}

static int go_on(struct wt_log_writer *log, struct kept *kept, struct wt_err *err)
{
	if (scan_file(log, kept, err))
		return -1;
	if (ftruncate(log->fd, (off_t)kept->end) < 0)
		return wt_fail_errno(err, "cannot cut the log at its last checkpoint");
	log->stats.bytes = kept->end;
	log->stats.first_time = kept->first_time;
	log->stats.last_time = kept->last_time;
	log->sequence = kept->sequence;
	log->segment = log->first_segment = kept->segments;
	/* A writer that only reports the end of the log drops nothing. */
	if (!kept->blocks && read_earlier(log, err))
		return -1;
	return wt_log_begin_segment(log, err);
}

int wt_log_reopen(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_err *err)
{
	struct kept kept = {.blocks = true};
	struct wt_log_writer *log;
	int rc;

	if (wt_log_writer_alloc(fd, kinds, options, &log, err))
		return -1;
	rc = go_on(log, &kept, err);
	free(kept.positions);
	if (rc)
		wt_log_writer_destroy(log);
	else
		*ret = log;
	return rc;
}

int wt_log_resume(int fd, const struct wt_kinds *kinds, const struct wt_log_options *options,
		  struct wt_log_writer **ret, struct wt_log_position **positions, size_t *n,
		  struct wt_err *err)
{
	struct kept kept = {0};
	struct wt_log_writer *log;

	if (wt_log_writer_alloc(fd, kinds, options, &log, err))
		return -1;
	if (go_on(log, &kept, err)) {
		free(kept.positions);
		wt_log_writer_destroy(log);
		return -1;
	}
	*ret = log;
	*positions = kept.positions;
	*n = kept.n;
	return 0;
}
