// SPDX-License-Identifier: MIT
/* Watches beginnings and ends of processes, from the ring of the BPF programs to the records of each
 * process, and memory of files that becomes executable or writable. */
#include "providers/perf/internal.h"

#include <stdio.h>

#include "providers/perf/life_ring.h"
#include "tracecore/base/clock.h"

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
}

bool wt_perf_watches_writes(const struct wt_perf *perf)
{
	return perf->watches_writes;
}

void wt_perf_watch_close(struct wt_perf *perf)
{
	wt_bpf_lives_close(perf->watch);
	wt_lives_destroy(perf->lives);
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
