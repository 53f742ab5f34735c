// SPDX-License-Identifier: MIT
#include "consumers/record/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

static int grow(struct wt_ledger *ledger, struct wt_err *err)
{
	uint32_t counts = ledger->cap, pending = ledger->cap, n = ledger->rows.count;

	if (wt_grow(&ledger->counts, &counts, n, 1, err) || wt_grow(&ledger->pending, &pending, n, 1, err))
		return -1;
	ledger->cap = counts;
	return 0;
}

int wt_ledger_find_row(struct wt_ledger *ledger, uint32_t kind, uint32_t cpu, uint32_t *row,
		       struct wt_err *err)
{
	bool fresh;

	if (ledger->rows.count == ledger->cap && grow(ledger, err))
		return -1;
	*row = wt_intern(&ledger->rows, kind, cpu, &fresh);
	if (*row == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (fresh) {
		ledger->counts[*row] = (struct wt_recorder_count){.kind = kind, .cpu = cpu};
		ledger->pending[*row] = 0;
	}
	ledger->recent[cpu % WT_LEDGER_RECENT] = *row;
	return 0;
}

void wt_ledger_written(struct wt_ledger *ledger)
{
	if (ledger->n_pending)
		memset(ledger->pending, 0, ledger->rows.count * sizeof(*ledger->pending));
	ledger->n_pending = 0;
}

int wt_ledger_dropped(struct wt_ledger *ledger,
		      int (*fn)(void *ctx, const struct wt_recorder_count *lost, struct wt_err *err),
		      void *ctx, struct wt_err *err)
{
	for (uint32_t i = 0; i < ledger->rows.count; i++) {
		struct wt_recorder_count lost = ledger->counts[i];

		lost.events = ledger->pending[i];
		if (!lost.events)
			continue;
		if (fn(ctx, &lost, err))
			return -1;
		ledger->counts[i].events -= lost.events;
		ledger->n_pending -= lost.events;
		ledger->pending[i] = 0;
	}
	return 0;
}

uint64_t wt_lost_blind_ns(const struct wt_lost_payload *lost)
{
	return lost->exact || lost->to < lost->from ? 0 : lost->to - lost->from;
}

static void copy_name(char to[64], struct wt_str name)
{
	size_t n = name.len < 63 ? name.len : 63;

	memset(to, 0, 64);
	if (n)
		memcpy(to, name.p, n);
}

static bool same_loss(const struct wt_recorder_loss *a, const struct wt_recorder_loss *b)
{
	return a->cpu == b->cpu && a->cause == b->cause && !strcmp(a->provider, b->provider) &&
	       !strcmp(a->event, b->event);
}

int wt_ledger_lose(struct wt_ledger *ledger, const struct wt_lost_payload *lost, struct wt_err *err)
{
	struct wt_recorder_loss sum = {.cpu = lost->on_cpu, .cause = lost->cause, .count = lost->count};

	sum.taken = lost->exact && !lost->ring ? lost->count : 0;
	sum.blind_ns = wt_lost_blind_ns(lost);
	copy_name(sum.provider, lost->provider);
	copy_name(sum.event, lost->event);
	for (uint32_t i = 0; i < ledger->n_lost; i++) {
		if (same_loss(&ledger->lost[i], &sum)) {
			ledger->lost[i].count += sum.count;
			ledger->lost[i].taken += sum.taken;
			ledger->lost[i].blind_ns += sum.blind_ns;
			return 0;
		}
	}
	if (wt_grow(&ledger->lost, &ledger->cap_lost, ledger->n_lost, 1, err))
		return -1;
	ledger->lost[ledger->n_lost++] = sum;
	return 0;
}

void wt_ledger_deinit(struct wt_ledger *ledger)
{
	wt_intern_deinit(&ledger->rows);
	free(ledger->counts);
	free(ledger->pending);
	free(ledger->lost);
	*ledger = (struct wt_ledger){0};
}
