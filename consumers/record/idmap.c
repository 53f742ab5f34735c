// SPDX-License-Identifier: MIT
#include "consumers/record/idmap.h"

#include <stdlib.h>

#include "tracecore/base/intern.h"

#define FIRST_SLOTS 64

static uint32_t home(const struct wt_idmap *map, uint32_t id)
{
	return (uint32_t)wt_hash2(id, 0) & map->mask;
}

/* Returns the slot of the id, or the free slot where it belongs. */
static uint32_t slot_of(const struct wt_idmap *map, uint32_t id)
{
	uint32_t i = home(map, id);

	while (map->slots[i].value && map->slots[i].id != id)
		i = (i + 1) & map->mask;
	return i;
}

void *wt_idmap_find(const struct wt_idmap *map, uint32_t id)
{
	return map->slots ? map->slots[slot_of(map, id)].value : NULL;
}

static bool grow(struct wt_idmap *map)
{
	uint64_t n = map->slots ? ((uint64_t)map->mask + 1) * 2 : FIRST_SLOTS;
	struct wt_idmap bigger = {.mask = (uint32_t)(n - 1), .count = map->count};

	if (n > UINT32_MAX)
		return false;
	bigger.slots = calloc(n, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; map->slots && i <= map->mask; i++) {
		if (map->slots[i].value)
			bigger.slots[slot_of(&bigger, map->slots[i].id)] = map->slots[i];
	}
	free(map->slots);
	*map = bigger;
	return true;
}

bool wt_idmap_add(struct wt_idmap *map, uint32_t id, void *value)
{
	if ((!map->slots || (uint64_t)map->count * 3 >= ((uint64_t)map->mask + 1) * 2) && !grow(map))
		return false;
	map->slots[slot_of(map, id)] = (struct wt_idmap_slot){.value = value, .id = id};
	map->count++;
	return true;
}

/* Slots behind the hole move into it where a probe for them would otherwise end too early. */
void wt_idmap_remove(struct wt_idmap *map, uint32_t id)
{
	uint32_t hole = map->slots ? slot_of(map, id) : 0;

	if (!map->slots || !map->slots[hole].value)
		return;
	map->count--;
	for (uint32_t i = (hole + 1) & map->mask; map->slots[i].value; i = (i + 1) & map->mask) {
		uint32_t distance = (i - home(map, map->slots[i].id)) & map->mask;

		if (distance < ((i - hole) & map->mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole].value = NULL;
}

void *wt_idmap_next(const struct wt_idmap *map, size_t *at)
{
	while (map->slots && *at <= map->mask) {
		void *value = map->slots[(*at)++].value;

		if (value)
			return value;
	}
	return NULL;
}

void wt_idmap_deinit(struct wt_idmap *map)
{
	free(map->slots);
	*map = (struct wt_idmap){0};
}
