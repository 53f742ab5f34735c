// SPDX-License-Identifier: MIT
#include "consumers/record/space.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/bound.h"

struct wt_space *wt_space_create(struct wt_image_set *images)
{
	struct wt_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->refs = 1;
	space->begun = true;
	space->version = ++images->versions;
	images->bytes += sizeof(*space);
	return space;
}

struct wt_space *wt_space_share(struct wt_space *space)
{
	space->refs++;
	return space;
}

static uint64_t bytes_of(const struct wt_space *space)
{
	return space->n * sizeof(*space->ranges) + wt_writes_bytes(&space->writes);
}

void wt_space_charge(struct wt_space *space, struct wt_map_share *share)
{
	if (space->share == share)
		return;
	wt_map_share_remove(space->share, bytes_of(space));
	space->share = share;
	wt_map_share_add(share, bytes_of(space));
}

void wt_space_put(struct wt_space *space, struct wt_image_set *images)
{
	if (!space || --space->refs)
		return;
	wt_space_charge(space, NULL);
	for (uint32_t i = 0; i < space->n; i++)
		wt_image_set_put(images, space->ranges[i].image);
	images->bytes -= sizeof(*space) + space->cap * sizeof(*space->ranges) +
			 wt_writes_bytes(&space->writes);
	wt_writes_clear(&space->writes);
	free(space->ranges);
	free(space);
}

static int reserve(struct wt_space *space, struct wt_image_set *images, uint32_t n)
{
	uint32_t cap = n + n / 4 + 2;
	struct wt_range *ranges;

	if (n > WT_SPACE_MAX_RANGES)
		return 1;
	if (n <= space->cap)
		return 0;
	ranges = realloc(space->ranges, cap * sizeof(*ranges));
	if (!ranges)
		return -1;
	images->bytes += (cap - space->cap) * sizeof(*ranges);
	space->ranges = ranges;
	space->cap = cap;
	return 0;
}

int wt_space_own(struct wt_space **at, struct wt_image_set *images)
{
	struct wt_space *old = *at;
	struct wt_space *copy;

	if (old->refs == 1)
		return 0;
	copy = wt_space_create(images);
	if (!copy || reserve(copy, images, old->n)) {
		wt_space_put(copy, images);
		return -1;
	}
	for (uint32_t i = 0; i < old->n; i++) {
		copy->ranges[i] = old->ranges[i];
		wt_image_set_share(copy->ranges[i].image);
	}
	copy->n = old->n;
	copy->left_out = old->left_out;
	copy->unseen = old->unseen;
	copy->begun = old->begun;
	copy->moved = old->moved;
	wt_writes_copy(&copy->writes, &old->writes);
	images->bytes += wt_writes_bytes(&copy->writes);
	wt_space_charge(copy, old->share);
	wt_space_put(old, images);
	*at = copy;
	return 0;
}

/* Returns the index of the first range that ends at or behind the address. */
static uint32_t first_to(const struct wt_space *space, uint64_t address)
{
	return WT_BOUND(i, 0, space->n, space->ranges[i].end < address);
}

/* Returns the index of the first range that starts behind the address. */
static uint32_t first_beyond(const struct wt_space *space, uint64_t address)
{
	return WT_BOUND(i, 0, space->n, space->ranges[i].start <= address);
}

/* Appends to parts; extends the last part where the new one only continues it. */
static uint32_t append(struct wt_range *parts, uint32_t n, struct wt_range part)
{
	struct wt_range *last = n ? &parts[n - 1] : NULL;

	if (last && last->end == part.start && last->image == part.image && last->bias == part.bias &&
	    last->unseen == part.unseen) {
		last->end = part.end;
		return n;
	}
	parts[n] = part;
	return n + 1;
}

/* Cuts [start, end) out of the ranges [i, j) that touch or overlap it: collects the remaining parts, with
 * the fresh range (or NULL) between them. */
static uint32_t cut(const struct wt_space *space, uint32_t i, uint32_t j, uint64_t start, uint64_t end,
		    const struct wt_range *fresh, struct wt_range parts[3])
{
	uint32_t n = 0;
	struct wt_range part;

	if (i < j && space->ranges[i].start < start) {
		part = space->ranges[i];
		part.end = part.end < start ? part.end : start;
		n = append(parts, n, part);
	}
	if (fresh)
		n = append(parts, n, *fresh);
	if (i < j && space->ranges[j - 1].end > end) {
		part = space->ranges[j - 1];
		part.start = part.start > end ? part.start : end;
		n = append(parts, n, part);
	}
	return n;
}

static bool overlaps(const struct wt_space *space, uint32_t i, uint32_t j, uint64_t start, uint64_t end)
{
	for (; i < j; i++) {
		if (space->ranges[i].end > start && space->ranges[i].start < end)
			return true;
	}
	return false;
}

static int replace(struct wt_space *space, struct wt_image_set *images, uint64_t start, uint64_t end,
		   const struct wt_range *fresh)
{
	uint32_t i = first_to(space, start), j = first_beyond(space, end);
	struct wt_range parts[3];
	uint32_t n = cut(space, i, j, start, end, fresh, parts);
	int failed = reserve(space, images, space->n - (j - i) + n);

	if (failed)
		return failed;
	for (uint32_t k = 0; k < n; k++)
		wt_image_set_share(parts[k].image);
	for (uint32_t k = i; k < j; k++)
		wt_image_set_put(images, space->ranges[k].image);
	if (j < space->n)
		memmove(&space->ranges[i + n], &space->ranges[j], (space->n - j) * sizeof(*space->ranges));
	if (n)
		memcpy(&space->ranges[i], parts, n * sizeof(*parts));
	wt_map_share_remove(space->share, bytes_of(space));
	space->n = space->n - (j - i) + n;
	wt_map_share_add(space->share, bytes_of(space));
	space->version = ++images->versions;
	return 0;
}

int wt_space_map(struct wt_space **space, struct wt_image_set *images, const struct wt_range *range)
{
	const struct wt_range *old = wt_space_look(*space, range->start);

	if (old && old->end >= range->end && old->image == range->image && old->bias == range->bias &&
	    old->unseen == range->unseen)
		return 0;
	if (wt_space_own(space, images))
		return -1;
	(*space)->unseen |= range->unseen;
	return replace(*space, images, range->start, range->end, range);
}

int wt_space_unmap(struct wt_space **space, struct wt_image_set *images, uint64_t start, uint64_t end)
{
	if (start >= end || !overlaps(*space, first_to(*space, start), first_beyond(*space, end), start, end))
		return 0;
	if (wt_space_own(space, images))
		return -1;
	return replace(*space, images, start, end, NULL);
}

/* Counts what the parts take after a change, in place of what they took before. */
static void recount(struct wt_space *space, struct wt_image_set *images, size_t before)
{
	size_t now = wt_writes_bytes(&space->writes);

	images->bytes += now - before;
	wt_map_share_remove(space->share, before);
	wt_map_share_add(space->share, now);
}

int wt_space_write(struct wt_space **space, struct wt_image_set *images, const struct wt_image_payload *map)
{
	size_t before;

	if (!(*space)->writes.since || wt_writes_covers(&(*space)->writes, map))
		return 0;
	if (wt_space_own(space, images))
		return -1;
	before = wt_writes_bytes(&(*space)->writes);
	wt_writes_add(&(*space)->writes, map);
	recount(*space, images, before);
	return 0;
}

void wt_space_forget_writes(struct wt_space *space, struct wt_image_set *images)
{
	size_t before = wt_writes_bytes(&space->writes);

	wt_writes_clear(&space->writes);
	recount(space, images, before);
}

void wt_space_seen(struct wt_space *space, const struct wt_range *range)
{
	bool unseen = false;

	space->ranges[range - space->ranges].unseen = false;
	for (uint32_t i = 0; i < space->n && !unseen; i++)
		unseen = space->ranges[i].unseen;
	space->unseen = unseen;
}

const struct wt_range *wt_space_look(const struct wt_space *space, uint64_t address)
{
	uint32_t i = first_beyond(space, address);

	return i && address < space->ranges[i - 1].end ? &space->ranges[i - 1] : NULL;
}

const struct wt_range *wt_space_search(struct wt_space *space, uint64_t address)
{
	const struct wt_range *range = wt_space_look(space, address);

	if (range)
		space->last = (uint32_t)(range - space->ranges);
	return range;
}
