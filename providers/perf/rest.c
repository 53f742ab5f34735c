// SPDX-License-Identifier: MIT
#include "providers/perf/rest.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "providers/perf/internal.h"
#include "providers/perf/proc_stat.h"
#include "providers/perf/unsampled.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"

/* A ring with fewer processes than this is not searched for ended ones. */
#define FEW 64
/* Slack for start times: the units in which they are given, and rounding. */
#define SLACK_NS UINT64_C(20000000)

/* Returns 0 when the process does not exist. */
static uint64_t clock_of(uint32_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * WT_NSEC + (uint64_t)t.tv_nsec;
}

static bool any_accounts(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].accounts)
			return true;
	return false;
}

void wt_perf_rest_begin(struct wt_perf *perf)
{
	struct wt_perf_rest *rest = &perf->rest;

	if (!any_accounts(perf) || rest->begun)
		return;
	rest->begun = calloc(perf->n_pids, sizeof(*rest->begun));
	for (size_t i = 0; i < perf->n_pids && rest->begun; i++)
		rest->begun[i] = clock_of((uint32_t)perf->pids[i]);
}

static bool has_part(const struct wt_perf_rest *rest, uint32_t pid)
{
	return wt_intern_find(&rest->by_pid, pid, 0) != WT_INTERN_NONE;
}

static bool is_gone(uint32_t pid)
{
	return pid > INT32_MAX || (kill((pid_t)pid, 0) < 0 && errno == ESRCH);
}

void wt_perf_rest_note(struct wt_perf_unsampled *processes, uint32_t pid, uint64_t time, uint64_t n,
		       uint64_t told)
{
	if (processes->n >= processes->sweep_at && !wt_perf_unsampled_find(processes, pid)) {
		wt_perf_unsampled_sweep(processes, is_gone);
		processes->sweep_at = processes->n > FEW ? 2 * processes->n : 2 * FEW;
	}
	(void)wt_perf_unsampled_note(processes, pid, time, n, told);
}

/* True when another process has got the pid. The clock of start times is corrected forward and back a
 * little, by less than a thousandth. */
static bool is_stranger(const struct wt_perf_unsampled_thread *process)
{
	uint64_t start = wt_perf_start_of(process->tid), now = wt_clock_now();
	uint64_t since = now > process->first ? now - process->first : 0;

	return start > process->first + since / 1024 + SLACK_NS;
}

/* Returns true when the process is in the table. */
static bool place_part(struct wt_perf_rest *rest, uint32_t pid)
{
	bool fresh;

	return wt_intern(&rest->by_pid, pid, 0, &fresh) != WT_INTERN_NONE;
}

static void add_part(struct wt_perf_rest *rest, uint32_t pid, uint64_t used)
{
	if (!used || has_part(rest, pid))
		return;
	if (!wt_grow(&rest->parts, &rest->cap, rest->n, 1, NULL) && place_part(rest, pid))
		rest->parts[rest->n++] = (struct wt_perf_part){.pid = pid, .used = used};
}

void wt_perf_rest_end(struct wt_perf *perf)
{
	struct wt_perf_rest *rest = &perf->rest;

	if (!rest->begun)
		return;
	for (size_t i = 0; i < perf->n_pids; i++) {
		uint64_t now = clock_of((uint32_t)perf->pids[i]);

		add_part(rest, (uint32_t)perf->pids[i], now > rest->begun[i] ? now - rest->begun[i] : 0);
	}
	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_unsampled *seen = &c->samples.noted.processes;

		for (uint32_t i = 0; i < seen->cap; i++)
			if (seen->threads[i].tid && seen->threads[i].tid <= INT32_MAX &&
			    !has_part(rest, seen->threads[i].tid) && !is_stranger(&seen->threads[i]))
				add_part(rest, seen->threads[i].tid, clock_of(seen->threads[i].tid));
	}
}

/* Finds the part of a process's clock that is not reported yet. */
static void find_missing(const struct wt_perf *perf, struct wt_perf_part *part, uint64_t span)
{
	uint64_t samples = 0, told = 0;

	wt_perf_each_cpu (perf, c) {
		const struct wt_perf_unsampled *seen = &c->samples.noted.processes;
		const struct wt_perf_unsampled_thread *process = wt_perf_unsampled_find(seen, part->pid);

		samples += process ? process->samples : 0;
		told += process ? process->told : 0;
	}
	part->spans = part->used / span > samples ? part->used / span - samples : 0;
	part->cpu_time = part->used > told ? part->used - told : 0;
}

static uint64_t scale(uint64_t part, uint64_t have, uint64_t want)
{
	return want > have ? (uint64_t)((double)part * (double)have / (double)want) : part;
}

/* Returns the process that gets the time which no living process accounts for. */
static uint32_t heir(const struct wt_perf *perf)
{
	for (size_t i = 0; i < perf->n_pids; i++)
		if (!has_part(&perf->rest, (uint32_t)perf->pids[i]))
			return (uint32_t)perf->pids[i];
	return (uint32_t)perf->pids[0];
}

static void give(struct wt_perf_rest *rest, uint32_t pid, uint64_t cpu_time, uint64_t spans)
{
	uint32_t i;

	add_part(rest, pid, 1);
	i = wt_intern_find(&rest->by_pid, pid, 0);
	if (i == WT_INTERN_NONE)
		return;
	rest->parts[i].cpu_time += cpu_time;
	rest->parts[i].spans += spans;
}

static void divide(struct wt_perf *perf, uint64_t span)
{
	struct wt_perf_rest *rest = &perf->rest;
	uint64_t time = 0, spans = 0, left_time = rest->cpu_time, left_spans = rest->spans;
	uint32_t other = heir(perf);

	for (size_t i = 0; i < rest->n; i++) {
		find_missing(perf, &rest->parts[i], span);
		time += rest->parts[i].cpu_time;
		spans += rest->parts[i].spans;
	}
	for (size_t i = 0; i < rest->n; i++) {
		struct wt_perf_part *part = &rest->parts[i];

		part->cpu_time = scale(part->cpu_time, rest->cpu_time, time);
		part->spans = scale(part->spans, rest->spans, spans);
		left_time -= part->cpu_time < left_time ? part->cpu_time : left_time;
		left_spans -= part->spans < left_spans ? part->spans : left_spans;
	}
	give(rest, other, left_time, left_spans);
}

static bool all_settled(const struct wt_perf *perf)
{
	wt_perf_each_cpu (perf, c)
		if (c->samples.noted.waits)
			return false;
	return true;
}

bool wt_perf_rest_add(struct wt_perf *perf, uint64_t cpu_time, uint64_t spans, uint64_t span)
{
	bool last = all_settled(perf);

	perf->rest.cpu_time += cpu_time;
	perf->rest.spans += spans;
	if (last)
		divide(perf, span);
	return last;
}

bool wt_perf_rest_next(struct wt_perf *perf, struct wt_perf_part *ret)
{
	struct wt_perf_rest *rest = &perf->rest;

	while (rest->at < rest->n) {
		*ret = rest->parts[rest->at++];
		if (ret->cpu_time || ret->spans)
			return true;
	}
	return false;
}

void wt_perf_rest_deinit(struct wt_perf_rest *rest)
{
	free(rest->begun);
	free(rest->parts);
	wt_intern_deinit(&rest->by_pid);
	*rest = (struct wt_perf_rest){0};
}
