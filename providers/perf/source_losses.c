// SPDX-License-Identifier: MIT
#include "providers/perf/source_losses.h"

#include <linux/perf_event.h>
#include <string.h>

#include "tracecore/base/clock.h"

static struct wt_lost_payload loss(const struct wt_perf_source *s, uint8_t cause, uint64_t from, uint64_t to)
{
	return (struct wt_lost_payload){
		.provider = {(const char *)s->providers.data, (uint32_t)s->providers.len},
		.event = wt_str(s->event_name),
		.on_cpu = s->ring->cpu,
		.cause = cause,
		.from = from && from < to ? from : to,
		.to = to,
		.ring = s->base.id,
	};
}

/* Makes the loss the pending event. Its record, if any, began at start. */
static void pend_loss(struct wt_perf_source *s, const struct wt_lost_payload *lost, uint64_t start)
{
	wt_buf_clear(&s->translator.payload);
	wt_lost_put(&s->translator.payload, lost);
	s->event = (struct wt_event){
		.time = lost->to,
		.kind = s->perf->k.lost,
		.cpu = s->ring->cpu,
		.payload = s->translator.payload.data,
		.payload_len = (uint32_t)s->translator.payload.len,
		.flags = s->ring->writes ? WT_EVENT_QUIET | WT_EVENT_WRITABLE : 0,
	};
	s->pending = true;
	s->pending_start = start;
}

void wt_perf_losses_damage(struct wt_perf_source *s, uint64_t start)
{
	s->account.damaged = true;
	uint64_t from = s->done.last_time ? s->done.last_time : wt_clock_now();
	struct wt_lost_payload lost = loss(s, WT_LOSS_DAMAGED, from, from);

	pend_loss(s, &lost, start);
}

/* Counts the events of a loss record. Where mappings come twice the record counts both twins. There the
 * counters give the number of unreported losses until now, including those of a later loss record. */
static void count_lost(struct wt_perf_source *s, struct wt_lost_payload *lost)
{
	uint64_t told = lost->count < s->done.ahead ? lost->count : s->done.ahead, now;

	if (!s->twice) {
		s->next.ahead = s->done.ahead - told;
		lost->count -= told;
		s->next.lost += lost->count;
	} else if (s->carried && s->perf->caps.format_lost) {
		now = wt_perf_ring_lost(s->perf, s->ring);
		lost->count = now > s->done.lost ? now - s->done.lost : 0;
		lost->to = lost->count ? wt_clock_now() : lost->to;
		s->next.lost += lost->count;
	} else {
		lost->exact = false;
	}
}

/* Least size of the kernel's record of a fork or an exit: header, body, trailer. */
#define TASK_BYTES 64

/* Upper bound of the forks and exits of this CPU until now. */
static uint64_t most_tasks(const struct wt_perf_source *first)
{
	const struct perf_event_mmap_page *control = (const void *)first->reader.control;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);

	return first->tasks + (head - first->reader.pos) / TASK_BYTES +
	       wt_perf_ring_lost(first->perf, first->ring);
}

/* Returns how many of the losses of the ring of names were names, at least. */
static uint64_t names_among(struct wt_perf_source *s, uint64_t lost)
{
	const struct wt_perf_source *first = s->perf->cpus[s->ring->cpu].sideband.source;
	uint64_t tasks, seen = s->tasks + s->discounted;

	if (!first || !first->from_start || !s->from_start)
		return 0;
	tasks = most_tasks(first);
	tasks = tasks > seen ? tasks - seen : 0;
	tasks = tasks < lost ? tasks : lost;
	s->discounted += tasks;
	return lost - tasks;
}

void wt_perf_losses_record(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_RING_FULL, s->done.last_time, record->time);
	bool gap = record->type == PERF_RECORD_LOST && s->twice;

	lost.count = record->lost.count;
	lost.exact = s->exact;
	if (record->type == PERF_RECORD_LOST_SAMPLES && record->slot < s->perf->n_slots) {
		const struct wt_perf_slot *slot = &s->perf->slots[record->slot];

		lost.provider = wt_str(slot->provider);
		lost.event = wt_str(slot->name);
		lost.exact = slot->period1;
	}
	if (record->type == PERF_RECORD_LOST)
		count_lost(s, &lost);
	if (s->ring->names && lost.count) {
		lost.count = names_among(s, lost.count);
		gap = true;
	}
	/* Events counted elsewhere may be among them: mappings are in doubt from here on. */
	if (!lost.count && !gap)
		return;
	pend_loss(s, &lost, start);
	s->event.time = record->time;
}

void wt_perf_losses_look(struct wt_perf_source *s)
{
	uint64_t lost = s->carried ? wt_perf_ring_lost(s->perf, s->ring) : 0;
	struct wt_lost_payload early = loss(s, WT_LOSS_RING_FULL, s->done.last_time, s->done.last_time);

	s->was_full = false;
	if (lost <= s->done.lost || !s->done.last_time)
		return;
	early.count = lost - s->done.lost;
	early.exact = s->exact;
	early.to = wt_clock_now();
	wt_perf_twins_forget(&s->twins);
	s->next.lost += early.count;
	s->next.ahead += s->twice ? 0 : early.count;
	if (s->ring->names)
		early.count = names_among(s, early.count);
	pend_loss(s, &early, s->reader.pos);
	s->event.time = early.from; /* the next record may have happened before now */
}

static void pend_throttled(struct wt_perf_source *s, uint32_t slot, uint64_t to, uint64_t start)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_THROTTLED, s->throttled_since[slot], to);

	lost.provider = wt_str(s->perf->slots[slot].provider);
	lost.event = wt_str(s->perf->slots[slot].name);
	s->throttled_since[slot] = 0;
	pend_loss(s, &lost, start);
}

void wt_perf_losses_throttle(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	if (record->slot >= s->perf->n_slots)
		return;
	if (record->type == PERF_RECORD_THROTTLE) {
		if (!s->throttled_since[record->slot])
			s->throttled_since[record->slot] = record->time;
		return;
	}
	/* An earlier recorder read its beginning. */
	if (!s->throttled_since[record->slot])
		s->throttled_since[record->slot] = s->done.last_time;
	pend_throttled(s, record->slot, record->time, start);
}

/* Returns the last time at which the ring can have been full: it was seen empty at that time, and nothing
 * was written to it since. */
static uint64_t last_full(const struct wt_perf_source *s)
{
	bool empty = s->done.emptied && s->done.emptied_to == s->reader.pos;

	return empty && s->done.emptied < s->ring->ended ? s->done.emptied : s->ring->ended;
}

static bool settle_full(struct wt_perf_source *s)
{
	uint64_t lost = wt_perf_ring_lost(s->perf, s->ring);
	struct wt_lost_payload rest;

	if (lost <= s->done.lost)
		return false;
	rest = loss(s, WT_LOSS_RING_FULL, s->done.last_time, last_full(s));
	rest.count = lost - s->done.lost;
	rest.exact = s->exact;
	s->next.lost = lost;
	if (s->ring->names)
		rest.count = names_among(s, rest.count);
	pend_loss(s, &rest, s->reader.pos);
	return true;
}

/* Reports events that the kernel counted and did not sample. Damaged bytes may have been samples. */
static bool settle_unsampled(struct wt_perf_source *s)
{
	uint8_t cause = s->account.damaged ? WT_LOSS_DAMAGED : WT_LOSS_NOT_SAMPLED;
	struct wt_lost_payload rest;
	uint64_t count;
	uint32_t slot;

	if (!wt_perf_account_missing(&s->account, s->perf, s->ring, &slot, &count))
		return false;
	rest = loss(s, cause, s->ring->shared->began, s->ring->ended);
	rest.provider = wt_str(s->perf->slots[slot].provider);
	rest.event = wt_str(s->perf->slots[slot].name);
	rest.count = count;
	rest.exact = true;
	pend_loss(s, &rest, s->reader.pos);
	return true;
}

/* Reports the time of threads on a CPU that came late; the first ring that ends does this. */
static bool settle_late(struct wt_perf_source *s)
{
	struct wt_lost_payload lost;
	char providers[512];
	uint64_t from;
	uint32_t cpu;

	if (!wt_perf_late_next(s->perf, &cpu, &from))
		return false;
	lost = loss(s, WT_LOSS_CPU_OFFLINE, from, s->ring->ended);
	lost.on_cpu = cpu;
	lost.provider = wt_perf_late_providers(s->perf, providers, sizeof(providers));
	lost.event = wt_str("");
	pend_loss(s, &lost, s->reader.pos);
	return true;
}

/* Sets the name of a loss when the ring is full: its events share the ring, and the kernel counts them
 * together. */
void wt_perf_losses_name(struct wt_perf_source *s)
{
	const struct wt_perf_ring *ring = s->ring;
	const struct wt_perf_slot *last = NULL;
	size_t events = 0;

	s->exact = true;
	s->event_name = "";
	for (size_t i = 0; i < ring->n_fds; i++)
		s->twice |= ring->fds[i].slot == WT_PERF_SLOT_INODES ||
			    ring->fds[i].slot == WT_PERF_SLOT_SWITCHES;
	if (ring->writes)
		wt_buf_puts(&s->providers, "loader");
	else if (ring->sideband)
		wt_buf_puts(&s->providers, ring->names ? "proc_thread" : "loader,proc_thread");
	if (ring->names) {
		s->event_name = WT_LOST_NAMES;
		s->exact = false;
	}
	for (size_t i = 0; i < s->perf->n_slots && !ring->sideband; i++) {
		const struct wt_perf_slot *slot = &s->perf->slots[i];

		if (!last || strcmp(slot->provider, last->provider))
			wt_buf_printf(&s->providers, "%s%s", last ? "," : "", slot->provider);
		s->exact = s->exact && (slot->period1 || slot->counts);
		s->event_name = ++events == 1 ? slot->name : "";
		last = slot;
	}
}

/* The part without samples is not known any more. */
static bool settle_account(struct wt_perf_source *s)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_RECORDER_DIED, s->ring->shared->began, s->ring->ended);

	if (!s->account_lost)
		return false;
	s->account_lost = false;
	lost.provider = wt_str("pmu-profile");
	lost.event = wt_str("unsampled");
	pend_loss(s, &lost, s->reader.pos);
	return true;
}

bool wt_perf_losses_settle(struct wt_perf_source *s)
{
	for (uint32_t i = 0; i < s->perf->n_slots; i++)
		if (s->throttled_since[i]) {
			pend_throttled(s, i, s->ring->ended, s->reader.pos);
			return true;
		}
	if ((!s->perf->armed && settle_late(s)) || settle_account(s))
		return true;
	return s->carried && (settle_full(s) || (!s->ring->sideband && settle_unsampled(s)));
}

void wt_perf_losses_gone(struct wt_perf_source *s)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_CPU_OFFLINE, s->ring->gone_from, s->ring->gone_to);

	pend_loss(s, &lost, s->reader.pos);
	s->ring->gone_from = 0;
}
