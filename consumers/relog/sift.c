// SPDX-License-Identifier: MIT
#include "consumers/relog/sift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/model/sample.h"
#include "tracecore/base/grow.h"

enum { MAX_TOLD = 5 };

struct work {
	const struct wt_sift *sift;
	struct wt_log_sieve sieve;
	struct wt_log_fact told[MAX_TOLD];
	char before[32], after[32];
	uint8_t *of_pid;
	uint32_t n_of_pid;
};

/* ---- the sieve ---- */

/* Whether events are of the recording about itself. Marks are not: a user wrote their texts. */
static bool is_notice(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	const struct wt_kind *row = &segment->kinds.kinds[kind];

	(void)ctx;
	return !strcmp(row->provider->name, "wtrace") && row->event->id != WT_CORE_MARK;
}

/* Losses and blind spans outside of the time range do not concern this log. */
static void mask_losses(const struct wt_sift *sift, const struct wt_log_batch *batch, uint8_t *mask)
{
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	int from = wt_event_field(event, "from"), to = wt_event_field(event, "to");

	if (event->id != WT_CORE_LOST || from < 0 || to < 0 || !batch->columns[from].values ||
	    !batch->columns[to].values)
		return;
	for (uint32_t i = 0; i < batch->n; i++)
		mask[i] = batch->columns[to].values[i] >= sift->from &&
			  (!sift->to || batch->columns[from].values[i] < sift->to);
}

static int mask_pids(struct work *work, struct wt_view_segment *segment, const struct wt_log_batch *batch,
		     uint8_t *mask, struct wt_err *err)
{
	if (wt_grow(&work->of_pid, &work->n_of_pid, 0, batch->n, err) ||
	    wt_view_filter_mask(work->sift->pids, segment, batch, work->of_pid, err))
		return -1;
	for (uint32_t i = 0; i < batch->n; i++)
		mask[i] &= work->of_pid[i];
	return 0;
}

static int mask(void *ctx, const struct wt_log_batch *batch, bool always, uint8_t *ret, struct wt_err *err)
{
	struct work *work = ctx;
	const struct wt_sift *sift = work->sift;
	struct wt_view_segment *segment;

	if (always) {
		mask_losses(sift, batch, ret);
		return 0;
	}
	if (wt_view_file_segment(sift->file, batch->segment, &segment, err) ||
	    wt_view_filter_mask(sift->filter, segment, batch, ret, err))
		return -1;
	return sift->pids->where ? mask_pids(work, segment, batch, ret, err) : 0;
}

static enum wt_log_keep_stack keep_stack(void *ctx, const struct wt_log_segment *segment, uint32_t kind)
{
	(void)ctx;
	return wt_view_is_sample(segment, kind) ? WT_LOG_STACK_INNERMOST : WT_LOG_STACK_DROPPED;
}

/* ---- facts about events left out (LOGFORMAT.md), so that no reader concludes anything from their absence
 * ---- */

static void tell(struct work *work, const char *what)
{
	work->told[work->sieve.n_told++] = (struct wt_log_fact){
		.key = {"left_out", strlen("left_out")},
		.value = {what, strlen(what)},
	};
	work->sieve.told = work->told;
}

static void tell_left_out(struct work *work)
{
	const struct wt_sift *sift = work->sift;

	if (sift->filter->where || sift->filter->proved)
		tell(work, "events");
	if (sift->pids->where || sift->filter->no_self)
		tell(work, "processes");
	if (sift->select->mode != WT_SELECT_ALL)
		tell(work, "kinds");
	snprintf(work->before, sizeof(work->before), "before %llu", (unsigned long long)sift->from);
	snprintf(work->after, sizeof(work->after), "from %llu", (unsigned long long)sift->to);
	if (sift->from)
		tell(work, work->before);
	if (sift->to)
		tell(work, work->after);
}

/* ---- the log ---- */

static int bytes_of(struct wt_log_reader *log, uint64_t *ret, struct wt_err *err)
{
	*ret = 0;
	for (uint32_t i = 0; i < wt_log_info(log)->n_segments; i++) {
		struct wt_log_extent extent;

		if (wt_log_extent(log, i, &extent, err))
			return -1;
		*ret += extent.bytes;
	}
	return 0;
}

static int copy_segments(const struct work *work, struct wt_log_copy *copy, struct wt_err *err)
{
	const struct wt_sift *sift = work->sift;
	uint64_t done = 0, all;

	if (bytes_of(sift->log, &all, err))
		return -1;
	for (uint32_t i = 0; i < wt_log_info(sift->log)->n_segments; i++) {
		struct wt_log_extent extent;

		if (wt_log_extent(sift->log, i, &extent, err) ||
		    wt_log_copy_segment(copy, sift->log, i, sift->file ? &work->sieve : NULL, err))
			return -1;
		/* Views keep what they have read of a segment. */
		if (!sift->file)
			wt_log_unload_segment(sift->log, i);
		done += extent.bytes;
		wt_listener_tell(&sift->listener, done, all);
	}
	return 0;
}

int wt_sift_write(const struct wt_sift *sift, int fd, uint64_t *events, struct wt_err *err)
{
	const struct wt_log_info *info = wt_log_info(sift->log);
	struct work work = {.sift = sift};
	struct wt_log_copy *copy;
	int rc;

	work.sieve = (struct wt_log_sieve){
		.filter = {.from = sift->from,
			   .to = sift->to,
			   .want = wt_view_select_want,
			   .ctx = sift->select},
		.always = is_notice,
		.mask = mask,
		.stack = sift->drop_stacks ? keep_stack : NULL,
		.ctx = &work,
	};
	if (sift->file)
		tell_left_out(&work);
	if (wt_log_copy_create(fd, info->session_id, &info->clock, &copy, err))
		return -1;
	rc = copy_segments(&work, copy, err) || wt_log_copy_finish(copy, events, err) ? -1 : 0;
	wt_log_copy_destroy(copy);
	free(work.of_pid);
	return rc;
}
