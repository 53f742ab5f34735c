// SPDX-License-Identifier: MIT
#include "consumers/pair_table.h"

#include <string.h>

#include "consumers/pages.h"

#define FIRST_SLOTS 1024
#define MAX_SLOTS   (UINT64_C(1) << 31)

static bool grow(struct wt_pair_table *table)
{
	uint64_t n = table->slots ? ((uint64_t)table->mask + 1) * 2 : FIRST_SLOTS;
	struct wt_pair_table bigger = {
		.mask = (uint32_t)(n - 1), .count = table->count, .hashed = table->hashed};

	if (n > MAX_SLOTS)
		return false;
	bigger.slots = wt_pages_get(n * sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; table->slots && i <= table->mask; i++) {
		if (table->slots[i].id)
			*wt_pair_table_find(&bigger, table->slots[i].a, table->slots[i].b) = table->slots[i];
	}
	wt_pages_put(table->slots, wt_pair_table_bytes(table));
	*table = bigger;
	return true;
}

/* Pairs that fit before it grows. */
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
