// SPDX-License-Identifier: MIT
#include "providers/perf/hold.h"

#include <string.h>
#include <sys/mman.h>

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Gives back the whole pages of the positions from `from` to `to`, which are multiples of a page. A kernel
 * without this keeps the pages until their place is used again; they stay within the hold. */
static void give_back(struct wt_perf_hold *hold, uint64_t from, uint64_t to)
{
	uint64_t n = at_most(to - from, hold->size), start = from & (hold->size - 1);
	uint64_t first = at_most(n, hold->size - start);

	if (first)
		madvise(hold->data + start, first, MADV_REMOVE);
	if (n > first)
		madvise(hold->data, n - first, MADV_REMOVE);
}

void wt_perf_hold_reset(struct wt_perf_hold *hold)
{
	if (!hold->data)
		return;
	if (hold->state->end)
		give_back(hold, 0, hold->size);
	*hold->state = (struct wt_perf_held){0};
}

/* Returns the pages that n bytes may touch, at any alignment. */
static uint64_t pages_of(const struct wt_perf_hold *hold, uint64_t n)
{
	return n ? (n + hold->page - 2) / hold->page + 1 : 0;
}

/* Records without a hole are adjacent: a page shared with a neighbour is counted with the neighbour. */
uint64_t wt_perf_hold_cost(const struct wt_perf_hold *hold, const struct wt_perf_held_record *record)
{
	uint32_t tail = record->len - record->hole_end;

	if (record->hole_end - record->hole < 2 * hold->page)
		return record->len;
	return (pages_of(hold, record->hole) + pages_of(hold, tail)) * hold->page;
}

static void copy(struct wt_perf_hold *hold, uint64_t at, const uint8_t *bytes, uint64_t n)
{
	uint64_t start = at & (hold->size - 1), first = at_most(n, hold->size - start);

	memcpy(hold->data + start, bytes, first);
	memcpy(hold->data, bytes + first, n - first);
}

bool wt_perf_hold_put(struct wt_perf_hold *hold, uint64_t at, const struct wt_perf_held_record *record)
{
	uint64_t begin = wt_perf_hold_is_empty(hold) ? at : hold->state->begin;

	/* The page of begin must not be used twice. */
	if (at + record->len - begin > hold->size - hold->page)
		return false;
	copy(hold, at, record->bytes, record->hole);
	copy(hold, at + record->hole_end, record->bytes + record->hole_end, record->len - record->hole_end);
	return true;
}

void wt_perf_hold_publish(struct wt_perf_hold *hold, uint64_t begin, uint64_t end, uint64_t bytes)
{
	struct wt_perf_held *state = hold->state;

	if (wt_perf_hold_is_empty(hold)) {
		state->bytes = 0;
		/* Still empty, because the old end is not behind begin. */
		__atomic_store_n(&state->begin, begin, __ATOMIC_RELEASE);
	}
	state->bytes += bytes;
	__atomic_store_n(&state->end, end, __ATOMIC_RELEASE);
}

void wt_perf_hold_release(struct wt_perf_hold *hold, uint64_t pos, uint64_t bytes)
{
	struct wt_perf_held *state = hold->state;
	uint64_t page = ~(hold->page - 1), begin = state->begin;

	if (pos <= begin)
		return;
	state->bytes -= at_most(bytes, state->bytes);
	__atomic_store_n(&state->begin, pos, __ATOMIC_RELEASE);
	if (pos >= state->end)
		give_back(hold, begin & page, (state->end + hold->page - 1) & page);
	else if ((begin & page) != (pos & page))
		give_back(hold, begin & page, pos & page);
	if (pos >= state->end)
		state->bytes = 0;
}
