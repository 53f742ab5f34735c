/* SPDX-License-Identifier: MIT */
/* What a ring lost: counted by its writers when there was no room, computed from the census when blocks were
 * overwritten. */
#include <stdlib.h>

#include "tracecore/ring/reading.h"
#include "tracecore/ring/writing.h"

struct wt_reading_count *wt_reading_count(struct wt_ring_reader *ring, uint32_t provider)
{
	struct wt_reading_count *bigger;

	for (uint32_t i = 0; i < ring->n_counts; i++) {
		if (ring->counts[i].provider == provider)
			return &ring->counts[i];
	}
	bigger = realloc(ring->counts, (ring->n_counts + 1) * sizeof(*bigger));
	if (!bigger || ring->n_counts == 65536) {
		ring->counts = bigger ? bigger : ring->counts;
		return NULL;
	}
	ring->counts = bigger;
	bigger[ring->n_counts] = (struct wt_reading_count){.provider = provider};
	return &bigger[ring->n_counts++];
}

void wt_reading_census(struct wt_ring_reader *ring, const struct wt_abi_census *census, uint32_t n,
		       uint64_t first)
{
	for (uint32_t i = 0; i < n; i++) {
		struct wt_reading_count *count = wt_reading_count(ring, census[i].provider);

		/* F.1: no more than there was room for since the ring's birth. */
		if (census[i].count > ring->at.sequence * ring->block_bytes / sizeof(struct wt_abi_record)) {
			ring->damaged++;
			continue;
		}
		if (!count || census[i].count <= count->seen + count->gone)
			continue;
		if (!count->untold)
			count->from = ring->last_tick ? ring->last_tick : ring->birth;
		count->to = first;
		count->untold += census[i].count - count->seen - count->gone;
		count->gone = census[i].count - count->seen;
	}
}

static bool tell_overwritten(struct wt_reading_count *count, struct wt_ring_loss *ret)
{
	if (!count->untold)
		return false;
	*ret = (struct wt_ring_loss){.provider = count->provider,
				     .result = WT_RING_OVERWRITTEN,
				     .count = count->untold,
				     .from = count->from < count->to ? count->from : count->to,
				     .to = count->to};
	count->untold = 0;
	return true;
}

/* F.1: a writer counts these causes, and no faster than time goes by: with the slowest counters a tick has
 * room for a few losses. */
static bool plausible(const struct wt_ring_reader *ring, uint64_t key, uint64_t count)
{
	struct wt_ring_shape shape = {.counter = ring->counter};
	uint8_t cause = (uint8_t)key;

	return (cause == WT_RING_FULL || cause == WT_RING_TOO_LARGE || cause == WT_RING_NO_MEMORY) &&
	       count / 256 <= wt_ring_now(&shape) - ring->birth;
}

static bool tell(struct wt_ring_reader *ring, unsigned i, struct wt_ring_loss *ret)
{
	struct wt_abi_loss *shared = (struct wt_abi_loss *)((uint8_t *)ring->page + WT_ABI_RING_LOSSES) + i;
	/* The count comes first: what it covers was stored before it. */
	uint64_t count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE), before = ring->told[i].count;
	uint64_t key = __atomic_load_n(&shared->key, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&shared->first, __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&shared->last, __ATOMIC_RELAXED);

	if (count <= before || !key || count == ring->told[i].bad)
		return false;
	if (!plausible(ring, key, count)) {
		ring->told[i].bad = count;
		ring->damaged++;
		return false;
	}
	uint64_t from = count - before == 1 ? last : before ? ring->told[i].last : first;

	*ret = (struct wt_ring_loss){.provider = (uint32_t)(key >> 8),
				     .result = (uint8_t)key,
				     .count = count - before,
				     .from = from < last ? from : last,
				     .to = last};
	ring->told[i].count = count;
	ring->told[i].last = last;
	return true;
}

size_t wt_ring_reader_losses(struct wt_ring_reader *ring, struct wt_ring_loss *ret, size_t n)
{
	size_t got = 0;

	for (unsigned i = 0; i < WT_ABI_LOSSES && got < n; i++)
		got += tell(ring, i, &ret[got]);
	for (uint32_t i = 0; i < ring->n_counts && got < n; i++)
		got += tell_overwritten(&ring->counts[i], &ret[got]);
	return got;
}
