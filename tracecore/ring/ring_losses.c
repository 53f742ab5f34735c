/* SPDX-License-Identifier: MIT */
/* What a ring lost: counted by its writers when there was no room, computed from the census when blocks were
 * overwritten. */
#include <stdlib.h>

#include "tracecore/base/clock.h"
#include "tracecore/ring/reading.h"
#include "tracecore/ring/writing.h"

/* Counts of another user's ring: the last is of all providers that have none of their own. */
#define COUNTS_OTHER 64u

static struct wt_reading_count *find_count(const struct wt_ring_reader *ring, uint32_t provider)
{
	for (uint32_t i = 0; i < ring->n_counts; i++) {
		if (ring->counts[i].provider == provider)
			return &ring->counts[i];
	}
	return NULL;
}

struct wt_reading_count *wt_reading_count(struct wt_ring_reader *ring, uint32_t provider)
{
	struct wt_reading_count *bigger, *found = find_count(ring, provider);

	/* Each is looked for among all. */
	if (!found && ring->file->allowance && ring->n_counts >= COUNTS_OTHER - 1) {
		provider = WT_ABI_LOSS_OTHERS;
		found = find_count(ring, provider);
	}
	if (found)
		return found;
	bigger = realloc(ring->counts, (ring->n_counts + 1) * sizeof(*bigger));
	if (!bigger || ring->n_counts == 65536) {
		ring->counts = bigger ? bigger : ring->counts;
		return NULL;
	}
	ring->counts = bigger;
	bigger[ring->n_counts] = (struct wt_reading_count){.provider = provider};
	return &bigger[ring->n_counts++];
}

/* `n` records of it were written, `seen` given out. */
static void find_gone(const struct wt_ring_reader *ring, struct wt_reading_count *count, uint64_t n,
		      uint64_t seen, uint64_t first)
{
	if (n <= seen + count->gone)
		return;
	if (!count->untold)
		count->from = ring->last_tick ? ring->last_tick : ring->birth;
	count->to = first;
	count->untold += n - seen - count->gone;
	count->gone = n - seen;
}

/* Of providers that the census has together, or the reader: what it has seen of them it may have counted
 * apart. */
static void find_others(struct wt_ring_reader *ring, uint64_t n, uint64_t first)
{
	struct wt_reading_count *others = wt_reading_count(ring, WT_ABI_LOSS_OTHERS);
	uint64_t seen = 0;

	for (uint32_t i = 0; i < ring->n_counts; i++)
		seen += ring->counts[i].named ? 0 : ring->counts[i].seen;
	if (others)
		find_gone(ring, others, n, seen, first);
}

void wt_reading_census(struct wt_ring_reader *ring, const struct wt_abi_census *census, uint32_t n,
		       uint64_t first)
{
	uint64_t others = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct wt_reading_count *count = wt_reading_count(ring, census[i].provider);

		/* F.1: no more than there was room for since the ring's birth. */
		if (census[i].count > ring->at.sequence * ring->block_bytes / sizeof(struct wt_abi_record)) {
			ring->damaged++;
			continue;
		}
		if (!count)
			continue;
		if (count->provider == WT_ABI_LOSS_OTHERS) {
			others += census[i].count;
			continue;
		}
		count->named = true;
		find_gone(ring, count, census[i].count, count->seen, first);
	}
	if (others)
		find_others(ring, others, first);
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

/* F.1: writers count these causes. One ring has one writer at a time, who needs more than a nanosecond for
 * each loss; but those a program kept for itself while it had no ring come at once (RING.md, Losses). Since
 * the ring's birth a tick of the slowest counters has room for a few. */
static bool plausible(const struct wt_ring_reader *ring, uint64_t key, uint64_t count, uint64_t room)
{
	struct wt_ring_shape shape = {.counter = ring->counter};
	uint8_t cause = (uint8_t)key;

	if ((cause != WT_RING_FULL && cause != WT_RING_TOO_LARGE && cause != WT_RING_NO_MEMORY) ||
	    count / 256 > wt_ring_now(&shape) - ring->birth)
		return false;
	return cause == WT_RING_NO_MEMORY || count <= room;
}

/* Nanoseconds that a clock made of a slow counter may stand still. */
#define CLOCK_STEP 1000

/* What may have been counted since the last look, less what was found in this one. */
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
	/* The count comes first: what it covers was stored before it. */
	uint64_t count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE), before = ring->told[i].count;
	uint64_t key = __atomic_load_n(&shared->key, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&shared->first, __ATOMIC_RELAXED);
	uint64_t last = __atomic_load_n(&shared->last, __ATOMIC_RELAXED);
	uint64_t from = count - before == 1 ? last : before ? ring->told[i].last : first;

	if (count == before || !key)
		return false;
	/* Whatever is there now, the next writer counts on from it. */
	ring->told[i].count = count;
	ring->told[i].last = last;
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
	/* Entries there was no room for may have grown for longer. */
	if (i == WT_ABI_LOSSES)
		ring->looked = now;
	for (uint32_t c = 0; c < ring->n_counts && got < n; c++)
		got += tell_overwritten(&ring->counts[c], &ret[got]);
	return got;
}
