// SPDX-License-Identifier: MIT
#include "consumers/record/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE ((size_t)64)
/* The size of a huge page on x86-64, and on arm64 with 4 KiB pages; elsewhere it is only an alignment. */
#define HUGE_PAGE ((size_t)2 << 20)

static void *get_huge(size_t bytes)
{
	uint8_t *all = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	size_t before;

	if (all == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)all & (HUGE_PAGE - 1);
	if (before)
		munmap(all, before);
	if (before < HUGE_PAGE)
		munmap(all + before + bytes, HUGE_PAGE - before);
	madvise(all + before, bytes, MADV_HUGEPAGE);
	return all + before;
}

void *wt_pages_get(size_t bytes)
{
	void *pages;

	if (bytes >= HUGE_PAGE)
		return get_huge(bytes);
	pages = aligned_alloc(LINE, bytes);
	if (pages)
		memset(pages, 0, bytes);
	return pages;
}

void *wt_pages_double(void *pages, size_t bytes)
{
	void *bigger = wt_pages_get(2 * bytes);

	if (!bigger)
		return NULL;
	/* The mapping grows as it moves, because kernels before 6.17 cannot move memory that consists of
	 * parts moved earlier. When this fails, nobody knows how much of `bigger` is left; it is leaked. */
	if (bytes >= HUGE_PAGE)
		return mremap(pages, bytes, 2 * bytes, MREMAP_MAYMOVE | MREMAP_FIXED, bigger) == bigger
			       ? bigger
			       : NULL;
	memcpy(bigger, pages, bytes);
	wt_pages_put(pages, bytes);
	return bigger;
}

void wt_pages_put(void *pages, size_t bytes)
{
	if (bytes < HUGE_PAGE)
		free(pages);
	else if (pages)
		munmap(pages, bytes);
}
