// SPDX-License-Identifier: MIT
/* Losses of the recorder, and losses reported by others: summed up and queued for the log. */
#include "consumers/record/recorder_state.h"

#include <string.h>

/* True when the name is in the list "a,b,c" that a ring's losses carry. */
static bool lists(struct wt_str names, const char *name)
{
	size_t len = strlen(name);
	const char *p = names.p, *end = names.p + names.len;

	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end;

		if ((size_t)(stop - p) == len && !memcmp(p, name, len))
			return true;
		p = stop + 1;
	}
	return false;
}

bool wt_lost_names(const struct wt_lost_payload *lost)
{
	return lists(lost->provider, "proc_thread") || lists(lost->provider, "loader");
}

/* True when only names of threads and beginnings of programs were lost. */
static bool only_names(const struct wt_lost_payload *lost)
{
	return lost->event.len == strlen(WT_LOST_NAMES) &&
	       !memcmp(lost->event.p, WT_LOST_NAMES, lost->event.len);
}

int wt_recorder_count_loss(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err)
{
	rec->stats.lost += lost->count;
	rec->stats.blind_ns += wt_lost_blind_ns(lost);
	rec->lost_switches += lists(lost->provider, "cswitch") || lists(lost->provider, "proc_thread");
	if (wt_lost_names(lost) &&
	    (lost->cause == WT_LOSS_RING_FULL || lost->cause == WT_LOSS_DAMAGED ||
	     lost->cause == WT_LOSS_RECORDER_DIED || lost->cause == WT_LOSS_CPU_OFFLINE)) {
		if (only_names(lost)) {
			rec->wants_names = true;
			wt_identity_doubt_names(&rec->identity);
		} else {
			rec->wants_rundown = true;
			wt_identity_doubt(&rec->identity);
		}
	}
	return wt_ledger_lose(&rec->ledger, lost, err);
}

int wt_recorder_lose(struct wt_recorder *rec, const struct wt_lost_payload *lost, struct wt_err *err)
{
	if (wt_recorder_count_loss(rec, lost, err))
		return -1;
	return wt_losses_add(&rec->losses, lost, err);
}

bool wt_recorder_disk_is_to_blame(const struct wt_recorder *rec, const struct wt_lost_payload *lost)
{
	return lost->cause == WT_LOSS_RING_FULL && rec->slow_to && lost->from <= rec->slow_to &&
	       lost->to >= rec->slow_from;
}

int wt_recorder_lose_event(struct wt_recorder *rec, const struct wt_event *event, enum wt_loss_cause cause,
			   struct wt_err *err)
{
	const struct wt_kind *kind = event->kind < rec->n_kinds ? &rec->config.kinds->kinds[event->kind]
								: NULL;
	struct wt_lost_payload lost = {
		.provider = wt_str(kind ? kind->provider->name : "wtrace"),
		.event = wt_str(kind ? kind->event->name : ""),
		.on_cpu = event->cpu,
		.cause = (uint8_t)cause,
		.count = 1,
		.exact = 1,
		.from = event->time,
		.to = event->time,
	};

	return wt_recorder_lose(rec, &lost, err);
}

int wt_recorder_lose_news(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	struct wt_lost_payload lost = {
		.provider = wt_str(rec->config.kinds->kinds[event->kind].provider->name),
		.event = wt_str(""),
		.on_cpu = WT_CPU_NONE,
		.cause = WT_LOSS_MEMORY,
		.from = event->time,
		.to = event->time,
	};

	return wt_recorder_lose(rec, &lost, err);
}
