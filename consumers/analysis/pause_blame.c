// SPDX-License-Identifier: MIT
#include "consumers/analysis/pause_blame.h"

#include <stdlib.h>

static int by_who(const struct wt_pause_blame *a, const struct wt_pause_blame *b)
{
	if (a->cause != b->cause)
		return a->cause < b->cause ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->by > b->by) - (a->by < b->by);
}

static int to_add_up(const void *x, const void *y)
{
	return by_who(x, y);
}

static int most_first(const void *x, const void *y)
{
	const struct wt_pause_blame *a = x, *b = y;

	if (a->length != b->length)
		return a->length > b->length ? -1 : 1;
	return by_who(a, b);
}

/* Largest remainders first; of equal ones the row above. */
static void share_out(struct wt_pause_blame *rows, uint32_t n, uint64_t all)
{
	uint32_t given = 0;

	for (uint32_t i = 0; i < n; i++) {
		rows[i].share = (uint32_t)((unsigned __int128)rows[i].length * WT_PAUSE_ALL / all);
		given += rows[i].share;
	}
	for (; given < WT_PAUSE_ALL; given++) {
		unsigned __int128 most = 0;
		uint32_t at = 0;

		for (uint32_t i = 0; i < n; i++) {
			unsigned __int128 whole = (unsigned __int128)rows[i].length * WT_PAUSE_ALL;
			unsigned __int128 shared = (unsigned __int128)rows[i].share * all;

			if (whole > shared && whole - shared > most) {
				most = whole - shared;
				at = i;
			}
		}
		rows[at].share++;
	}
}

int wt_pause_blame(const struct wt_pause_path *path, struct wt_pause_blame **ret, uint32_t *n,
		   struct wt_err *err)
{
	struct wt_pause_blame *rows = calloc(path->n_segments + (size_t)1, sizeof(*rows));
	uint32_t last = 0;

	*ret = rows;
	*n = 0;
	if (!rows)
		return wt_fail_nomem(err);
	if (!path->n_segments)
		return 0;
	for (uint32_t i = 0; i < path->n_segments; i++) {
		const struct wt_pause_segment *from = &path->segments[i];

		rows[i] = (struct wt_pause_blame){.tid = from->tid,
						  .by = from->by,
						  .state = from->state,
						  .cause = from->cause,
						  .length = from->to - from->from,
						  .segments = 1};
	}
	qsort(rows, path->n_segments, sizeof(*rows), to_add_up);
	for (uint32_t i = 1; i < path->n_segments; i++) {
		if (by_who(&rows[last], &rows[i])) {
			rows[++last] = rows[i];
			continue;
		}
		rows[last].length += rows[i].length;
		rows[last].segments++;
	}
	*n = last + 1;
	qsort(rows, *n, sizeof(*rows), most_first);
	share_out(rows, *n, path->to - path->from);
	return 0;
}
