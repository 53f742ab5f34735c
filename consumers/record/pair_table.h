/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Dense ids for pairs {64 bits, 32 bits}: the innermost loop's table of frames and stack nodes.
 *
 * Works like wt_intern, but a look-up touches one cache line, and adding takes steps, so that something else
 * may fail in between: reserve, find, and only then add, which cannot fail. Ids count from 0 in order of
 * addition. Nothing is ever removed. A zeroed struct is a valid empty table. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_PAIR_TABLE_H
#define CONSUMERS_RECORD_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracecore/base/intern.h"

struct wt_pair_table {
	struct wt_pair_slot {
		uint64_t a;
		uint32_t b;
		uint32_t id; /**< plus 1; 0: free */
	} * slots;           /**< owned; mask + 1 of them, 2/3 used at most */
	uint32_t mask;
	uint32_t count;
	bool hashed; /**< the first word is a hash already; set only while the table is empty */
};

/** Makes room for one more. Returns false when memory or the ids are used up. */
bool wt_pair_table_reserve(struct wt_pair_table *table);
/** Returns where a pair's search begins. Unless the first word is a hash already, pairs that differ only in
 * the lowest four bits of their first word (neighbouring instructions, frames found one after the other)
 * begin within the same four slots, which share a cache line. */
static inline uint32_t wt_pair_table_start(const struct wt_pair_table *table, uint64_t a, uint32_t b)
{
	if (table->hashed)
		return (uint32_t)a & table->mask;
	return (((uint32_t)wt_hash2(a >> 4, b) & ~3u) + ((uint32_t)(a & 15) >> 2)) & table->mask;
}
/** Prefetches the pair's slot. The table must have slots. */
static inline void wt_pair_table_prefetch(const struct wt_pair_table *table, uint64_t a, uint32_t b)
{
	const struct wt_pair_slot *slot = &table->slots[wt_pair_table_start(table, a, b)];

	__builtin_prefetch(slot, 1);
	/* The compiler sees no effect in a prefetch and would drop a loop that does nothing else. */
	__asm__ volatile("" : : "r"(slot));
}
/** Returns the pair's slot, or the free slot where it belongs; valid until the next reserve. There must be
 * room. */
static inline struct wt_pair_slot *wt_pair_table_find(const struct wt_pair_table *table, uint64_t a,
						      uint32_t b)
{
	uint32_t i = wt_pair_table_start(table, a, b);

	while (table->slots[i].id && (table->slots[i].a != a || table->slots[i].b != b))
		i = (i + 1) & table->mask;
	return &table->slots[i];
}
/** Gives the pair the next id and puts it into the free slot found for it. */
static inline uint32_t wt_pair_table_add(struct wt_pair_table *table, struct wt_pair_slot *slot, uint64_t a,
					 uint32_t b)
{
	*slot = (struct wt_pair_slot){.a = a, .b = b, .id = ++table->count};
	return table->count - 1;
}
/** Empties the table and keeps its memory. */
void wt_pair_table_clear(struct wt_pair_table *table);
void wt_pair_table_deinit(struct wt_pair_table *table);

/** Bytes allocated. */
static inline size_t wt_pair_table_bytes(const struct wt_pair_table *table)
{
	return table->slots ? ((size_t)table->mask + 1) * sizeof(*table->slots) : 0;
}
/** Bytes that the pairs in the table need: none while it is empty, twice the present bytes when it is about
 * to grow. */
size_t wt_pair_table_needs(const struct wt_pair_table *table);

#endif
