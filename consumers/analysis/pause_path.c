// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_path.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/analysis/wait_kind.h"
#include "consumers/analysis/wait_machine.h"
#include "consumers/analysis/wait_source.h"
#include "tracecore/base/bound.h"
#include "tracecore/base/grow.h"

/* ---- turns ---- */

static uint64_t end_of(const struct wt_pause_turn *turn)
{
	return turn->from + turn->blocked + turn->ready + turn->unknown + turn->running;
}

static uint64_t run_of(const struct wt_pause_turn *turn)
{
	return end_of(turn) - turn->running;
}

int wt_pause_add(struct wt_pause_path *path, const struct wt_pause_turn *turn, struct wt_err *err)
{
	if (wt_grow(&path->turns, &path->turns_cap, path->n_turns, 1, err))
		return -1;
	path->turns[path->n_turns++] = *turn;
	return 0;
}

static int by_tid_and_time(const void *x, const void *y)
{
	const struct wt_pause_turn *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->from > b->from) - (a->from < b->from);
}

static int by_cpu_and_time(const void *x, const void *y, void *ctx)
{
	const struct wt_pause_turn *turns = ctx, *a = &turns[*(const uint32_t *)x],
				   *b = &turns[*(const uint32_t *)y];

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (run_of(a) > run_of(b)) - (run_of(a) < run_of(b));
}

int wt_pause_settle(struct wt_pause_path *path, struct wt_err *err)
{
	path->runs = calloc(path->n_turns + (size_t)1, sizeof(*path->runs));
	if (!path->runs)
		return wt_fail_nomem(err);
	if (path->n_turns)
		qsort(path->turns, path->n_turns, sizeof(*path->turns), by_tid_and_time);
	for (uint32_t i = 0; i < path->n_turns; i++)
		if (path->turns[i].running && path->turns[i].cpu != WT_PAUSE_NONE)
			path->runs[path->n_runs++] = i;
	qsort_r(path->runs, path->n_runs, sizeof(*path->runs), by_cpu_and_time, path->turns);
	return 0;
}

/* The number of turns of smaller tids, and of this tid that begin before the moment. */
static uint32_t bound(const struct wt_pause_path *path, uint32_t tid, uint64_t time)
{
	return WT_BOUND(i, 0, path->n_turns,
			path->turns[i].tid < tid ||
				(path->turns[i].tid == tid && path->turns[i].from < time));
}

/* The turn of the thread that begins last before the moment; WT_PAUSE_NONE: none does. */
static uint32_t turn_before(const struct wt_pause_path *path, uint32_t tid, uint64_t time)
{
	uint32_t end = bound(path, tid, time);

	return end && path->turns[end - 1].tid == tid ? end - 1 : WT_PAUSE_NONE;
}

/* The part of a turn with from < time <= to. */
static enum wt_pause_state part_at(const struct wt_pause_turn *turn, uint64_t time, uint64_t *from,
				   uint64_t *to)
{
	const struct {
		enum wt_pause_state state;
		uint64_t length;
	} parts[] = {{WT_PAUSE_BLOCKED, turn->blocked},
		     {WT_PAUSE_READY, turn->ready},
		     {WT_PAUSE_UNKNOWN, turn->unknown},
		     {WT_PAUSE_RUNNING, turn->running}};
	int p = 0;

	*from = turn->from;
	for (*to = *from + parts[0].length; *to < time && p < 3; *to += parts[p].length) {
		*from = *to;
		p++;
	}
	return parts[p].state;
}

/* ---- segments, from the last one to the first ---- */

static int emit(struct wt_pause_path *path, struct wt_pause_segment segment, struct wt_err *err)
{
	if (segment.from >= segment.to)
		return 0;
	if (wt_grow(&path->segments, &path->segments_cap, path->n_segments, 1, err))
		return -1;
	path->segments[path->n_segments++] = segment;
	path->sums[segment.state] += segment.to - segment.from;
	path->probable += segment.probable ? segment.to - segment.from : 0;
	return 0;
}

static struct wt_pause_segment segment_of(const struct wt_pause_path *path,
					  const struct wt_pause_frame *frame, uint32_t turn, uint64_t from,
					  uint64_t to, enum wt_pause_state state, enum wt_pause_cause cause)
{
	bool own = turn != WT_PAUSE_NONE && (state == WT_PAUSE_READY || state == WT_PAUSE_BLOCKED) &&
		   path->turns[turn].probable;

	return (struct wt_pause_segment){.from = from,
					 .to = to,
					 .tid = frame->tid,
					 .by = WT_PAUSE_NONE,
					 .by_turn = WT_PAUSE_NONE,
					 .turn = turn,
					 .depth = frame->depth,
					 .waiter = frame->waiter,
					 .link = frame->link,
					 .state = (uint8_t)state,
					 .cause = (uint8_t)cause,
					 .probable = frame->probable || own};
}

/* Who had the CPU while the thread was ready in [from, to). */
static int emit_ready(struct wt_pause_path *path, const struct wt_pause_frame *frame, uint32_t t,
		      uint64_t from, uint64_t to, struct wt_err *err)
{
	uint32_t cpu = path->turns[t].cpu;
	struct wt_pause_segment free_cpu = segment_of(path, frame, t, from, to, WT_PAUSE_READY,
						      cpu == WT_PAUSE_NONE ? WT_PAUSE_NO_CPU
									   : WT_PAUSE_CPU_FREE);
	uint32_t i;

	if (cpu == WT_PAUSE_NONE)
		return emit(path, free_cpu, err);
	i = WT_BOUND(r, 0, path->n_runs,
		     path->turns[path->runs[r]].cpu < cpu || (path->turns[path->runs[r]].cpu == cpu &&
							      run_of(&path->turns[path->runs[r]]) < to));
	for (; i && to > from; i--) {
		const struct wt_pause_turn *other = &path->turns[path->runs[i - 1]];
		uint64_t begin = run_of(other) > from ? run_of(other) : from;
		uint64_t end = end_of(other) < to ? end_of(other) : to;
		struct wt_pause_segment taken = free_cpu;

		if (other->cpu != cpu || end_of(other) <= from)
			break;
		if (other->tid == frame->tid || begin >= end)
			continue;
		free_cpu.from = end;
		free_cpu.to = to;
		taken.from = begin;
		taken.to = to = end;
		taken.cause = WT_PAUSE_CPU_TAKEN;
		taken.by = other->tid;
		taken.by_turn = path->runs[i - 1];
		if (emit(path, free_cpu, err) || emit(path, taken, err))
			return -1;
		to = begin;
	}
	free_cpu.from = from;
	free_cpu.to = to;
	return emit(path, free_cpu, err);
}

/* What the wake shows, otherwise what the thread waited for. */
static enum wt_pause_cause cause_of(const struct wt_pause_turn *turn)
{
	if (turn->context == WT_WAKER_THREAD + 1)
		return WT_PAUSE_IDLE;
	switch (turn->source) {
	case WT_SOURCE_TIMER:
		return WT_PAUSE_TIMER;
	case WT_SOURCE_DISK:
		return WT_PAUSE_DISK;
	case WT_SOURCE_NET:
		return WT_PAUSE_NETWORK;
	default:
		break;
	}
	switch (turn->kind) {
	case WT_KIND_TIMER:
		return WT_PAUSE_TIMER;
	case WT_KIND_DISK:
		return WT_PAUSE_DISK;
	case WT_KIND_NET:
		return WT_PAUSE_NETWORK;
	default:
		return WT_PAUSE_INTERRUPT;
	}
}

/* ---- hand-offs ---- */

static int push(struct wt_pause_path *path, struct wt_pause_frame frame, struct wt_err *err)
{
	if (wt_grow(&path->frames, &path->frames_cap, path->n_frames, 1, err))
		return -1;
	path->frames[path->n_frames++] = frame;
	return 0;
}

/* The frame is that of a thread which ended the wait of the turn. */
static int link_frame(struct wt_pause_path *path, struct wt_pause_frame *frame, uint32_t turn,
		      struct wt_err *err)
{
	if (wt_grow(&path->links, &path->links_cap, path->n_links, 1, err))
		return -1;
	path->links[path->n_links] = (struct wt_pause_link){turn, frame->link};
	frame->link = path->n_links++;
	frame->waiter = turn;
	frame->depth++;
	frame->fresh = true;
	return 0;
}

/* The path goes on in the thread that woke the one of the turn, down to low. */
static int push_waker(struct wt_pause_path *path, uint32_t t, uint64_t low, struct wt_err *err)
{
	struct wt_pause_frame frame = path->frames[path->n_frames - 1];

	frame.tid = path->turns[t].waker;
	frame.low = low;
	frame.probable |= path->turns[t].probable;
	return link_frame(path, &frame, t, err) || push(path, frame, err) ? -1 : 0;
}

/* A thread that waits cannot wake one that it waits for. */
static bool is_waiting(const struct wt_pause_path *path, uint32_t tid)
{
	for (uint32_t f = 0; f < path->n_frames; f++)
		if (path->frames[f].tid == tid)
			return true;
	return false;
}

/* The thread was blocked in (low, *at]. */
static int step_blocked(struct wt_pause_path *path, uint32_t t, uint64_t low, uint64_t to, uint64_t *at,
			struct wt_err *err)
{
	const struct wt_pause_turn *turn = &path->turns[t];
	struct wt_pause_frame *frame = &path->frames[path->n_frames - 1];
	struct wt_pause_segment segment = segment_of(path, frame, t, low, *at, WT_PAUSE_BLOCKED,
						     cause_of(turn));
	bool thread = turn->context == WT_WAKER_THREAD + 1 && turn->waker && turn->waker != WT_PAUSE_NONE;

	if (to > *at || !turn->context) {
		segment.cause = WT_PAUSE_OPEN;
	} else if (thread && is_waiting(path, turn->waker)) {
		segment.state = WT_PAUSE_UNKNOWN;
		segment.cause = WT_PAUSE_CONTRADICTION;
	} else if (thread) {
		return push_waker(path, t, low, err);
	}
	*at = low;
	return emit(path, segment, err);
}

/* The waker did not run when it woke: the wait that it ended has no cause. */
static int step_contradiction(struct wt_pause_path *path, uint64_t *at, struct wt_err *err)
{
	uint64_t low = path->frames[path->n_frames - 1].low, to = *at;
	const struct wt_pause_frame *frame;

	path->n_frames -= path->n_frames > 1;
	frame = &path->frames[path->n_frames - 1];
	*at = low;
	return emit(path,
		    segment_of(path, frame, turn_before(path, frame->tid, to), low, to, WT_PAUSE_UNKNOWN,
			       WT_PAUSE_CONTRADICTION),
		    err);
}

/* The thread's life began at this moment: the path goes on in the thread that started it. */
static int step_birth(struct wt_pause_path *path, uint64_t at, bool *born, struct wt_err *err)
{
	struct wt_pause_frame *frame = &path->frames[path->n_frames - 1];
	uint32_t i = bound(path, frame->tid, at);
	const struct wt_pause_turn *turn = i < path->n_turns ? &path->turns[i] : NULL;

	if (frame->fresh || at >= path->to || !turn || turn->tid != frame->tid || turn->from != at ||
	    turn->ready_by != WT_READY_BY_START || turn->context != WT_WAKER_THREAD + 1 || !turn->waker ||
	    turn->waker == WT_PAUSE_NONE || is_waiting(path, turn->waker))
		return 0;
	*born = true;
	frame->tid = turn->waker;
	return link_frame(path, frame, i, err);
}

static int step_gap(struct wt_pause_path *path, uint32_t before, uint64_t *at, struct wt_err *err)
{
	const struct wt_pause_frame *frame = &path->frames[path->n_frames - 1];
	uint64_t low = frame->low, to = *at;

	if (before != WT_PAUSE_NONE && end_of(&path->turns[before]) > low)
		low = end_of(&path->turns[before]);
	*at = low;
	return emit(path, segment_of(path, frame, WT_PAUSE_NONE, low, to, WT_PAUSE_UNKNOWN, WT_PAUSE_NO_TURN),
		    err);
}

static int step(struct wt_pause_path *path, uint64_t *at, struct wt_err *err)
{
	struct wt_pause_frame *frame = &path->frames[path->n_frames - 1];
	uint32_t t = turn_before(path, frame->tid, *at);
	uint64_t from, to, low, end = *at;
	enum wt_pause_state state;
	bool fresh = frame->fresh, born = false;

	if (step_birth(path, *at, &born, err))
		return -1;
	if (born)
		return 0;
	if (t == WT_PAUSE_NONE || end_of(&path->turns[t]) < *at)
		return step_gap(path, t, at, err);
	frame->fresh = false;
	state = part_at(&path->turns[t], *at, &from, &to);
	low = from > frame->low ? from : frame->low;
	if (fresh && to > *at && (state == WT_PAUSE_BLOCKED || state == WT_PAUSE_READY))
		return step_contradiction(path, at, err);
	if (state == WT_PAUSE_BLOCKED)
		return step_blocked(path, t, low, to, at, err);
	*at = low;
	if (state == WT_PAUSE_READY)
		return emit_ready(path, frame, t, low, end, err);
	return emit(path,
		    segment_of(path, frame, t, low, end, state,
			       state == WT_PAUSE_RUNNING ? WT_PAUSE_RAN : WT_PAUSE_NOT_KNOWN),
		    err);
}

static void put_in_order(struct wt_pause_path *path)
{
	for (uint32_t i = 0, j = path->n_segments; i + 1 < j; i++) {
		struct wt_pause_segment other = path->segments[i];

		path->segments[i] = path->segments[--j];
		path->segments[j] = other;
	}
}

/* What the thread itself did in the stretch. */
static void sum_own(struct wt_pause_path *path)
{
	uint64_t at = path->to;

	while (at > path->from) {
		uint32_t t = turn_before(path, path->tid, at);
		uint64_t from = path->from, to, end;
		enum wt_pause_state state = WT_PAUSE_UNKNOWN;

		if (t != WT_PAUSE_NONE) {
			end = end_of(&path->turns[t]);
			if (end >= at)
				state = part_at(&path->turns[t], at, &from, &to);
			else
				from = end;
		}
		from = from > path->from ? from : path->from;
		path->own[state] += at - from;
		at = from;
	}
}

int wt_pause_walk(struct wt_pause_path *path, uint32_t tid, uint64_t from, uint64_t to, struct wt_err *err)
{
	uint64_t at = to;

	path->tid = tid;
	path->from = from;
	path->to = to;
	path->n_segments = path->n_frames = path->n_links = 0;
	path->probable = 0;
	memset(path->sums, 0, sizeof(path->sums));
	memset(path->own, 0, sizeof(path->own));
	if (push(path, (struct wt_pause_frame){tid, 0, WT_PAUSE_NONE, WT_PAUSE_NONE, from, false, false},
		 err))
		return -1;
	while (path->n_frames)
		if (at <= path->frames[path->n_frames - 1].low)
			path->n_frames--;
		else if (step(path, &at, err))
			return -1;
	put_in_order(path);
	sum_own(path);
	return 0;
}

void wt_pause_deinit(struct wt_pause_path *path)
{
	free(path->turns);
	free(path->runs);
	free(path->segments);
	free(path->frames);
	free(path->links);
	*path = (struct wt_pause_path){0};
}
