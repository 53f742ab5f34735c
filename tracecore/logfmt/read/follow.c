// SPDX-License-Identifier: MIT
/* Takes up the blocks that were written to a log since it was opened. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracecore/logfmt/read/reader_impl.h"
#include "tracecore/logfmt/format/walk.h"

/* An index also stays, but the log is only complete with the end mark after it. */
static bool stays(const struct wt_disk_block_header *header, enum wt_log_growth growth)
{
	return header->type == WT_DISK_CHECKPOINT ||
	       (growth == WT_LOG_ARRIVES && header->type != WT_DISK_INDEX);
}

/* Finds the end of the last block from `followed` on; in a growing log, the end of the last checkpoint. A
 * recorder that takes over cuts off later blocks. */
static int find_last(struct wt_log_reader *log, enum wt_log_growth growth, uint64_t *ret, struct wt_err *err)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_place place;
	enum wt_log_step step;

	if (!walk)
		return wt_fail_nomem(err);
	*ret = log->followed;
	wt_log_walk_init(walk, log->fd, log->followed, log->info.file_bytes);
	do {
		step = wt_log_walk_next(walk, &place, err);
		if (step == WT_LOG_STEP_BLOCK && stays(&place.header, growth))
			*ret = place.offset + wt_log_block_extent(&place.header);
	} while (step == WT_LOG_STEP_BLOCK || step == WT_LOG_STEP_DAMAGE);
	free(walk);
	return step == WT_LOG_STEP_FAILED ? -1 : 0;
}

static int find_end(struct wt_log_reader *log, enum wt_log_growth growth, uint64_t *ret, struct wt_err *err)
{
	struct wt_disk_end_mark mark;
	struct stat st;

	if (fstat(log->fd, &st) < 0)
		return wt_fail_errno(err, "cannot read %s", log->name);
	if ((uint64_t)st.st_size < log->followed)
		return wt_fail(
			err, WT_ERR_FORMAT,
			"%s lost %llu bytes that had been read: another program than its recorder changed it",
			log->name, (unsigned long long)(log->followed - (uint64_t)st.st_size));
	log->info.file_bytes = (uint64_t)st.st_size;
	wt_log_bound_tables(log);
	log->info.complete = wt_log_read_end_mark(log->fd, log->info.file_bytes, &mark) &&
			     mark.index_offset >= log->followed;
	if (log->info.complete || growth == WT_LOG_ENDED) {
		*ret = log->info.complete ? mark.index_offset : log->info.file_bytes;
		return 0;
	}
	return find_last(log, growth, ret, err);
}

int wt_log_follow(struct wt_log_reader *log, enum wt_log_growth growth, struct wt_err *err)
{
	uint32_t first = log->n_refs;
	uint64_t end = log->followed;

	if (log->info.complete)
		return 1;
	if (find_end(log, growth, &end, err))
		return -1;
	if (end == log->followed)
		return 1;
	if (wt_log_list_more(log, log->followed, end, err))
		return -1;
	for (uint32_t i = first; i < log->n_refs; i++)
		wt_log_unload_segment(log, wt_log_segment_of(log, &log->refs[i]));
	log->followed = end;
	return 0;
}

uint64_t wt_log_followed(const struct wt_log_reader *log)
{
	return log->followed;
}

/* Numbers of blocks wrap. */
static bool is_later(uint32_t sequence, uint32_t than)
{
	return (int32_t)(sequence - than) > 0;
}

bool wt_log_succeeds(const struct wt_log_reader *log, const struct wt_log_reader *before,
		     struct wt_log_succession *ret)
{
	uint32_t last, i = 0;

	*ret = (struct wt_log_succession){.behind = log->followed};
	if (memcmp(log->info.session_id, before->info.session_id, sizeof(log->info.session_id)) ||
	    log->info.complete || !log->n_refs || !before->n_refs)
		return false;
	last = before->refs[before->n_refs - 1].header.sequence;
	while (i < log->n_refs && !is_later(log->refs[i].header.sequence, last))
		i++;
	if (i < log->n_refs)
		ret->behind = log->refs[i].offset;
	ret->gap = i == 0 && log->refs[0].header.sequence != last + 1;
	return true;
}
