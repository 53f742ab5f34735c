// SPDX-License-Identifier: MIT
#include "consumers/record/writes.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(const struct wt_write *part, const struct wt_image_payload *map)
{
	return part->inode == map->inode && part->device == map->device;
}

static uint64_t bias_of(const struct wt_image_payload *map)
{
	return map->file_offset - map->address;
}

static uint64_t end_of(const struct wt_image_payload *map)
{
	return map->size < UINT64_MAX - map->file_offset ? map->file_offset + map->size : UINT64_MAX;
}

static bool make_room(struct wt_writes *writes)
{
	uint32_t cap = writes->cap ? 2 * writes->cap : 8;
	struct wt_write *parts;

	if (writes->n < writes->cap)
		return true;
	if (writes->n == WT_WRITES_MOST)
		return false;
	parts = realloc(writes->parts, cap * sizeof(*parts));
	if (!parts)
		return false;
	writes->parts = parts;
	writes->cap = cap;
	return true;
}

/* The newest first: a part is mostly reported again soon, when some of its rights change. */
void wt_writes_add(struct wt_writes *writes, const struct wt_image_payload *map)
{
	const struct wt_write fresh = {
		.device = map->device,
		.inode = map->inode,
		.from = map->file_offset,
		.to = end_of(map),
		.bias = bias_of(map),
	};

	if (!writes->since)
		return;
	for (uint32_t i = writes->n; i-- > 0;) {
		struct wt_write *part = &writes->parts[i];

		if (!is_of(part, map) || part->bias != fresh.bias || part->from > fresh.to ||
		    part->to < fresh.from)
			continue;
		part->from = part->from < fresh.from ? part->from : fresh.from;
		part->to = part->to > fresh.to ? part->to : fresh.to;
		return;
	}
	if (make_room(writes))
		writes->parts[writes->n++] = fresh;
	else
		wt_writes_clear(writes);
}

static void extend(struct wt_writes_part *part, uint64_t from, uint64_t to)
{
	bool empty = part->from >= part->to;

	part->from = empty || from < part->from ? from : part->from;
	part->to = empty || to > part->to ? to : part->to;
}

void wt_writes_find(const struct wt_writes *writes, const struct wt_image_payload *map,
		    struct wt_writes_part *here, struct wt_writes_part *elsewhere)
{
	uint64_t end = end_of(map);

	*here = *elsewhere = (struct wt_writes_part){0};
	for (uint32_t i = 0; i < writes->n; i++) {
		const struct wt_write *part = &writes->parts[i];
		uint64_t from = part->from > map->file_offset ? part->from : map->file_offset;
		uint64_t to = part->to < end ? part->to : end;

		if (is_of(part, map) && from < to)
			extend(part->bias == bias_of(map) ? here : elsewhere, from, to);
	}
}

bool wt_writes_covers(const struct wt_writes *writes, const struct wt_image_payload *map)
{
	for (uint32_t i = writes->n; i-- > 0;)
		if (is_of(&writes->parts[i], map) && writes->parts[i].bias == bias_of(map) &&
		    writes->parts[i].from <= map->file_offset && writes->parts[i].to >= end_of(map))
			return true;
	return false;
}

void wt_writes_clear(struct wt_writes *writes)
{
	free(writes->parts);
	*writes = (struct wt_writes){.n = 0};
}

void wt_writes_copy(struct wt_writes *ret, const struct wt_writes *from)
{
	if (!from->since)
		return;
	if (from->n) {
		ret->parts = malloc(from->n * sizeof(*ret->parts));
		if (!ret->parts)
			return;
		memcpy(ret->parts, from->parts, from->n * sizeof(*ret->parts));
	}
	ret->n = ret->cap = from->n;
	ret->since = from->since;
}
