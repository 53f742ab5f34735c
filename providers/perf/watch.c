// SPDX-License-Identifier: MIT
/* Watches beginnings and ends of processes, from the ring of the BPF programs to the records of each
 * process, memory of files that becomes executable or writable, and memory that is moved. */
#include "providers/perf/internal.h"

#include <stdio.h>

#include "providers/perf/life_ring.h"
#include "tracecore/base/clock.h"

static void say_unseen(struct wt_perf *perf, const char *why)
{
	wt_perf_say(perf, false,
		    "code that is moved or patched over a file's text keeps the file's names: %.120s", why);
}

/* err: why processes are not watched, if they are not. */
static void open_moves(struct wt_perf *perf, struct wt_err *err)
{
	if (perf->nothing || perf->no_images)
		return;
	if (perf->watch)
		wt_moves_open(&perf->moves, err);
	if (!perf->moves)
		say_unseen(perf, err->text);
}

void wt_perf_watch_open(struct wt_perf *perf)
{
	struct wt_err why = WT_ERR_INIT;

	if (perf->nothing || !perf->caps.whole_system)
		wt_fail(&why, WT_ERR_UNSUPPORTED, "the session may not see all processes");
	else if (!wt_perf_numbers_are_the_machines())
		wt_fail(&why, WT_ERR_UNSUPPORTED, "a container's process ids are its own");
	else if (wt_bpf_lives_open(&perf->watch, &why) == 0)
		perf->lives = wt_lives_create();
	if (!perf->lives)
		snprintf(perf->no_lives, sizeof(perf->no_lives), "%.110s", why.text);
	perf->watches_writes = !perf->nothing && perf->caps.whole_system && !perf->n_pids && !perf->no_images;
	open_moves(perf, &why);
}

static bool has_moves(const struct wt_perf_ring *ring)
{
	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == WT_PERF_SLOT_MOVES)
			return true;
	return false;
}

void wt_perf_moves_open(struct wt_perf *perf, struct wt_perf_ring *ring)
{
	struct wt_perf_fd entry = {-1, WT_PERF_SLOT_MOVES, 0};
	struct wt_err why = WT_ERR_INIT;
	struct perf_event_attr attr;

	if (!perf->moves || has_moves(ring))
		return;
	wt_perf_attr_init(perf, &attr);
	attr.inherit = attr.enable_on_exec = 0;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	if (wt_perf_open_event(perf, ring, attr, entry, -1, -1, &why) == 0) {
		if (wt_moves_set_output(perf->moves, ring->cpu, ring->fds[ring->n_fds - 1].fd) == 0)
			return;
		wt_fail_errno(&why, "CPU %u", ring->cpu);
	}
	wt_bpf_close(perf->moves);
	perf->moves = NULL;
	say_unseen(perf, why.text);
}

void wt_perf_moves_close(struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	if (perf->moves)
		wt_moves_set_output(perf->moves, ring->cpu, -1);
}

bool wt_perf_watches_moves(const struct wt_perf *perf)
{
	return perf->moves;
}

bool wt_perf_watches_writes(const struct wt_perf *perf)
{
	return perf->watches_writes;
}

void wt_perf_watch_close(struct wt_perf *perf)
{
	wt_bpf_close(perf->watch);
	wt_lives_destroy(perf->lives);
	wt_bpf_close(perf->moves);
	perf->moves = NULL;
	perf->watch = NULL;
	perf->lives = NULL;
}

struct reading {
	struct wt_lives *lives;
	int64_t offset;
};

static int on_record(void *ctx, void *bytes, size_t len)
{
	const struct reading *reading = ctx;

	wt_lives_add(reading->lives, bytes, len, reading->offset);
	return 0;
}

void wt_perf_lives_drain(struct wt_perf *perf)
{
	struct reading reading = {.lives = perf->lives};
	struct wt_clockset now;

	if (!perf->lives)
		return;
	wt_clock_sample_times(&now);
	reading.offset = (int64_t)(now.raw - now.mono);
	wt_bpf_lives_read(perf->watch, on_record, &reading);
}

bool wt_perf_life(void *ctx, enum wt_life_news news, uint32_t pid, uint64_t time, struct wt_str name,
		  struct wt_life *ret)
{
	struct wt_perf *perf = ctx;

	if (!perf->lives)
		return false;
	wt_perf_lives_drain(perf);
	return wt_lives_find(perf->lives, news, pid, time, name, ret);
}

const char *wt_perf_lives_why(const struct wt_perf *perf)
{
	return perf->lives ? NULL : perf->no_lives;
}

uint64_t wt_perf_lives_lost(const struct wt_perf *perf)
{
	return perf->watch ? wt_bpf_lives_lost(perf->watch) : 0;
}
