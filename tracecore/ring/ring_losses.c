/* SPDX-License-Identifier: MIT */
/* The losses of a ring, counted by its writers when a record finds no room. */
#include "tracecore/base/clock.h"
#include "tracecore/ring/reading.h"
#include "tracecore/ring/writing.h"

/* F.1: writers count these causes. One ring has one writer at a time, which needs more than a nanosecond
 * for each loss. But losses that a program kept while it had no ring are added at once (RING.md, Losses).
 * The ticks of the slowest counters since the ring's birth leave room for a few. */
static bool plausible(const struct wt_ring_reader *ring, uint64_t key, uint64_t count, uint64_t room)
{
	struct wt_ring_shape shape = {.counter = ring->counter};
	uint8_t cause = (uint8_t)key;

	if ((cause != WT_RING_FULL && cause != WT_RING_TOO_LARGE && cause != WT_RING_NO_MEMORY) ||
	    count / 256 > wt_ring_now(&shape) - ring->birth)
		return false;
	return cause == WT_RING_NO_MEMORY || count <= room;
}

/* The nanoseconds for which a clock made from a slow counter may stand still. */
#define CLOCK_STEP 1000

/* The most that may have been counted since the last look, less the count found at this one. */
struct look {
	uint64_t since, found;
};

static uint64_t room_left(const struct look *look)
{
	uint64_t room = look->since ? wt_clock_now() - look->since + CLOCK_STEP : UINT64_MAX;

	return room > look->found ? room - look->found : 0;
}

static bool tell(struct wt_ring_reader *ring, unsigned i, struct look *look, struct wt_ring_loss *ret)
{
	struct wt_abi_loss *shared = (struct wt_abi_loss *)((uint8_t *)ring->page + WT_ABI_RING_LOSSES) + i;
	/* The count is read first: the values that it covers were stored before it. */
	uint64_t count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE), before = ring->reported[i].count;
	uint64_t key = __atomic_load_n(&shared->key, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&shared->first, __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&shared->last, __ATOMIC_RELAXED);
	uint64_t from = count - before == 1 ? last : before ? ring->reported[i].last : first;

	if (count == before || !key)
		return false;
	/* Accepts the present count, because the next writer continues from it. */
	ring->reported[i].count = count;
	ring->reported[i].last = last;
	if (!plausible(ring, key, count - before, room_left(look))) {
		ring->damaged++;
		return false;
	}
	look->found += (uint8_t)key == WT_RING_NO_MEMORY ? 0 : count - before;
	*ret = (struct wt_ring_loss){.provider = (uint32_t)(key >> 8),
				     .result = (uint8_t)key,
				     .count = count - before,
				     .from = from < last ? from : last,
				     .to = last};
	return true;
}

size_t wt_ring_reader_losses(struct wt_ring_reader *ring, struct wt_ring_loss *ret, size_t n)
{
	struct look look = {.since = ring->looked};
	uint64_t now = wt_clock_now();
	size_t got = 0;
	unsigned i = 0;

	for (; i < WT_ABI_LOSSES && got < n; i++)
		got += tell(ring, i, &look, &ret[got]);
	/* Entries that did not fit into ret may have grown for longer. */
	if (i == WT_ABI_LOSSES)
		ring->looked = now;
	return got;
}
