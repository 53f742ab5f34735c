// SPDX-License-Identifier: MIT
#include "consumers/pmu/kept.h"

#include <stdlib.h>
#include <string.h>

#define ROOM 16384 /* bytes of a chunk, unless one thing is larger */

struct wt_pmu_chunk {
	struct wt_pmu_chunk *next;
	size_t used, size;
	_Alignas(16) char bytes[];
};

void wt_pmu_kept_deinit(struct wt_pmu_kept *kept)
{
	struct wt_pmu_chunk *chunk, *next;

	for (chunk = kept->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	kept->chunks = NULL;
}

void *wt_pmu_keep(struct wt_pmu_kept *kept, size_t size, struct wt_err *err)
{
	struct wt_pmu_chunk *chunk = kept->chunks;
	void *ret;

	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > ROOM ? size : ROOM;

		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk) {
			wt_fail_nomem(err);
			return NULL;
		}
		chunk->size = room;
		chunk->next = kept->chunks;
		kept->chunks = chunk;
	}
	ret = chunk->bytes + chunk->used;
	chunk->used += size;
	return ret;
}

int wt_pmu_keep_text(struct wt_pmu_kept *kept, const char *text, const char **ret, struct wt_err *err)
{
	size_t size = text ? strlen(text) + 1 : 0;
	char *copy = NULL;

	if (text) {
		copy = wt_pmu_keep(kept, size, err);
		if (!copy)
			return -1;
		memcpy(copy, text, size);
	}
	*ret = copy;
	return 0;
}

int wt_pmu_keep_lower(struct wt_pmu_kept *kept, const char *text, const char **ret, struct wt_err *err)
{
	size_t size = text ? strlen(text) + 1 : 0;
	char *copy = text ? wt_pmu_keep(kept, size, err) : NULL;

	if (text && !copy)
		return -1;
	for (size_t i = 0; i < size; i++)
		copy[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
	*ret = copy;
	return 0;
}
