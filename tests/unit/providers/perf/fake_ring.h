/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A perf ring written by a test: records in the kernel's layout, wrapping where the ring does.
 */
#ifndef TESTS_UNIT_PROVIDERS_PERF_FAKE_RING_H
#define TESTS_UNIT_PROVIDERS_PERF_FAKE_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracecore/base/buf.h"

enum { FAKE_CONTROL = 4096, FAKE_SIZE = 4096 };

struct fake_ring {
	uint64_t words[(FAKE_CONTROL + FAKE_SIZE) / 8];
};

static inline uint8_t *fake_map(struct fake_ring *ring)
{
	return (uint8_t *)ring->words;
}

static inline uint64_t *fake_head(struct fake_ring *ring)
{
	return &ring->words[offsetof(struct perf_event_mmap_page, data_head) / 8];
}

static inline uint64_t *fake_tail(struct fake_ring *ring)
{
	return &ring->words[offsetof(struct perf_event_mmap_page, data_tail) / 8];
}

static inline void fake_write_bytes(struct fake_ring *ring, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		fake_map(ring)[FAKE_CONTROL + (*fake_head(ring) + i) % FAKE_SIZE] = p[i];
	*fake_head(ring) += n;
}

/* Starts a record; the body follows with wt_buf_put_*, then fake_trailer or, for samples, fake_end. */
static inline void fake_begin(struct wt_buf *buf, uint32_t type, uint16_t misc)
{
	wt_buf_clear(buf);
	wt_buf_put_u32(buf, type);
	wt_buf_put_u16(buf, misc);
	wt_buf_put_u16(buf, 0);
}

static inline void fake_end(struct wt_buf *buf)
{
	wt_store_u16(buf->data + 6, (uint16_t)buf->len);
}

static inline void fake_name(struct wt_buf *buf, const char *name)
{
	wt_buf_put(buf, name, strlen(name) + 1);
	while (buf->len % 8)
		wt_buf_put_u8(buf, 0);
}

static inline void fake_trailer(struct wt_buf *buf, uint64_t time, uint64_t id)
{
	wt_buf_put_u32(buf, 100); /* pid */
	wt_buf_put_u32(buf, 101); /* tid */
	wt_buf_put_u64(buf, time);
	wt_buf_put_u32(buf, 3); /* cpu */
	wt_buf_put_u32(buf, 0);
	wt_buf_put_u64(buf, id);
	fake_end(buf);
}

/* The head of a sample, up to and with its period. */
static inline void fake_sample(struct wt_buf *buf, uint16_t misc, uint64_t id, uint64_t time, uint64_t ip)
{
	fake_begin(buf, PERF_RECORD_SAMPLE, misc);
	wt_buf_put_u64(buf, id);
	wt_buf_put_u64(buf, ip);
	wt_buf_put_u32(buf, 100);
	wt_buf_put_u32(buf, 101);
	wt_buf_put_u64(buf, time);
	wt_buf_put_u32(buf, 3);
	wt_buf_put_u32(buf, 0);
	wt_buf_put_u64(buf, 5000); /* period */
}

/* What a sample with a copy of the stack ends in: n_regs registers 1000, 1001 ... and a stack of which len
 * bytes out of asked could be read: 0, 1, 2 ...; behind them lies 0xee. */
static inline void fake_user(struct wt_buf *buf, uint64_t abi, uint8_t n_regs, uint64_t asked, uint64_t len)
{
	wt_buf_put_u64(buf, abi);
	for (uint8_t i = 0; i < n_regs && abi != PERF_SAMPLE_REGS_ABI_NONE; i++)
		wt_buf_put_u64(buf, 1000 + i);
	wt_buf_put_u64(buf, asked);
	for (uint64_t i = 0; i < asked; i++)
		wt_buf_put_u8(buf, i < len ? (uint8_t)i : 0xee);
	if (asked)
		wt_buf_put_u64(buf, len);
}

static inline void fake_lost(struct wt_buf *buf, uint64_t count, uint64_t time, uint64_t id)
{
	fake_begin(buf, PERF_RECORD_LOST, 0);
	wt_buf_put_u64(buf, id);
	wt_buf_put_u64(buf, count);
	fake_trailer(buf, time, id);
}

#endif
