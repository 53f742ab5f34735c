// SPDX-License-Identifier: MIT
#include "providers/perf/ring.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "tracecore/base/bytes.h"

_Static_assert(offsetof(struct perf_event_mmap_page, data_head) == 1024, "perf control page");
_Static_assert(offsetof(struct perf_event_mmap_page, data_tail) == 1032, "perf control page");

enum { HEADER_SIZE = 8, RECORD_MAX = 65536 };
/* Another CPU has written the records: each line comes from its cache or from memory, some records in
 * advance. Of a large one, which has a copy of a stack, that is as much as most walks come through, while the
 * one before it is walked. */
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
	reader->whole = malloc(RECORD_MAX);
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

/* The next n bytes, at most RECORD_MAX, in one piece. */
static const uint8_t *in_one_piece(const struct wt_perf_reader *reader, uint64_t n)
{
	uint64_t start = reader->pos & (reader->size - 1);
	uint64_t first = reader->size - start;

	if (n <= first)
		return reader->data + start;
	memcpy(reader->whole, reader->data + start, first);
	memcpy(reader->whole + first, reader->data, n - first);
	return reader->whole;
}

static void prefetch(const struct wt_perf_reader *reader, uint64_t at)
{
	__builtin_prefetch(reader->data + (at & (reader->size - 1)));
}

/* The record at pos, whose head should be here by now, and the head of the one behind it. */
static void fetch_next(const struct wt_perf_reader *reader)
{
	uint64_t left = reader->head - reader->pos, start = reader->pos & (reader->size - 1);
	uint32_t size, deep;

	if (left < HEADER_SIZE || reader->size - start < HEADER_SIZE)
		return;
	size = wt_load_u16(reader->data + start + offsetof(struct perf_event_header, size));
	if (size < LARGE || size > left)
		return;
	deep = size < DEEP ? size : DEEP;
	for (uint32_t at = 0; at < deep; at += LINE)
		prefetch(reader, reader->pos + at);
	prefetch(reader, reader->pos + size - LINE);
	prefetch(reader, reader->pos + size);
}

enum wt_perf_next wt_perf_reader_next(struct wt_perf_reader *reader, uint64_t *len)
{
	uint64_t left = reader->head - reader->pos, ahead;
	uint16_t size = 0;

	if (!left)
		return WT_PERF_END;
	if (left >= HEADER_SIZE && left <= reader->size)
		size = wt_load_u16(in_one_piece(reader, HEADER_SIZE) +
				   offsetof(struct perf_event_header, size));
	if (size < HEADER_SIZE || size > left) {
		*len = left;
		reader->pos = reader->head;
		return WT_PERF_DAMAGED;
	}
	reader->record = in_one_piece(reader, size);
	ahead = reader->pos + (size > AHEAD ? size : AHEAD);
	prefetch(reader, ahead);
	prefetch(reader, ahead + LINE);
	*len = size;
	reader->pos += size;
	fetch_next(reader);
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

uint64_t wt_perf_reader_tail(const struct wt_perf_reader *reader)
{
	return __atomic_load_n(tail_word(reader), __ATOMIC_RELAXED);
}

void wt_perf_reader_release(struct wt_perf_reader *reader, uint64_t pos)
{
	__atomic_store_n(tail_word(reader), pos, __ATOMIC_RELEASE);
}
