// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/rewrite/trim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/write/writer_impl.h"
#include "tracecore/base/write_all.h"

#define HEADER sizeof(struct wt_disk_file_header)
/* Bytes copied at a time. */
#define CHUNK (8u << 20)

/* The first segment that stays: the oldest with which the file is small enough, or the current one. */
static uint32_t first_kept(const struct wt_log_writer *log, uint64_t keep)
{
	uint32_t i = 0;

	while (i + 1 < log->n_stretches && HEADER + log->stats.bytes - log->stretches[i].offset > keep)
		i++;
	return i;
}

static int copy_range(int from, int to, uint64_t offset, uint64_t end, struct wt_err *err)
{
	while (offset < end) {
		off_t at = (off_t)offset;
		ssize_t n = copy_file_range(from, &at, to, NULL, end - offset < CHUNK ? end - offset : CHUNK,
					    0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : EIO;
			return wt_fail_errno(err, "cannot copy the younger part of the log");
		}
		offset += (uint64_t)n;
	}
	return 0;
}

/* All parts keep their order, but move towards the begin of the file. */
static void move(struct wt_log_writer *log, uint32_t first, uint64_t shift)
{
	log->n_stretches -= first;
	for (uint32_t i = 0; i < log->n_stretches; i++) {
		log->stretches[i] = log->stretches[i + first];
		log->stretches[i].offset -= shift;
	}
	log->stats.bytes -= shift;
	log->segment_start -= shift;
}

static void tell(const struct wt_log_writer *log, uint32_t first, struct wt_log_trimmed *ret)
{
	*ret = (struct wt_log_trimmed){.segments = first};
	for (uint32_t i = 0; i < first; i++)
		ret->events += log->stretches[i].events;
	for (uint32_t i = first; i < log->n_stretches; i++)
		if (log->stretches[i].events &&
		    (!ret->kept_from || log->stretches[i].first_time < ret->kept_from))
			ret->kept_from = log->stretches[i].first_time;
}

static int count_again(const struct wt_log_dropped *from, struct wt_log_dropped *ret, struct wt_err *err)
{
	ret->segments = from->segments;
	ret->events = from->events;
	for (uint32_t i = 0; i < from->tally.keys.count; i++) {
		const struct wt_log_tally_line *line = &from->tally.lines[i];
		const char *provider = wt_log_tally_provider(&from->tally, line);
		const char *name = wt_log_tally_name(&from->tally, line);

		if (wt_log_tally_add(&ret->tally, wt_str(provider), wt_str(name), line->cpu, line->events,
				     line->earlier, err))
			return -1;
	}
	return wt_log_lost_add_all(&ret->lost, &from->lost, err);
}

/* Counts the file's segments before the one with that number. */
static int count_segments(struct wt_log_writer *log, uint32_t before, wt_log_tally_by *by,
			  struct wt_log_dropped *ret, struct wt_err *err)
{
	struct wt_log_tallying how = {.by = by, .headers = true};
	struct wt_log_reader *file;
	int fd = dup(log->fd), rc = 0;

	if (fd < 0)
		return wt_fail_errno(err, "cannot use the log's file descriptor");
	if (wt_log_open_fd(fd, "the log that is to become shorter", &file, err))
		return -1;
	for (uint32_t i = 0; i < file->info.n_segments && !rc; i++) {
		uint32_t number = file->segments[i].segment.number;

		how.earlier = number < log->first_segment;
		if (number < before)
			rc = wt_log_tally_segment(file, i, &how, &ret->tally, err) ||
			     wt_log_lost_segment(file, i, &ret->lost, err);
	}
	wt_log_close(file);
	return rc ? -1 : 0;
}

/* Makes the record of dropped events, a block before the segments that stay. */
static int put_record(struct wt_log_writer *log, const struct wt_log_stretch *next,
		      const struct wt_log_dropped *dropped, struct wt_buf *out, struct wt_err *err)
{
	struct wt_disk_block_header header = wt_log_stage_header(log, WT_DISK_DROPPED);
	int rc;

	header.segment = WT_DISK_NO_SEGMENT;
	header.sequence = next->sequence - 1;
	header.count = dropped->tally.keys.count;
	wt_buf_clear(&log->raw);
	wt_log_dropped_put(dropped, &log->raw);
	rc = log->raw.failed ? wt_fail_nomem(err) : 0;
	if (!rc && log->raw.len > WT_DISK_MAX_RAW)
		rc = wt_fail(err, WT_ERR_LIMIT, "the names of dropped events take %zu bytes; a log holds %d",
			     log->raw.len, WT_DISK_MAX_RAW);
	return rc ? rc
		  : wt_log_pack(log->packer, out, &header, log->raw.data, log->raw.len,
				(struct wt_log_cuts){0}, err);
}

static int put_bytes(int fd, const struct wt_buf *record, struct wt_err *err)
{
	return wt_write_all(fd, record->data, record->len)
		       ? wt_fail_errno(err, "cannot write the record of dropped events")
		       : 0;
}

/* Writes the new file and makes it the log. */
static int make_shorter(struct wt_log_writer *log, uint32_t first, const struct wt_buf *record,
			const struct wt_log_trimming *how, struct wt_err *err)
{
	if (copy_range(log->fd, how->into, 0, HEADER, err) || put_bytes(how->into, record, err) ||
	    copy_range(log->fd, how->into, log->stretches[first].offset, log->stats.bytes, err) ||
	    how->publish(how->ctx, err))
		return -1;
	/* The old file no longer has a name: later writes must go to the new file. */
	if (dup3(how->into, log->fd, O_CLOEXEC) < 0)
		return wt_fail_errno(err, "cannot go on with the trimmed log");
	return 0;
}

static int drop(struct wt_log_writer *log, uint32_t first, const struct wt_log_trimming *how,
		struct wt_log_dropped *dropped, struct wt_buf *record, struct wt_err *err)
{
	const struct wt_log_stretch *next = &log->stretches[first];

	if (count_again(&log->dropped, dropped, err) ||
	    count_segments(log, next->number, how->by, dropped, err))
		return -1;
	dropped->segments += first;
	for (uint32_t i = 0; i < first; i++)
		dropped->events += log->stretches[i].events;
	return put_record(log, next, dropped, record, err) || make_shorter(log, first, record, how, err) ? -1
													 : 0;
}

int wt_log_trim(struct wt_log_writer *log, const struct wt_log_trimming *how, struct wt_log_trimmed *ret,
		struct wt_err *err)
{
	uint32_t first = first_kept(log, how->keep);
	struct wt_log_dropped dropped = {0};
	struct wt_buf record = {0};

	if (!first)
		return 1;
	if (drop(log, first, how, &dropped, &record, err)) {
		wt_log_dropped_deinit(&dropped);
		wt_buf_deinit(&record);
		return -1;
	}
	tell(log, first, ret);
	wt_log_dropped_deinit(&log->dropped);
	log->dropped = dropped;
	log->stats.trimmed_events += ret->events;
	log->stats.trimmed_segments += ret->segments;
	if (ret->kept_from)
		log->stats.first_time = ret->kept_from;
	move(log, first, log->stretches[first].offset - HEADER - record.len);
	wt_buf_deinit(&record);
	return 0;
}
