// SPDX-License-Identifier: MIT
#include "providers/perf/ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "tracecore/base/bytes.h"

_Static_assert(offsetof(struct perf_event_mmap_page, data_head) == 1024, "perf control page");
_Static_assert(offsetof(struct perf_event_mmap_page, data_tail) == 1032, "perf control page");

enum { HEADER_SIZE = 8 };
/* Another CPU has written the records, so each line comes from its cache or from memory; some records are
 * prefetched. Of a large record, which has a copy of a stack, the prefetched part covers most walks, and it
 * is loaded while the previous record is walked. */
enum { AHEAD = 512, LINE = 64, LARGE = 4096, DEEP = 6144 };

static uint64_t *head_word(const struct wt_perf_reader *reader)
{
	return (uint64_t *)(void *)(reader->control + offsetof(struct perf_event_mmap_page, data_head));
}

static uint64_t *tail_word(const struct wt_perf_reader *reader)
{
	return (uint64_t *)(void *)(reader->control + offsetof(struct perf_event_mmap_page, data_tail));
}

int wt_perf_reader_init(struct wt_perf_reader *reader, void *control, void *data, uint64_t size)
{
	*reader = (struct wt_perf_reader){.control = control, .data = data, .size = size};
	reader->whole = malloc(WT_PERF_RECORD_MOST);
	if (!reader->whole)
		return -1;
	reader->pos = reader->head = wt_perf_reader_tail(reader);
	return 0;
}

void wt_perf_reader_deinit(struct wt_perf_reader *reader)
{
	free(reader->whole);
	*reader = (struct wt_perf_reader){0};
}

void wt_perf_reader_refresh(struct wt_perf_reader *reader)
{
	reader->head = __atomic_load_n(head_word(reader), __ATOMIC_ACQUIRE);
}

/* Contiguous bytes in one of the two rings, the kernel's or the hold. */
struct span {
	const uint8_t *data;
	uint64_t size;
	uint64_t end; /* bytes below this may be read */
};

static struct span span_at(const struct wt_perf_reader *reader, uint64_t pos)
{
	const struct wt_perf_hold *hold = &reader->hold;

	if (__builtin_expect(!hold->data || pos >= hold->state->end || wt_perf_hold_is_empty(hold), 1))
		return (struct span){reader->data, reader->size, reader->head};
	return (struct span){hold->data, hold->size,
			     hold->state->end < reader->head ? hold->state->end : reader->head};
}

/* Returns the n bytes at pos, at most WT_PERF_RECORD_MOST, in one piece. */
static const uint8_t *in_one_piece(const struct wt_perf_reader *reader, const struct span *span, uint64_t pos,
				   uint64_t n)
{
	uint64_t start = pos & (span->size - 1);
	uint64_t first = span->size - start;

	if (n <= first)
		return span->data + start;
	memcpy(reader->whole, span->data + start, first);
	memcpy(reader->whole + first, span->data, n - first);
	return reader->whole;
}

/* Returns the size of the record at pos; 0: the size is impossible. */
static uint16_t size_at(const struct wt_perf_reader *reader, const struct span *span, uint64_t pos)
{
	uint64_t left = span->end - pos;
	uint16_t size = 0;

	if (left >= HEADER_SIZE && left <= span->size)
		size = wt_load_u16(in_one_piece(reader, span, pos, HEADER_SIZE) +
				   offsetof(struct perf_event_header, size));
	return size < HEADER_SIZE || size > left ? 0 : size;
}

static void prefetch(const struct span *span, uint64_t at)
{
	__builtin_prefetch(span->data + (at & (span->size - 1)));
}

/* Prefetches the record at pos, whose head should be in the cache by now, and the head of the record behind
 * it. */
static void fetch_next(const struct span *span, uint64_t pos)
{
	uint64_t left = span->end - pos, start = pos & (span->size - 1);
	uint32_t size, deep;

	if (left < HEADER_SIZE || span->size - start < HEADER_SIZE)
		return;
	size = wt_load_u16(span->data + start + offsetof(struct perf_event_header, size));
	if (size < LARGE || size > left)
		return;
	deep = size < DEEP ? size : DEEP;
	for (uint32_t at = 0; at < deep; at += LINE)
		prefetch(span, pos + at);
	prefetch(span, pos + size - LINE);
	prefetch(span, pos + size);
}

enum wt_perf_next wt_perf_reader_next(struct wt_perf_reader *reader, uint64_t *len)
{
	struct span span = span_at(reader, reader->pos);
	uint64_t left = span.end - reader->pos, ahead;
	uint16_t size;

	if (!left)
		return WT_PERF_END;
	size = size_at(reader, &span, reader->pos);
	if (!size) {
		*len = left;
		reader->pos = span.end;
		return WT_PERF_DAMAGED;
	}
	reader->record = in_one_piece(reader, &span, reader->pos, size);
	ahead = reader->pos + (size > AHEAD ? size : AHEAD);
	prefetch(&span, ahead);
	prefetch(&span, ahead + LINE);
	*len = size;
	reader->pos += size;
	fetch_next(&span, reader->pos);
	return WT_PERF_RECORD;
}

int wt_perf_reader_seek(struct wt_perf_reader *reader, uint64_t pos)
{
	uint64_t tail = wt_perf_reader_tail(reader);
	uint64_t head = __atomic_load_n(head_word(reader), __ATOMIC_ACQUIRE);

	if (pos - tail > head - tail)
		return -1;
	reader->pos = reader->head = pos;
	return 0;
}

/* Returns the record at pos in the form for the hold: without the unused part of the room for a copy of a
 * stack. */
static struct wt_perf_held_record held_record(const struct wt_perf_reader *reader, const struct span *span,
					      uint64_t pos, uint16_t size)
{
	struct wt_perf_held_record ret = {in_one_piece(reader, span, pos, size), size, size, size};
	struct wt_perf_record record;

	if (!wt_perf_record_parse(reader->ids, ret.bytes, size, &record) &&
	    record.type == PERF_RECORD_SAMPLE && record.sample.stack) {
		ret.hole = (uint32_t)(record.sample.stack - ret.bytes) + record.sample.stack_len;
		ret.hole_end = ret.hole + record.sample.stack_asked - record.sample.stack_len;
	}
	return ret;
}

/* Returns the bytes that the records from begin to end in the hold count for. */
static uint64_t held_bytes(const struct wt_perf_reader *reader, uint64_t begin, uint64_t end)
{
	struct span span = span_at(reader, begin);
	uint64_t bytes = 0, pos = begin;
	uint16_t size;

	span.end = end;
	while (pos < end && (size = size_at(reader, &span, pos))) {
		struct wt_perf_held_record record = held_record(reader, &span, pos, size);

		bytes += wt_perf_hold_cost(&reader->hold, &record);
		pos += size;
	}
	return bytes;
}

static uint64_t data_tail(const struct wt_perf_reader *reader)
{
	return __atomic_load_n(tail_word(reader), __ATOMIC_RELAXED);
}

static void set_data_tail(const struct wt_perf_reader *reader, uint64_t pos)
{
	__atomic_store_n(tail_word(reader), pos, __ATOMIC_RELEASE);
}

uint64_t wt_perf_reader_tail(const struct wt_perf_reader *reader)
{
	uint64_t tail = data_tail(reader), begin;

	if (!reader->hold.data)
		return tail;
	begin = reader->hold.state->begin;
	/* The ring's data_tail may not include a hold that has just been emptied. */
	return !wt_perf_hold_is_empty(&reader->hold) || begin > tail ? begin : tail;
}

uint32_t wt_perf_reader_fill(const struct wt_perf_reader *reader)
{
	return (uint32_t)((reader->head - data_tail(reader)) * 1000 / reader->size);
}

void wt_perf_reader_release(struct wt_perf_reader *reader, uint64_t pos)
{
	struct wt_perf_hold *hold = &reader->hold;

	if (!wt_perf_hold_is_empty(hold)) {
		uint64_t end = hold->state->end;

		wt_perf_hold_release(hold, pos,
				     held_bytes(reader, hold->state->begin, pos < end ? pos : end));
		if (pos <= end)
			return;
	}
	set_data_tail(reader, pos);
}

void wt_perf_reader_set_hold(struct wt_perf_reader *reader, const struct wt_perf_hold *hold,
			     const struct wt_perf_ids *ids)
{
	reader->hold = *hold;
	reader->ids = ids;
	/* The process that moved records died before it moved data_tail. */
	if (!wt_perf_hold_is_empty(hold) && hold->state->end > data_tail(reader))
		set_data_tail(reader, hold->state->end);
	reader->pos = reader->head = wt_perf_reader_tail(reader);
}

bool wt_perf_reader_hold(struct wt_perf_reader *reader, uint64_t most)
{
	const struct span ring = {reader->data, reader->size, reader->head};
	uint64_t begin = data_tail(reader), pos = begin, bytes = 0;
	uint16_t size;

	if (!reader->hold.data)
		return false;
	while (pos < reader->head && (size = size_at(reader, &ring, pos))) {
		struct wt_perf_held_record record = held_record(reader, &ring, pos, size);
		uint64_t cost = wt_perf_hold_cost(&reader->hold, &record);

		if (bytes + cost > most || !wt_perf_hold_put(&reader->hold, pos, &record))
			break;
		bytes += cost;
		pos += size;
	}
	if (pos == begin)
		return false;
	wt_perf_hold_publish(&reader->hold, begin, pos, bytes);
	set_data_tail(reader, pos);
	return true;
}
