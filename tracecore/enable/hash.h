/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The hash of the rendezvous' files: FNV-1a, 64 bits. It distinguishes the files of honest programs. It
 * does not protect against forgery, and no code relies on it for that.
 */
#ifndef TRACECORE_ENABLE_HASH_H
#define TRACECORE_ENABLE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define WT_HASH_INIT UINT64_C(0xcbf29ce484222325)

/** Continues a hash over n more bytes. */
static inline uint64_t wt_hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/** 32 bits of it. */
static inline uint32_t wt_enable_checksum(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

#endif
