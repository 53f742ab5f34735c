// SPDX-License-Identifier: MIT
#include "consumers/rings/ring_source.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/cursor.h"

/* Fewer similar events than this are not made a run. */
#define STRIP_LEAST 8

/* Units of work that another user's ring may cost without yielding an event; the rest follows in the next
 * round. */
#define EFFORT_MOST 5000u

#define KNOWN_FLAGS (WT_ABI_RECORD_ACTIVITY | WT_ABI_RECORD_RELATED | WT_ABI_RECORD_STACK)

static struct wt_ring_source *self(struct wt_source *source)
{
	return (struct wt_ring_source *)source;
}

static void refresh(struct wt_source *source)
{
	struct wt_ring_source *s = self(source);
	uint64_t before = s->facts.written;

	wt_ring_reader_refresh(s->ring);
	source->effort += wt_ring_reader_effort(s->ring);
	wt_ring_reader_facts(s->ring, &s->facts);
	s->grown = s->facts.written > before ? s->facts.written - before : 0;
	s->limit = s->facts.written;
	s->blocks_left = WT_ABI_BLOCKS_MAX;
	s->has_event = false;
}

/* Marks the frames that a signal interrupted, given as index + 1; the other frames are return addresses. */
static void mark_interrupted(struct wt_ring_source *s, const uint8_t marks[5], uint16_t n)
{
	memset(s->exact, 0, sizeof(s->exact));
	for (unsigned i = 0; i < 5 && marks[i]; i++)
		if (marks[i] <= n)
			s->exact[(marks[i] - 1) / 64] |= UINT64_C(1) << (marks[i] - 1) % 64;
}

/* Takes n addresses, innermost first. */
static void take_stack(struct wt_ring_source *s, struct wt_cursor *cur, struct wt_raw_stack *ret)
{
	uint16_t n = wt_cur_u16(cur);
	uint8_t status = wt_cur_u8(cur);
	const uint8_t *marks = wt_cur_bytes(cur, 5), *pcs;

	if (n > WT_ABI_STACK_MAX)
		cur->bad = true;
	pcs = wt_cur_bytes(cur, (size_t)n * 8);
	for (uint16_t i = 0; pcs && i < n; i++)
		s->pc[i] = wt_load_u64(pcs + (size_t)i * 8);
	if (pcs && marks)
		mark_interrupted(s, marks, n);
	*ret = (struct wt_raw_stack){.pc = s->pc,
				     .exact = s->exact,
				     .n_user = n,
				     .status = status <= WT_STACK_SHORT ? status : WT_STACK_TRUNCATED};
}

/* Returns false when the parts do not fit the record. */
static bool take_parts(struct wt_ring_source *s, const struct wt_ring_record *record)
{
	struct wt_cursor cur = wt_cursor(record->body, record->body_len);
	struct wt_event *event = &s->event;
	uint8_t flags = record->head.flags;

	if (flags & ~KNOWN_FLAGS)
		return false;
	if (flags & WT_ABI_RECORD_ACTIVITY)
		event->activity = wt_cur_bytes(&cur, WT_ACTIVITY_ID);
	if (flags & WT_ABI_RECORD_RELATED)
		event->related = wt_cur_bytes(&cur, WT_ACTIVITY_ID);
	if (flags & WT_ABI_RECORD_STACK)
		take_stack(s, &cur, &event->stack);
	if (cur.bad)
		return false;
	event->payload_len = (uint32_t)wt_cur_left(&cur);
	event->payload = wt_cur_bytes(&cur, event->payload_len);
	return true;
}

/* A CPU's own ring is in order; a time that falls is due to the error of the clocks. */
static uint64_t time_of(struct wt_ring_source *s, uint64_t tick)
{
	uint64_t time = s->facts.counter ? wt_tick_line_ns(s->line, tick) : tick;

	if (s->facts.counter && time < s->last_time)
		time = s->last_time;
	s->last_time = time;
	return time;
}

/* Makes s->event from the record; false: the record is damaged. */
static bool translate(struct wt_ring_source *s, const struct wt_ring_record *record)
{
	const struct wt_abi_record *head = &record->head;
	struct wt_ring_provider *provider = wt_ring_kinds_find(s->kinds, head->provider);
	uint32_t cpu = s->facts.is_lane ? head->cpu : s->facts.cpu;

	if (!provider || head->event >= provider->n_events) {
		s->unknown++;
		return false;
	}
	s->event = (struct wt_event){
		.kind = provider->first_kind + head->event,
		.cpu = cpu < s->kinds->n_cpus ? cpu : WT_CPU_NONE,
		.pid = head->pid,
		.tid = head->tid,
		.claimer = s->claimer,
	};
	if (!take_parts(s, record)) {
		s->broken++;
		return false;
	}
	s->event.time = time_of(s, head->tick);
	s->provider = provider;
	if (s->kinds->lacking &&
	    (s->event.stack.status == WT_STACK_FP || s->event.stack.status == WT_STACK_NO_DATA))
		s->kinds->lacking(s->kinds->ctx, head->pid);
	if (s->kinds->seen && head->pid != s->last_pid)
		s->kinds->seen(s->kinds->ctx, head->pid);
	s->last_pid = head->pid;
	return true;
}

/* Finds the next record, in this block or a later one. */
static bool next_record(struct wt_ring_source *s, struct wt_ring_record *ret)
{
	while (wt_ring_reader_peek(s->ring, ret)) {
		if (!s->blocks_left || wt_ring_reader_position(s->ring) >= s->limit)
			return false;
		s->blocks_left--;
		wt_ring_reader_refresh(s->ring);
		if (!wt_ring_reader_peek(s->ring, ret))
			return true;
		s->blocks_left = 0;
	}
	return true;
}

static int peek(struct wt_source *source, struct wt_event *ret)
{
	struct wt_ring_source *s = self(source);
	struct wt_ring_record record;
	uint64_t before = source->effort;

	while (!s->has_event) {
		bool none = !next_record(s, &record);

		source->effort += 1 + wt_ring_reader_effort(s->ring);
		if (none || (source->allowance && source->effort - before > EFFORT_MOST))
			return 1;
		s->has_event = translate(s, &record);
		if (!s->has_event)
			wt_ring_reader_pop(s->ring);
	}
	*ret = s->event;
	return 0;
}

static void pop(struct wt_source *source)
{
	struct wt_ring_source *s = self(source);

	if (!s->has_event)
		return;
	wt_ring_kinds_take(s->kinds, s->provider, s->event.cpu, 1);
	s->has_event = false;
	wt_ring_reader_pop(s->ring);
}

/* Makes run event i from a record without parts, of a known event and of the process seen last. */
static bool put_in_run(struct wt_ring_source *s, uint32_t i, uint64_t before)
{
	const struct wt_ring_record *record = &s->records[i];
	const struct wt_abi_record *head = &record->head;
	struct wt_ring_provider *provider = i ? s->providers[i - 1] : s->provider;

	if (head->flags || head->pid != s->last_pid)
		return false;
	if (provider->number != head->provider)
		provider = wt_ring_kinds_known(s->kinds, head->provider);
	if (!provider || head->event >= provider->n_events)
		return false;
	s->providers[i] = provider;
	s->run[i] = (struct wt_run_event){
		.time = time_of(s, head->tick),
		.payload = record->body,
		.payload_len = record->body_len,
		.kind = provider->first_kind + head->event,
		.pid = head->pid,
		.tid = head->tid,
	};
	return s->run[i].time < before;
}

/* Lanes give no runs: their events are of several CPUs, and may be late. */
static void run(struct wt_source *source, uint64_t before, struct wt_run *ret)
{
	struct wt_ring_source *s = self(source);
	size_t n = 0;

	*ret = (struct wt_run){.events = s->run, .cpu = s->event.cpu, .claimer = s->claimer};
	if (!s->has_event || s->facts.is_lane)
		return;
	n = wt_ring_reader_peek_many(s->ring, s->records, WT_RUN_MAX);
	while (ret->n < n && put_in_run(s, ret->n, before))
		ret->n++;
	s->last_time = s->event.time;
}

static void pop_run(struct wt_source *source, uint32_t n)
{
	struct wt_ring_source *s = self(source);

	for (uint32_t i = 0; i < n; i++)
		wt_ring_kinds_take(s->kinds, s->providers[i], s->event.cpu, 1);
	s->last_time = s->run[n - 1].time;
	s->has_event = false;
	wt_ring_reader_pop_many(s->ring, s->records, n);
}

/* Converts the times of adjacent records, as far as they do not fall. */
static uint32_t take_times(struct wt_ring_source *s, const struct wt_ring_record *first, uint32_t n)
{
	const uint8_t *ticks = first->body - sizeof(first->head) + offsetof(struct wt_abi_record, tick);

	if (s->facts.counter)
		return wt_tick_line_strip(s->line, ticks, first->head.size, n, s->times);
	for (uint32_t i = 0; i < n; i++, ticks += first->head.size) {
		s->times[i] = wt_load_u64(ticks);
		if (i && s->times[i] < s->times[i - 1])
			return i;
	}
	return n;
}

/* Events of other sources in between make strips short; then fewer records are looked at next time. */
static uint32_t cut_at(struct wt_ring_source *s, uint32_t n, uint64_t before)
{
	uint32_t kept = n;

	while (kept && s->times[kept - 1] >= before)
		kept--;
	if (kept < n)
		s->strip_most = kept > STRIP_LEAST ? 2 * kept : 2 * STRIP_LEAST;
	else if (n == s->strip_most)
		s->strip_most *= 2;
	if (s->strip_most > WT_STRIP_MAX)
		s->strip_most = WT_STRIP_MAX;
	return kept;
}

/* Lanes give no strips, as in run. The first time shows whether the clocks' error mattered: time_of. */
static void strip(struct wt_source *source, uint64_t before, struct wt_strip *ret)
{
	struct wt_ring_source *s = self(source);
	uint32_t n = 0;

	ret->n = 0;
	if (s->has_event && !s->facts.is_lane)
		n = wt_ring_reader_peek_alike(s->ring, &s->strip, s->strip_most);
	if (n < STRIP_LEAST)
		return;
	n = cut_at(s, take_times(s, &s->strip, n), before);
	if (n < STRIP_LEAST || s->times[0] != s->event.time)
		return;
	*ret = (struct wt_strip){
		.times = s->times,
		.payload = s->strip.body,
		.stride = s->strip.head.size,
		.payload_len = s->strip.body_len,
		.n = n,
		.kind = s->event.kind,
		.cpu = s->event.cpu,
		.pid = s->event.pid,
		.tid = s->event.tid,
		.claimer = s->claimer,
	};
}

static void pop_strip(struct wt_source *source, uint32_t n)
{
	struct wt_ring_source *s = self(source);

	wt_ring_kinds_take(s->kinds, s->provider, s->event.cpu, n);
	s->last_time = s->times[n - 1];
	s->has_event = false;
	wt_ring_reader_pop_alike(s->ring, &s->strip, n);
}

static uint64_t position(const struct wt_source *source)
{
	return wt_ring_reader_position(((const struct wt_ring_source *)source)->ring);
}

static int seek(struct wt_source *source, uint64_t to)
{
	struct wt_ring_source *s = self(source);

	if (wt_ring_reader_seek(s->ring, to))
		return -1;
	s->released = to;
	return 0;
}

static void release(struct wt_source *source)
{
	struct wt_ring_source *s = self(source);

	wt_ring_reader_release(s->ring, wt_clock_now());
	source->effort += wt_ring_reader_effort(s->ring);
	s->released = wt_ring_reader_position(s->ring);
}

static void destroy(struct wt_source *source)
{
	free(source);
}

static const struct wt_source_ops ring_source_ops = {
	.refresh = refresh,
	.peek = peek,
	.pop = pop,
	.run = run,
	.pop_run = pop_run,
	.strip = strip,
	.pop_strip = pop_strip,
	.position = position,
	.seek = seek,
	.release = release,
	.destroy = destroy,
};

int wt_ring_source_create(struct wt_ring_reader *ring, struct wt_tick_line *line, struct wt_ring_kinds *kinds,
			  uint32_t id, struct wt_ring_source **ret, struct wt_err *err)
{
	struct wt_ring_source *s = calloc(1, sizeof(*s));

	if (!s)
		return wt_fail_nomem(err);
	s->ring = ring;
	s->line = line;
	s->kinds = kinds;
	s->strip_most = WT_STRIP_MAX;
	wt_ring_reader_facts(ring, &s->facts);
	s->base = (struct wt_source){.ops = &ring_source_ops, .id = id, .name = s->facts.name};
	*ret = s;
	return 0;
}
