// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_rows.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/region_rows.h"
#include "consumers/analysis/wait_batch.h"
#include "tracecore/base/foreign.h"

static uint64_t number(const struct wt_log_batch *batch, uint32_t i, enum wt_wait_field field)
{
	return batch->columns[field].values[i];
}

static struct wt_pause_turn turn_of(const struct wt_wait_rows *waits, const struct wt_log_batch *batch,
				    uint32_t i)
{
	uint32_t segment = 0;

	while (&waits->segments[segment].shadow != batch->segment)
		segment++;
	return (struct wt_pause_turn){
		.tid = batch->segment->threads[batch->thread[i]].tid,
		.from = batch->time[i],
		.blocked = number(batch, i, WT_WAIT_BLOCKED),
		.ready = number(batch, i, WT_WAIT_READY),
		.unknown = number(batch, i, WT_WAIT_UNKNOWN),
		.running = number(batch, i, WT_WAIT_RUNNING),
		.cpu = batch->cpu[i] == WT_CPU_NONE ? WT_PAUSE_NONE : batch->cpu[i],
		.priority = (uint32_t)number(batch, i, WT_WAIT_PRIORITY),
		.waker = (uint32_t)number(batch, i, WT_WAIT_WAKER_TID),
		.context = (uint8_t)number(batch, i, WT_WAIT_WAKER_CONTEXT),
		.source = (uint8_t)number(batch, i, WT_WAIT_WAKER_SOURCE),
		.kind = (uint8_t)number(batch, i, WT_WAIT_KIND),
		.ready_by = (uint8_t)number(batch, i, WT_WAIT_READY_BY),
		.probable = number(batch, i, WT_WAIT_CERTAINTY) == WT_WAIT_PROBABLE,
		.segment = segment,
		.thread = batch->thread[i],
		.stack = batch->stack[i],
		.lock = {number(batch, i, WT_WAIT_LOCK), number(batch, i, WT_WAIT_OWNER_READ),
			 (uint32_t)number(batch, i, WT_WAIT_OWNER),
			 (uint8_t)number(batch, i, WT_WAIT_OWNER_IS)},
	};
}

/* ---- the longest waits ---- */

struct finding {
	struct wt_pause_search *search;
	const struct wt_wait_rows *waits;
};

static bool matches(const char *asked, const struct wt_log_thread *thread)
{
	char *rest;
	unsigned long tid = asked ? strtoul(asked, &rest, 10) : 0;

	if (!asked || (*asked && !*rest && tid == thread->tid))
		return true;
	return strlen(asked) == thread->name.len && !memcmp(asked, thread->name.p, thread->name.len);
}

static bool is_longer(const struct wt_pause_stretch *a, const struct wt_pause_stretch *b)
{
	if (a->to - a->from != b->to - b->from)
		return a->to - a->from > b->to - b->from;
	return a->from != b->from ? a->from < b->from : a->tid < b->tid;
}

static void keep(struct wt_pause_search *search, const struct wt_pause_stretch *one)
{
	uint32_t i = search->n_found;

	if (one->from >= one->to || !search->most)
		return;
	if (i == search->most && !is_longer(one, &search->found[i - 1]))
		return;
	i = i == search->most ? i - 1 : i;
	search->n_found = i + 1;
	for (; i && is_longer(one, &search->found[i - 1]); i--)
		search->found[i] = search->found[i - 1];
	search->found[i] = *one;
}

static int find_in(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct finding *finding = ctx;
	struct wt_pause_search *search = finding->search;

	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_pause_turn turn = turn_of(finding->waits, batch, i);
		struct wt_pause_stretch one = {turn.tid, number(batch, i, WT_WAIT_OPEN), turn.from,
					       turn.from + turn.blocked + turn.ready + turn.unknown};
		bool fresh;

		if (!matches(search->thread, &batch->segment->threads[batch->thread[i]]) ||
		    turn.from + number(batch, i, WT_WAIT_LIFE) <= search->from ||
		    (search->to && turn.from >= search->to))
			continue;
		if (wt_intern(&search->tids, turn.tid, 0, &fresh) == WT_INTERN_NONE)
			return wt_fail_nomem(err);
		one.open |= one.from < search->from || (search->to && one.to > search->to);
		one.from = one.from > search->from ? one.from : search->from;
		one.to = search->to && one.to > search->to ? search->to : one.to;
		keep(search, &one);
	}
	return 0;
}

int wt_pause_find(struct wt_pause_search *search, struct wt_wait_rows *waits, struct wt_err *err)
{
	struct finding finding = {search, waits};

	search->found = calloc(search->most + (size_t)1, sizeof(*search->found));
	if (!search->found)
		return wt_fail_nomem(err);
	return wt_wait_rows_scan(waits, find_in, &finding, err);
}

/* ---- the longest regions ---- */

struct regions {
	struct wt_pause_search *search;
	struct wt_region_rows rows;
	struct wt_view_file file;
	const char *name;
};

static int find_regions_in(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	const struct regions *regions = ctx;
	struct wt_pause_search *search = regions->search;
	const struct wt_event_desc *event = batch->segment->kinds.kinds[batch->kind].event;
	int name = wt_event_field(event, "region"), end_tid = wt_event_field(event, "end_tid");

	for (uint32_t i = 0; i < batch->n && name >= 0 && end_tid >= 0; i++) {
		const struct wt_log_thread *thread = &batch->segment->threads[batch->thread[i]];
		const struct wt_region_extent *extent = &regions->rows.extents[i];
		struct wt_value value;
		bool fresh;

		if (extent->state != WT_REGION_WHOLE || !matches(search->thread, thread) ||
		    wt_log_value(batch, i, (uint32_t)name, &value) || value.len != strlen(regions->name) ||
		    memcmp(value.bytes, regions->name, value.len) != 0)
			continue;
		if (wt_intern(&search->tids, thread->tid, 0, &fresh) == WT_INTERN_NONE)
			return wt_fail_nomem(err);
		keep(search, &(struct wt_pause_stretch){(uint32_t)batch->columns[end_tid].values[i], false,
							extent->from, extent->to});
	}
	return 0;
}

int wt_pause_find_regions(struct wt_pause_search *search, struct wt_log_reader *log, const char *region,
			  struct wt_err *err)
{
	const struct wt_view_options options = {0};
	const struct wt_region_pairs pairs = {0};
	struct regions *regions = calloc(1, sizeof(*regions));
	int failed;

	search->found = calloc(search->most + (size_t)1, sizeof(*search->found));
	if (!regions || !search->found) {
		free(regions);
		return wt_fail_nomem(err);
	}
	regions->search = search;
	regions->name = region;
	failed = wt_view_file_init(&regions->file, log, &options, err) ||
		 wt_region_rows_init(&regions->rows, &regions->file, &pairs, err);
	if (!failed) {
		regions->rows.from = search->from;
		regions->rows.to = search->to;
		failed = wt_region_rows_scan(&regions->rows, find_regions_in, regions, err);
	}
	wt_view_file_deinit(&regions->file);
	wt_region_rows_deinit(&regions->rows);
	free(regions);
	return failed ? -1 : 0;
}

void wt_pause_search_deinit(struct wt_pause_search *search)
{
	free(search->found);
	wt_intern_deinit(&search->tids);
	*search = (struct wt_pause_search){0};
}

/* ---- the turns of a stretch ---- */

struct gathering {
	struct wt_pause_path *path;
	const struct wt_wait_rows *waits;
	uint64_t from, to;
};

static int gather_from(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct gathering *gathering = ctx;

	for (uint32_t i = 0; i < batch->n; i++) {
		struct wt_pause_turn turn;

		if (batch->time[i] >= gathering->to ||
		    batch->time[i] + number(batch, i, WT_WAIT_LIFE) <= gathering->from)
			continue;
		turn = turn_of(gathering->waits, batch, i);
		if (wt_pause_add(gathering->path, &turn, err))
			return -1;
	}
	return 0;
}

int wt_pause_gather(struct wt_pause_path *path, struct wt_wait_rows *waits, uint64_t from, uint64_t to,
		    struct wt_err *err)
{
	struct gathering gathering = {path, waits, from, to};

	return wt_wait_rows_scan(waits, gather_from, &gathering, err) || wt_pause_settle(path, err) ? -1 : 0;
}

/* ---- names ---- */

const struct wt_log_thread *wt_pause_thread(const struct wt_wait_rows *waits, uint32_t tid, uint64_t time,
					    const struct wt_log_process **process)
{
	const struct wt_log_thread *best = NULL;

	for (uint32_t s = 0; s < waits->n_segments; s++)
		for (uint32_t t = 0; t < waits->segments[s].real->n_threads; t++) {
			const struct wt_log_thread *thread = &waits->segments[s].real->threads[t];

			if (thread->tid != tid ||
			    (best && (thread->start_time > time || thread->start_time < best->start_time)))
				continue;
			best = thread;
			*process = &waits->segments[s].real->processes[thread->process];
		}
	return best;
}

void wt_pause_thread_text(const struct wt_wait_rows *waits, uint32_t tid, uint64_t time, struct wt_buf *out)
{
	const struct wt_log_process *process;
	const struct wt_log_thread *thread = wt_pause_thread(waits, tid, time, &process);

	if (thread)
		wt_text_escape(out, thread->name.p, thread->name.len);
	else
		wt_buf_puts(out, "?");
	wt_buf_printf(out, " (%u)", tid);
}
