/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Little-endian loads and stores at any alignment, and LEB128 integers.
 *
 * This is the only place that depends on the byte order of the machine. Both supported machines are
 * little-endian; on any other, the static assert stops the build, so that no wrong files are written.
 */
#ifndef TRACECORE_BASE_BYTES_H
#define TRACECORE_BASE_BYTES_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "loads and stores here assume a little-endian machine");

/** Longest LEB128 encoding of 64 bits. */
#define WT_VARINT_MAX 10

static inline uint16_t wt_load_u16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t wt_load_u32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t wt_load_u64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return v;
}

static inline void wt_store_u16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void wt_store_u32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void wt_store_u64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

/** Maps small magnitudes of either sign to small unsigned numbers: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint64_t wt_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t wt_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/** Writes v as LEB128 to p, which has WT_VARINT_MAX bytes; returns the bytes written. */
static inline unsigned wt_varint_put(uint8_t *p, uint64_t v)
{
	unsigned n = 0;

	while (v >= 0x80) {
		p[n++] = (uint8_t)v | 0x80;
		v >>= 7;
	}
	p[n++] = (uint8_t)v;
	return n;
}

#endif
