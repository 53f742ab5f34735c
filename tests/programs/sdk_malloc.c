// SPDX-License-Identifier: MIT
/* A kind of program that brings malloc, calloc, realloc and free, and nothing else of an allocator: what
 * others have allocated is not its to free (kinds/kind.h). */
#include "tests/programs/kinds/kind.h"

#define ARENA (16u << 20)

static union {
	char bytes[ARENA];
	long double aligned;
} arena;
static size_t used;

/* The size stands before the memory. Nothing is used twice. */
void *malloc(size_t size)
{
	size_t need = (size + 31) / 16 * 16;
	size_t at = size < ARENA ? __atomic_fetch_add(&used, need, __ATOMIC_RELAXED) : ARENA;

	if (at + need > ARENA) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(arena.bytes + at, &size, sizeof(size));
	return arena.bytes + at + 16;
}

void *calloc(size_t n, size_t size)
{
	return size && n > ARENA / size ? NULL : malloc(n * size);
}

void free(void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)arena.bytes;

	if (p && (at < 16 || at > ARENA || at % 16))
		abort();
}

void *realloc(void *p, size_t size)
{
	void *ret = malloc(size);
	size_t old = 0;

	free(p);
	if (p)
		memcpy(&old, (char *)p - 16, sizeof(old));
	if (ret && p)
		memcpy(ret, p, old < size ? old : size);
	return ret;
}

/* Ends with all given back. */
static int own_malloc(void)
{
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
#ifndef WT_WITHOUT
	wtrace_unregister(&kind_provider);
#endif
	return 0;
}

const struct kind wt_kinds[] = {
	{"own_malloc", own_malloc, NULL},
	{NULL, NULL, NULL},
};
