/* SPDX-License-Identifier: MIT */
/* How much of an exhaustive test is run: a part that differs little, or with WT_WHOLE=1 (`make test`) all. */
#ifndef TESTS_UNIT_EXTENT_H
#define TESTS_UNIT_EXTENT_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool extent_whole(void)
{
	return getenv("WT_WHOLE") != NULL;
}

/* The step from one case to the next: 1 when all are run. Odd steps meet every place of an aligned layout. */
static inline size_t extent_step(size_t step)
{
	return extent_whole() ? 1 : step;
}

#endif
