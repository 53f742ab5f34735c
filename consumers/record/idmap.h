/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A map from 32-bit ids (pids, tids) to objects, with removal.
 *
 * Open addressing, grown at 2/3 load, never shrunk: its memory follows the largest number of tasks alive at
 * once. The objects stay the caller's. A zeroed struct is a valid empty map. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_IDMAP_H
#define CONSUMERS_RECORD_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_idmap {
	struct wt_idmap_slot {
		void *value; /**< NULL: free */
		uint32_t id;
	} * slots; /**< owned; mask + 1 of them */
	uint32_t mask;
	uint32_t count;
};

/** NULL when the id is not in the map. */
void *wt_idmap_find(const struct wt_idmap *map, uint32_t id);
/** Adds an id that is not in the map; value is not NULL. False when memory is out. */
bool wt_idmap_add(struct wt_idmap *map, uint32_t id, void *value);
/** Removes the id if it is there. */
void wt_idmap_remove(struct wt_idmap *map, uint32_t id);
/** The first object at or after *at, which is moved behind it; NULL at the end. Start with *at = 0; add and
 * remove make the walk start anew. */
void *wt_idmap_next(const struct wt_idmap *map, size_t *at);
void wt_idmap_deinit(struct wt_idmap *map);

/** Bytes allocated. */
static inline size_t wt_idmap_bytes(const struct wt_idmap *map)
{
	return map->slots ? ((size_t)map->mask + 1) * sizeof(*map->slots) : 0;
}

#endif
