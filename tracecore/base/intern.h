/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Interning: equal keys get equal, dense ids, counted from 0 in order of first appearance.
 *
 * Two tables: fixed keys of two 64-bit words (stack nodes, frames, threads) and byte strings (names, paths).
 * Open addressing, grown at 2/3 load, nothing is ever removed; clear keeps the memory. Single-threaded. Ids
 * are 32 bits: a full table (2^32 - 2 entries) or exhausted memory yields WT_INTERN_NONE.
 */
#ifndef TRACECORE_BASE_INTERN_H
#define TRACECORE_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_INTERN_NONE UINT32_MAX

struct wt_key {
	uint64_t a, b;
};

/** Zeroed is a valid empty table. */
struct wt_intern {
	struct wt_key *keys; /**< by id; owned */
	uint32_t *slots;     /**< id + 1, 0 = free; owned; slot_mask + 1 of them */
	uint32_t slot_mask;
	uint32_t count; /**< ids given so far */
	uint32_t cap;   /**< keys allocated */
};

/** Returns the key's id, a new one if the key is new (then *fresh is true). WT_INTERN_NONE: no memory. */
uint32_t wt_intern(struct wt_intern *table, uint64_t a, uint64_t b, bool *fresh);
/** Returns the key's id or WT_INTERN_NONE. */
uint32_t wt_intern_find(const struct wt_intern *table, uint64_t a, uint64_t b);
void wt_intern_clear(struct wt_intern *table);
/** Announce that a key will be asked for soon, so that its memory is on the way by then. Call expect first,
 * then, when that memory has come, expect_key. Only large tables gain; for small ones it is one
 * comparison. */
static inline void wt_intern_expect(const struct wt_intern *table, uint64_t a, uint64_t b);
static inline void wt_intern_expect_key(const struct wt_intern *table, uint64_t a, uint64_t b);
void wt_intern_deinit(struct wt_intern *table);

/** Zeroed is a valid empty table. */
struct wt_strings {
	struct wt_strings_entry {
		size_t offset; /**< of the first byte in bytes */
		uint32_t len;  /**< bytes, without the zero that follows them */
		uint32_t hash;
	} * entries; /**< by id; owned */
	char *bytes; /**< owned; every string is followed by a zero */
	size_t bytes_len, bytes_cap;
	uint32_t *slots; /**< id + 1, 0 = free; owned */
	uint32_t slot_mask;
	uint32_t count, cap;
};

uint32_t wt_strings_add(struct wt_strings *table, const void *bytes, size_t len, bool *fresh);
uint32_t wt_strings_find(const struct wt_strings *table, const void *bytes, size_t len);
/** The string of an id, zero-ended; valid until the next add. "" for an unknown id. len may be NULL. */
const char *wt_strings_get(const struct wt_strings *table, uint32_t id, size_t *len);
void wt_strings_clear(struct wt_strings *table);
void wt_strings_deinit(struct wt_strings *table);

/** A good 64-bit mix of two words (the finaliser of splitmix64). */
static inline uint64_t wt_hash2(uint64_t a, uint64_t b)
{
	uint64_t x = a * UINT64_C(0x9e3779b97f4a7c15) ^ b;

	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Tables of fewer slots stay in the caches of any machine. */
#define WT_INTERN_LARGE (UINT32_C(1) << 15)

static inline void wt_intern_expect(const struct wt_intern *table, uint64_t a, uint64_t b)
{
	if (table->slot_mask >= WT_INTERN_LARGE)
		__builtin_prefetch(&table->slots[(uint32_t)wt_hash2(a, b) & table->slot_mask]);
}

static inline void wt_intern_expect_key(const struct wt_intern *table, uint64_t a, uint64_t b)
{
	uint32_t slot;

	if (table->slot_mask < WT_INTERN_LARGE)
		return;
	slot = table->slots[(uint32_t)wt_hash2(a, b) & table->slot_mask];
	if (slot)
		__builtin_prefetch(&table->keys[slot - 1]);
}

#endif
