// SPDX-License-Identifier: MIT
#include "providers/perf/internal.h"

#include <stdlib.h>
#include <string.h>

#include "providers/perf/translate.h"
#include "tracecore/base/clock.h"

/* One ring as a source of events. A record gives one event or none. `done` says what is known of everything
 * before position(); `next` what it will be once the pending event is popped. */
struct wt_perf_source {
	struct wt_source base;
	struct wt_perf *perf;
	struct wt_perf_ring *ring;
	struct wt_perf_reader reader;
	struct wt_perf_translator translator;
	bool pending;
	struct wt_event event;  /* while pending */
	uint64_t pending_start; /* of its record */
	struct wt_perf_carry done, next;
	bool carried;              /* done.lost counts since the ring was made */
	bool after_end;            /* the last refresh came after the events had stopped */
	bool settled;              /* the losses no record told of have been reported */
	uint64_t *throttled_since; /* by slot; 0: not throttled */
	struct wt_buf providers;   /* whose events a loss record of this ring is about */
	const char *event_name;
	bool exact;
};

static struct wt_perf_source *of_base(struct wt_source *base)
{
	return (struct wt_perf_source *)base;
}

static struct wt_str str(const char *text)
{
	return (struct wt_str){text, (uint32_t)strlen(text)};
}

static struct wt_lost_payload loss(const struct wt_perf_source *s, uint8_t cause, uint64_t from, uint64_t to)
{
	return (struct wt_lost_payload){
		.provider = {(const char *)s->providers.data, (uint32_t)s->providers.len},
		.event = str(s->event_name),
		.on_cpu = s->ring->cpu,
		.cause = cause,
		.from = from && from < to ? from : to,
		.to = to,
	};
}

/* Makes the loss the pending event. Its record, if it has one, began at start. */
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
	};
	s->pending = true;
	s->pending_start = start;
}

static void pend_damage(struct wt_perf_source *s, uint64_t start)
{
	uint64_t from = s->done.last_time ? s->done.last_time : wt_clock_now();
	struct wt_lost_payload lost = loss(s, WT_LOSS_DAMAGED, from, from);

	pend_loss(s, &lost, start);
}

static void pend_lost(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_RING_FULL, s->done.last_time, record->time);

	lost.count = record->lost.count;
	lost.exact = s->exact;
	if (record->type == PERF_RECORD_LOST_SAMPLES && record->slot < s->perf->n_slots) {
		const struct wt_perf_slot *slot = &s->perf->slots[record->slot];

		lost.provider = str(slot->provider);
		lost.event = str(slot->name);
		lost.exact = slot->period1;
	}
	if (record->type == PERF_RECORD_LOST)
		s->next.lost += record->lost.count;
	pend_loss(s, &lost, start);
}

static void pend_throttled(struct wt_perf_source *s, uint32_t slot, uint64_t to, uint64_t start)
{
	struct wt_lost_payload lost = loss(s, WT_LOSS_THROTTLED, s->throttled_since[slot], to);

	lost.provider = str(s->perf->slots[slot].provider);
	lost.event = str(s->perf->slots[slot].name);
	s->throttled_since[slot] = 0;
	pend_loss(s, &lost, start);
}

static void note_throttle(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	if (record->slot >= s->perf->n_slots)
		return;
	if (record->type == PERF_RECORD_THROTTLE) {
		if (!s->throttled_since[record->slot])
			s->throttled_since[record->slot] = record->time;
		return;
	}
	/* Its beginning was read by the recorder before us. */
	if (!s->throttled_since[record->slot])
		s->throttled_since[record->slot] = s->done.last_time;
	pend_throttled(s, record->slot, record->time, start);
}

static void take_record(struct wt_perf_source *s, uint64_t start, uint64_t len)
{
	struct wt_perf_record record;

	if (wt_perf_record_parse(&s->perf->ids, s->reader.record, len, &record) < 0) {
		pend_damage(s, start);
		return;
	}
	s->next.last_time = record.time ? record.time : s->done.last_time;
	switch (record.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		pend_lost(s, &record, start);
		return;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		note_throttle(s, &record, start);
		return;
	default:
		break;
	}
	switch (wt_perf_translate(&s->translator, &record, &s->event)) {
	case WT_PERF_EVENT:
		s->pending = true;
		s->pending_start = start;
		break;
	case WT_PERF_BAD:
		pend_damage(s, start);
		break;
	case WT_PERF_NOTHING:
		break;
	}
}

/* When the events have stopped and the ring is empty: what no record will tell any more. The kernel writes a
 * loss record only when there is room again for another record. */
static void settle(struct wt_perf_source *s)
{
	uint64_t told = s->done.lost, lost;

	for (uint32_t i = 0; i < s->perf->n_slots; i++)
		if (s->throttled_since[i]) {
			pend_throttled(s, i, s->ring->ended, s->reader.pos);
			return;
		}
	s->settled = true;
	lost = s->carried ? wt_perf_ring_lost(s->perf, s->ring) : 0;
	if (lost > told) {
		struct wt_lost_payload rest = loss(s, WT_LOSS_RING_FULL, s->done.last_time, s->ring->ended);

		rest.count = lost - told;
		rest.exact = s->exact;
		pend_loss(s, &rest, s->reader.pos);
	}
}

static void source_refresh(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	s->after_end = s->ring->ended != 0;
	wt_perf_reader_refresh(&s->reader);
}

static int source_peek(struct wt_source *base, struct wt_event *ret)
{
	struct wt_perf_source *s = of_base(base);

	while (!s->pending) {
		uint64_t start = s->reader.pos, len;
		enum wt_perf_next got = wt_perf_reader_next(&s->reader, &len);

		if (got == WT_PERF_RECORD)
			take_record(s, start, len);
		else if (got == WT_PERF_DAMAGED)
			pend_damage(s, start);
		else if (s->after_end && !s->settled)
			settle(s);
		else
			return 1;
		if (!s->pending)
			s->done = s->next;
	}
	*ret = s->event;
	return 0;
}

static void source_pop(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	s->pending = false;
	s->done = s->next;
}

static uint64_t source_position(const struct wt_source *base)
{
	const struct wt_perf_source *s = (const struct wt_perf_source *)base;

	return s->pending ? s->pending_start : s->reader.pos;
}

/* What lies between the tail and the checkpoint is in the log already; its losses count as told. */
static int source_seek(struct wt_source *base, uint64_t position)
{
	struct wt_perf_source *s = of_base(base);
	uint64_t tail = s->reader.pos, len;

	if (wt_perf_reader_seek(&s->reader, position) < 0)
		return -1;
	s->reader.pos = tail;
	while (wt_perf_reader_next(&s->reader, &len) == WT_PERF_RECORD) {
		take_record(s, s->reader.pos, len);
		s->pending = false;
		s->done = s->next;
	}
	return 0;
}

static void source_release(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);
	struct wt_perf_shared *shared = s->ring->shared;
	uint64_t tail = source_position(base);
	uint32_t turn = !shared->turn;

	shared->copy[turn] = s->done;
	shared->copy[turn].tail = tail;
	__atomic_store_n(&shared->turn, turn, __ATOMIC_RELEASE);
	wt_perf_reader_release(&s->reader, tail);
}

static uint32_t source_fill(const struct wt_source *base)
{
	return wt_perf_reader_fill(&((const struct wt_perf_source *)base)->reader);
}

static bool source_hold(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	if (!wt_perf_reader_hold(&s->reader, wt_perf_hold_room(s->perf)))
		return false;
	/* Of all events only copies of stacks lie in the ring: that one is read again. */
	if (s->pending && s->event.stack.dump) {
		s->reader.pos = s->pending_start;
		s->next = s->done;
		s->pending = false;
	}
	return true;
}

static void source_destroy(struct wt_source *base)
{
	wt_perf_source_destroy(of_base(base));
}

static const struct wt_source_ops source_ops = {
	.refresh = source_refresh,
	.peek = source_peek,
	.pop = source_pop,
	.position = source_position,
	.seek = source_seek,
	.release = source_release,
	.fill = source_fill,
	.hold = source_hold,
	.destroy = source_destroy,
};

void wt_perf_source_destroy(struct wt_perf_source *s)
{
	if (!s)
		return;
	s->ring->source = NULL;
	wt_perf_translator_deinit(&s->translator);
	wt_perf_reader_deinit(&s->reader);
	wt_buf_deinit(&s->providers);
	free(s->throttled_since);
	free(s);
}

struct wt_source *wt_perf_source_base(struct wt_perf_source *s)
{
	return &s->base;
}

/* The name of what is lost when the ring is full: its events share the ring, and the kernel counts them
 * together. */
static void name_losses(struct wt_perf_source *s)
{
	const struct wt_perf_ring *ring = s->ring;
	const struct wt_perf_slot *last = NULL;
	size_t events = 0;

	s->exact = true;
	s->event_name = "";
	if (ring->sideband)
		wt_buf_puts(&s->providers, "loader,proc_thread");
	for (size_t i = 0; i < s->perf->n_slots && !ring->sideband; i++) {
		const struct wt_perf_slot *slot = &s->perf->slots[i];

		if (!last || strcmp(slot->provider, last->provider))
			wt_buf_printf(&s->providers, "%s%s", last ? "," : "", slot->provider);
		s->exact = s->exact && slot->period1;
		s->event_name = ++events == 1 ? slot->name : "";
		last = slot;
	}
}

static void load_carry(struct wt_perf_source *s)
{
	const struct wt_perf_shared *shared = s->ring->shared;
	uint32_t turn = __atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE) & 1;

	for (unsigned i = 0; i < 2 && !s->carried; i++, turn = !turn)
		if (shared->copy[turn].tail == s->reader.pos) {
			s->done = shared->copy[turn];
			s->carried = true;
		}
	s->next = s->done;
}

int wt_perf_source_create(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err)
{
	struct wt_perf_source *s = calloc(1, sizeof(*s));
	size_t page = ring->control_size;

	if (!s)
		return wt_fail_nomem(err);
	s->base = (struct wt_source){.ops = &source_ops, .id = ring->id, .name = ring->name};
	s->perf = perf;
	s->ring = ring;
	s->translator.perf = perf;
	s->throttled_since = calloc(perf->n_slots + 1, sizeof(*s->throttled_since));
	name_losses(s);
	if (!s->throttled_since || s->providers.failed ||
	    wt_perf_reader_init(&s->reader, ring->map, ring->map + page, ring->data_size) < 0) {
		wt_perf_source_destroy(s);
		return wt_fail_nomem(err);
	}
	wt_perf_reader_set_hold(&s->reader, &ring->hold, &perf->ids);
	load_carry(s);
	ring->source = s;
	if (ring->gone_from) {
		struct wt_lost_payload lost = loss(s, WT_LOSS_CPU_OFFLINE, ring->gone_from, ring->gone_to);

		pend_loss(s, &lost, s->reader.pos);
		ring->gone_from = 0;
	}
	return 0;
}
