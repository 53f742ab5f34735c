/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10 };

struct wt_arena_chunk {
	struct wt_arena_chunk *next;
	size_t used, cap;
	char bytes[];
};

static struct wt_arena_chunk *chunk_for(struct wt_arena *arena, size_t n)
{
	struct wt_arena_chunk *chunk = arena->chunks;
	size_t cap = n > CHUNK_BYTES ? n : CHUNK_BYTES;

	if (chunk && chunk->cap - chunk->used >= n)
		return chunk;
	chunk = malloc(sizeof(*chunk) + cap);
	if (!chunk)
		return NULL;
	*chunk = (struct wt_arena_chunk){.next = arena->chunks, .cap = cap};
	arena->chunks = chunk;
	return chunk;
}

const char *wt_arena_copy(struct wt_arena *arena, const void *bytes, size_t n)
{
	struct wt_arena_chunk *chunk = n < SIZE_MAX / 2 ? chunk_for(arena, n + 1) : NULL;
	char *copy;

	if (!chunk)
		return NULL;
	copy = chunk->bytes + chunk->used;
	if (n)
		memcpy(copy, bytes, n);
	copy[n] = '\0';
	chunk->used += n + 1;
	return copy;
}

static void drop_from(struct wt_arena_chunk *chunk)
{
	while (chunk) {
		struct wt_arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void wt_arena_clear(struct wt_arena *arena)
{
	if (!arena->chunks)
		return;
	drop_from(arena->chunks->next);
	arena->chunks->next = NULL;
	arena->chunks->used = 0;
}

void wt_arena_deinit(struct wt_arena *arena)
{
	drop_from(arena->chunks);
	arena->chunks = NULL;
}
