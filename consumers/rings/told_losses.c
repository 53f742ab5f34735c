// SPDX-License-Identifier: MIT
#include "consumers/rings/told_losses.h"

#include <stdlib.h>

static uint64_t key_of(uint32_t ring, uint8_t cause)
{
	return (uint64_t)ring << 8 | cause;
}

static bool make_room(struct wt_told_losses *told)
{
	uint32_t cap = told->cap ? told->cap * 2 : 16;
	uint64_t *counts;

	if (told->keys.count < told->cap)
		return true;
	counts = realloc(told->counts, cap * sizeof(*counts));
	if (!counts)
		return false;
	told->counts = counts;
	told->cap = cap;
	return true;
}

int wt_told_losses_add(struct wt_told_losses *told, uint32_t ring, struct wt_str provider, uint8_t cause,
		       uint64_t count, struct wt_err *err)
{
	uint32_t name, i;
	bool fresh;

	/* A ring that overflowed while the disk was slow was told of with the disk as its cause. */
	if (cause == WT_LOSS_DISK || cause == WT_LOSS_SHARE)
		cause = WT_LOSS_RING_FULL;
	name = make_room(told) ? wt_strings_add(&told->providers, provider.p, provider.len, &fresh)
			       : WT_INTERN_NONE;
	i = name == WT_INTERN_NONE ? name : wt_intern(&told->keys, key_of(ring, cause), name, &fresh);
	if (i == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	told->counts[i] = fresh ? count : told->counts[i] + count;
	return 0;
}

uint64_t wt_told_losses_take(struct wt_told_losses *told, uint32_t ring, struct wt_str provider,
			     uint8_t cause, uint64_t count)
{
	uint32_t name = wt_strings_find(&told->providers, provider.p, provider.len), i;
	uint64_t part;

	i = name == WT_INTERN_NONE ? name : wt_intern_find(&told->keys, key_of(ring, cause), name);
	if (i == WT_INTERN_NONE)
		return 0;
	part = told->counts[i] < count ? told->counts[i] : count;
	told->counts[i] -= part;
	return part;
}

void wt_told_losses_deinit(struct wt_told_losses *told)
{
	wt_strings_deinit(&told->providers);
	wt_intern_deinit(&told->keys);
	free(told->counts);
	*told = (struct wt_told_losses){0};
}
