/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A map from 32-bit ids (pids, tids) to objects, with removal.
 *
 * Open addressing, grown at 2/3 load, never shrunk: its memory follows the largest number of tasks alive at
 * once. The caller keeps ownership of the objects. A zeroed struct is a valid empty map. Single-threaded.
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

/** Returns NULL when the id is not in the map. */
void *wt_idmap_find(const struct wt_idmap *map, uint32_t id);
/** Adds an id that is not in the map; value is not NULL. Returns false when memory is out. */
bool wt_idmap_add(struct wt_idmap *map, uint32_t id, void *value);
/** Removes the id if it is in the map. */
void wt_idmap_remove(struct wt_idmap *map, uint32_t id);
/** Returns the first object at or after *at and moves *at behind it; NULL at the end. Start with *at = 0.
 * After an add or a remove the walk must start anew. */
void *wt_idmap_next(const struct wt_idmap *map, size_t *at);
void wt_idmap_deinit(struct wt_idmap *map);

/** Bytes allocated. */
static inline size_t wt_idmap_bytes(const struct wt_idmap *map)
{
	return map->slots ? ((size_t)map->mask + 1) * sizeof(*map->slots) : 0;
}

#endif
