// SPDX-License-Identifier: MIT
#include "tracecore/base/grow.h"

#include <stdlib.h>

enum { FEWEST = 8 };

void *wt_grow_to(void *array, size_t *cap, size_t n, size_t more, size_t size, size_t most,
		 struct wt_err *err)
{
	size_t need = n + more, twice = *cap <= most / 2 ? 2 * *cap : most;
	size_t room = need > twice ? need : twice, bytes;
	void *p = NULL;

	if (room < FEWEST)
		room = FEWEST;
	if (need >= n && need <= most && !__builtin_mul_overflow(room, size, &bytes))
		p = realloc(array, bytes);
	if (!p) {
		wt_fail_nomem(err);
		return NULL;
	}
	*cap = room;
	return p;
}
