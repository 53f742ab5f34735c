// SPDX-License-Identifier: MIT
#include "providers/perf/unsampled.h"

#include <stdlib.h>

/* The most that the kernel's clock of events and ours may differ at first. */
#define SLACK_NS UINT64_C(100000000)

static uint32_t home_of(const struct wt_perf_unsampled *account, uint32_t tid)
{
	return (tid * UINT32_C(2654435769)) & (account->cap - 1);
}

/* Returns the thread's place in the table, or the free place where it belongs. */
static uint32_t place_of(const struct wt_perf_unsampled *account, uint32_t tid)
{
	uint32_t at = home_of(account, tid);

	while (account->threads[at].tid && account->threads[at].tid != tid)
		at = (at + 1) & (account->cap - 1);
	return at;
}

static int grow(struct wt_perf_unsampled *account)
{
	struct wt_perf_unsampled_thread *old = account->threads;
	uint32_t n = account->cap, cap = n ? n * 2 : 64;
	struct wt_perf_unsampled_thread *threads = calloc(cap, sizeof(*threads));

	if (!threads)
		return -1;
	account->threads = threads;
	account->cap = cap;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].tid)
			threads[place_of(account, old[i].tid)] = old[i];
	free(old);
	return 0;
}

int wt_perf_unsampled_note(struct wt_perf_unsampled *account, uint32_t tid, uint64_t time, uint64_t n,
			   uint64_t told)
{
	struct wt_perf_unsampled_thread *thread;

	if (!tid)
		return 0;
	if (account->n * 2 >= account->cap && grow(account) < 0)
		return -1;
	thread = &account->threads[place_of(account, tid)];
	account->n += !thread->tid;
	thread->first = thread->tid ? thread->first : time;
	thread->tid = tid;
	thread->samples += (uint32_t)n;
	thread->told += told;
	account->alive += n;
	return 0;
}

int wt_perf_unsampled_sample(struct wt_perf_unsampled *account, uint32_t tid)
{
	return wt_perf_unsampled_note(account, tid, 0, 1, 0);
}

const struct wt_perf_unsampled_thread *wt_perf_unsampled_find(const struct wt_perf_unsampled *account,
							      uint32_t tid)
{
	const struct wt_perf_unsampled_thread *thread = account->n ? &account->threads[place_of(account, tid)]
								   : NULL;

	return thread && thread->tid ? thread : NULL;
}

/* Entries behind it that were displaced move up. */
static void forget(struct wt_perf_unsampled *account, uint32_t hole)
{
	uint32_t mask = account->cap - 1;

	account->n--;
	for (uint32_t at = (hole + 1) & mask; account->threads[at].tid; at = (at + 1) & mask) {
		uint32_t home = home_of(account, account->threads[at].tid);

		if (((at - home) & mask) < ((at - hole) & mask))
			continue;
		account->threads[hole] = account->threads[at];
		hole = at;
	}
	account->threads[hole] = (struct wt_perf_unsampled_thread){0};
}

void wt_perf_unsampled_forget(struct wt_perf_unsampled *account, uint32_t tid)
{
	uint32_t at = account->n ? place_of(account, tid) : 0;

	if (!account->n || !account->threads[at].tid)
		return;
	account->alive -= account->threads[at].samples;
	forget(account, at);
}

/* An entry that moves up to a removed one's place is checked there. */
void wt_perf_unsampled_sweep(struct wt_perf_unsampled *account, bool (*is_gone)(uint32_t tid))
{
	for (uint32_t i = 0; i < account->cap; i++)
		while (account->threads[i].tid && is_gone(account->threads[i].tid))
			wt_perf_unsampled_forget(account, account->threads[i].tid);
}

/* Clocks differ. */
bool wt_perf_unsampled_can_be(const struct wt_perf_unsampled *account, uint64_t counted, uint64_t passed)
{
	uint64_t most = passed + passed / 256 + SLACK_NS;

	return counted <= most && account->ended <= most - counted;
}

/* Returns the number of spans in the time owed by now. */
static uint64_t tell(struct wt_perf_unsampled *account, uint64_t counted, uint64_t samples)
{
	uint64_t sampled = samples * account->span, spans, lost;

	account->owed += counted > sampled ? counted - sampled : 0;
	spans = account->owed / account->span;
	account->owed %= account->span;
	lost = account->lost < spans ? account->lost : spans;
	account->lost -= lost;
	return spans - lost;
}

void wt_perf_unsampled_lost(struct wt_perf_unsampled *account, uint64_t lost)
{
	if (lost <= account->lost_so_far)
		return;
	account->lost += lost - account->lost_so_far;
	account->lost_so_far = lost;
}

uint64_t wt_perf_unsampled_end(struct wt_perf_unsampled *account, uint32_t tid, uint64_t counted)
{
	uint32_t samples = 0;

	if (account->n) {
		uint32_t at = place_of(account, tid);

		samples = account->threads[at].samples;
		if (account->threads[at].tid)
			forget(account, at);
	}
	account->alive -= samples;
	account->ended += counted;
	return tell(account, counted, samples);
}

uint64_t wt_perf_unsampled_settle(struct wt_perf_unsampled *account, uint64_t total)
{
	uint64_t counted = total > account->ended ? total - account->ended : 0;

	return tell(account, counted, account->alive);
}

void wt_perf_unsampled_deinit(struct wt_perf_unsampled *account)
{
	free(account->threads);
	*account = (struct wt_perf_unsampled){0};
}
