// SPDX-License-Identifier: MIT
#include "tracecore/base/heads.h"

#include <stdlib.h>

int wt_heads_grow(struct wt_heads *heads, uint32_t n)
{
	uint32_t n_slots = heads->n_slots ? heads->n_slots : 2;
	wt_head *old = heads->tree;
	uint32_t n_old = heads->n_slots;

	while (n_slots < n)
		n_slots *= 2;
	if (n_slots == n_old)
		return 0;
	heads->tree = malloc(2 * (size_t)n_slots * sizeof(wt_head));
	if (!heads->tree) {
		heads->tree = old;
		return -1;
	}
	heads->n_slots = n_slots;
	for (uint32_t i = 0; i < 2 * n_slots; i++)
		heads->tree[i] = WT_HEAD_NONE;
	for (uint32_t i = 0; i < n_old; i++)
		wt_heads_set(heads, i, old[n_old + i]);
	free(old);
	return 0;
}

void wt_heads_deinit(struct wt_heads *heads)
{
	free(heads->tree);
	*heads = (struct wt_heads){0};
}
