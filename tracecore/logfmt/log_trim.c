// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tracecore/logfmt/log_writer_impl.h"

#define HEADER sizeof(struct wt_disk_file_header)
/* Bytes copied at a time. */
#define CHUNK (8u << 20)

/* The first segment that stays: the oldest from which on the file is small enough, or the current one. */
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

/* Everything is where it was, but closer to the begin. */
static void move(struct wt_log_writer *log, uint32_t first, uint64_t shift)
{
	for (uint32_t i = 0; i < first; i++)
		log->stats.trimmed_events += log->stretches[i].events;
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
	*ret = (struct wt_log_trimmed){.segments = first ? first : 1};
	for (uint32_t i = 0; i < first; i++)
		ret->events += log->stretches[i].events;
	for (uint32_t i = first; i < log->n_stretches; i++)
		if (log->stretches[i].events &&
		    (!ret->kept_from || log->stretches[i].first_time < ret->kept_from))
			ret->kept_from = log->stretches[i].first_time;
}

int wt_log_trim(struct wt_log_writer *log, uint64_t keep, int into,
		int (*publish)(void *ctx, struct wt_err *err), void *ctx, struct wt_log_trimmed *ret,
		struct wt_err *err)
{
	uint32_t first = first_kept(log, keep);
	uint64_t shift = log->stretches[first].offset - HEADER;
	struct wt_log_trimmed trimmed;

	if (!shift)
		return 1;
	if (copy_range(log->fd, into, 0, HEADER, err) ||
	    copy_range(log->fd, into, log->stretches[first].offset, log->stats.bytes, err) ||
	    publish(ctx, err))
		return -1;
	/* The old file has no name any more: what is written from here on has to go to the new one. */
	if (dup3(into, log->fd, O_CLOEXEC) < 0)
		return wt_fail_errno(err, "cannot go on with the trimmed log");
	tell(log, first, &trimmed);
	move(log, first, shift);
	if (trimmed.kept_from)
		log->stats.first_time = trimmed.kept_from;
	*ret = trimmed;
	return 0;
}
