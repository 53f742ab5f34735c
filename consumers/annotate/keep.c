/* SPDX-License-Identifier: MIT */
/* Strings of the result. */
#include "consumers/annotate/work.h"

struct wt_str wt_annotate_keep(struct wt_annotate_work *work, const void *bytes, size_t len)
{
	const char *copy = wt_arena_copy(work->texts, bytes, len);

	return (struct wt_str){copy, copy ? (uint32_t)len : 0};
}
