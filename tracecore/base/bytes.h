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

#endif
