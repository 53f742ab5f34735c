/* SPDX-License-Identifier: MIT */
/**
 * @file
 * An address space: which image lies at which address, now.
 *
 * A sorted array of ranges that never overlap; a new mapping cuts what it covers, because no event reports
 * munmap. Spaces are counted and shared copy-on-write: a fork costs one reference. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_SPACE_H
#define CONSUMERS_RECORD_SPACE_H

#include <stdbool.h>

#include "consumers/record/image_set.h"
#include "consumers/record/writes.h"

/** Most ranges of one space; the kernel's own limit of mappings (vm.max_map_count) is just below. */
#define WT_SPACE_MAX_RANGES 65536

struct wt_range {
	uint64_t start, end; /**< [start, end) */
	uint64_t bias; /**< address + bias (modulo 2^64) is the frame's offset, see struct wt_log_frame */
	struct wt_image_entry *image;
	bool unseen; /**< nobody checked that it has the file's bytes */
};

struct wt_space {
	struct wt_range *ranges; /**< owned; sorted by start */
	uint32_t n, cap;
	uint32_t refs;
	uint32_t last;              /**< index of the last hit */
	struct wt_map_share *share; /**< the share its ranges count for; NULL: none */
	bool unseen;                /**< a range is, or was */
	bool begun;              /**< false from an exec until its program's vdso is mapped, which the kernel
				    does last */
	bool left_out;           /**< it has more mappings than are recorded: beyond the share */
	bool moved;              /**< private memory of files was moved in it */
	struct wt_writes writes; /**< its writable memory of files */
	uint64_t version; /**< of the ranges; no other content has this version, in any space of the set */
};

/** An empty space with one reference; NULL when memory is out. */
struct wt_space *wt_space_create(struct wt_image_set *images);
/** Takes a further reference. */
struct wt_space *wt_space_share(struct wt_space *space);
/** Drops a reference; the last one frees the space. NULL is fine. */
void wt_space_put(struct wt_space *space, struct wt_image_set *images);

/** Makes *space unshared, by a copy if need be. -1: memory is out. */
int wt_space_own(struct wt_space **space, struct wt_image_set *images);
/** Maps range, which must not be empty. The caller keeps its image; the space takes its own reference. *space
 * is replaced by a copy when others share it. Returns 0; 1: the space is full; -1: memory is out. */
int wt_space_map(struct wt_space **space, struct wt_image_set *images, const struct wt_range *range);
/** Removes all ranges and parts of ranges in [start, end). Returns as wt_space_map. */
int wt_space_unmap(struct wt_space **space, struct wt_image_set *images, uint64_t start, uint64_t end);

/** Takes writable memory of a file, where such memory is known. -1: memory is out, and a part is missing. */
int wt_space_write(struct wt_space **space, struct wt_image_set *images, const struct wt_image_payload *map);
/** Its writable memory is not known (any more). */
void wt_space_forget_writes(struct wt_space *space, struct wt_image_set *images);

/** Marks the range, one of the space's, as checked: it has the file's bytes. */
void wt_space_seen(struct wt_space *space, const struct wt_range *range);

/** Counts its ranges for that share from now on; NULL: for none. */
void wt_space_charge(struct wt_space *space, struct wt_map_share *share);

/** Returns the range that holds the address, or NULL. */
const struct wt_range *wt_space_look(const struct wt_space *space, uint64_t address);
/** Looks the range up and remembers it in `last`. */
const struct wt_range *wt_space_search(struct wt_space *space, uint64_t address);
/** Looks the range up for the innermost loop: neighbouring addresses are mostly in one range. */
static inline const struct wt_range *wt_space_find(struct wt_space *space, uint64_t address)
{
	if (space->last < space->n) {
		const struct wt_range *range = &space->ranges[space->last];

		if (address >= range->start && address < range->end)
			return range;
	}
	return wt_space_search(space, address);
}

#endif
