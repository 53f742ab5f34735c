// SPDX-License-Identifier: MIT
#include "consumers/record/pair_table.h"

#include <string.h>

#include "consumers/record/pages.h"

#define FIRST_SLOTS 1024
#define MAX_SLOTS   (UINT64_C(1) << 31)

/* After the number of slots was doubled from n, every pair belongs in its old place or n slots further on.
 * The pairs are moved in the order of their searches, starting behind a free slot, so that no pair finds its
 * place taken by one that has not been moved yet. */
static void spread(struct wt_pair_table *table, uint32_t n)
{
	uint32_t start = 0;

	while (table->slots[start].id)
		start++;
	for (uint32_t i = 1; i < n; i++) {
		struct wt_pair_slot *at = &table->slots[(start + i) & (n - 1)], slot = *at;

		if (!slot.id)
			continue;
		*at = (struct wt_pair_slot){0};
		*wt_pair_table_find(table, slot.a, slot.b) = slot;
	}
}

static bool grow(struct wt_pair_table *table)
{
	uint64_t n = table->slots ? (uint64_t)table->mask + 1 : 0;
	struct wt_pair_slot *slots;

	if (n * 2 > MAX_SLOTS)
		return false;
	slots = n ? wt_pages_double(table->slots, n * sizeof(*slots))
		  : wt_pages_get(FIRST_SLOTS * sizeof(*slots));
	if (!slots)
		return false;
	table->slots = slots;
	table->mask = (uint32_t)(n ? n * 2 : FIRST_SLOTS) - 1;
	if (n)
		spread(table, (uint32_t)n);
	return true;
}

/* Pairs that fit before the table grows. */
static uint64_t room(const struct wt_pair_table *table)
{
	return table->slots ? ((uint64_t)table->mask + 1) * 2 / 3 : 0;
}

bool wt_pair_table_reserve(struct wt_pair_table *table)
{
	return table->count < room(table) || grow(table);
}

size_t wt_pair_table_needs(const struct wt_pair_table *table)
{
	uint64_t near = room(table) - room(table) / 32;

	return !table->count ? 0 : wt_pair_table_bytes(table) << (table->count >= near);
}

void wt_pair_table_clear(struct wt_pair_table *table)
{
	if (table->count)
		memset(table->slots, 0, wt_pair_table_bytes(table));
	table->count = 0;
}

void wt_pair_table_deinit(struct wt_pair_table *table)
{
	wt_pages_put(table->slots, wt_pair_table_bytes(table));
	*table = (struct wt_pair_table){.hashed = table->hashed};
}
