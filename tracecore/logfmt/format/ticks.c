// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/ticks.h"

#include <math.h>

/* Ticks looked for: shorter ones save less than three bits, longer ones no clock of today has. */
#define SHORTEST 6.0
#define LONGEST  64.0
/* Gaps in which a tick shows without being known well, the shorter the sooner; how many are looked at, and at
 * least needed. */
#define SHORT_GAP    1000
#define LONGER       4
#define LONGER_TIMES 2
#define GAPS         512
#define MIN_GAPS     32
/* From one length that is tried to the next, over the longest of these gaps, ns. */
#define STRIDE 0.25
/* How far below the longest that fits the true one may be, in the same way. */
#define BELOW 4.0
/* How far a gap may be off from a whole number of ticks: both its ends are rounded. */
#define ROUNDED 1.25
/* Gaps that may be further off, one in so many. */
#define OTHERS 32
/* Longer gaps tell more of the tick, up to where the clock's corrections blur them. */
#define LONG_GAP 1000000
#define NARROWER 4
/* The tick is known so well from another block, as a part of it. */
#define KNOWN_WITHIN 2e-7
/* Lengths tried in a range at a time (fewer where the tick is known), how often the range is cut to the best
 * one's surroundings, in how many rows. */
#define TRIALS       16
#define KNOWN_TRIALS 4
#define LEVELS       5
#define SAMPLE       8192
/* Fewer rows in a piece, on average, cost more than ticks save. */
#define MIN_PIECE 8
/* What a piece needs. */
#define PIECE_BITS 20
/* Searches for a clock that find none, until it is believed that there is none. */
#define MAX_TRIES 4

#define UNIT_BITS   WT_DISK_TICK_BITS
#define OFFSET_BITS WT_DISK_TICK_OFFSET_BITS
/* Between the bits behind the point of both. */
#define OFFSET_SHIFT (UNIT_BITS - OFFSET_BITS)
/* Offsets of one nanosecond. */
#define OFFSETS (1 << OFFSET_BITS)

struct times {
	const uint64_t *at;
	uint32_t n;
};

/* Between which lengths of a tick the true one lies, ns. */
struct range {
	double lo, hi;
};

static double middle(struct range range)
{
	return (range.lo + range.hi) / 2;
}

static bool fits(const double *gaps, uint32_t n, double tick)
{
	uint32_t off = 0;

	for (uint32_t i = 0; i < n; i++) {
		off += fabs(gaps[i] - round(gaps[i] / tick) * tick) > ROUNDED;
		if (off > n / OTHERS)
			return false;
	}
	return true;
}

static uint32_t short_gaps(struct times times, uint64_t longest, double *ret)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < times.n && n < GAPS; i++) {
		uint64_t gap = times.at[i] - times.at[i - 1];

		if (gap > longest / LONGER && gap <= longest)
			ret[n++] = (double)gap;
	}
	return n;
}

/* The longest tick that short gaps are made of. */
static bool guess(struct times times, struct range *ret)
{
	uint64_t longest = SHORT_GAP;
	uint32_t n = 0;
	double gaps[GAPS];

	for (unsigned i = 0; i <= LONGER_TIMES && n < MIN_GAPS; i++) {
		longest *= i ? LONGER : 1;
		n = short_gaps(times, longest, gaps);
	}
	if (n < MIN_GAPS)
		return false;
	for (double tick = LONGEST; tick >= SHORTEST; tick /= 1 + STRIDE / (double)longest)
		if (fits(gaps, n, tick)) {
			*ret = (struct range){tick - tick * BELOW / (double)longest,
					      tick + tick * STRIDE / (double)longest};
			return true;
		}
	return false;
}

/* What a gap tells, when it is clear how many ticks it has. */
static void narrow_by(struct range *range, double gap)
{
	double ticks = round(gap / middle(*range)), lo, hi;

	if (ticks < 1 || gap > LONG_GAP || gap / range->lo - gap / range->hi > 0.5)
		return;
	lo = fmax((gap - ROUNDED) / ticks, range->lo);
	hi = fmin((gap + ROUNDED) / ticks, range->hi);
	if (lo <= hi)
		*range = (struct range){lo, hi};
}

/* The longer a gap, the more exactly it tells, once the shorter ones have shown how many ticks it has. */
static void narrow(struct times times, struct range *range)
{
	for (unsigned round = 0; round < NARROWER; round++)
		for (uint32_t i = 1; i < times.n; i++)
			narrow_by(range, (double)(times.at[i] - times.at[i - 1]));
}

/* The nearest whole number to one that is not negative; where two are equally near, the larger. */
static uint64_t nearest(double value)
{
	return (uint64_t)(value + 0.5);
}

static uint64_t unit_of(double tick)
{
	return (uint64_t)llround(ldexp(tick, UNIT_BITS));
}

/* Counts ticks from time to time, to keys->ticks, and the offsets at which they tell these times: how many
 * pieces with an offset each there are, to keys->miss_rows and keys->miss_values. Stops at `most`. */
static uint32_t follow(struct times times, double tick, uint32_t most, struct wt_log_keys *keys)
{
	uint64_t unit = unit_of(tick), off = 0; /* from the ticks to the time; in fact signed and small */
	int64_t lo = 0, hi = OFFSETS - 1;
	uint32_t pieces = 0;

	keys->ticks[0] = 0;
	for (uint32_t i = 1; i < times.n && pieces < most; i++) {
		uint64_t gap = times.at[i] - times.at[i - 1];
		double ahead = (double)(int64_t)off / (double)(UINT64_C(1) << UNIT_BITS) -
			       (double)(lo + hi - OFFSETS) / (2 * OFFSETS);
		double passed = ((double)gap + ahead) / tick;
		uint64_t ticks = passed > 0 ? nearest(passed) : 0;
		int64_t least;

		keys->ticks[i] = keys->ticks[i - 1] + ticks;
		off += (gap << UNIT_BITS) - ticks * unit;
		/* The smallest offset that does not tell an earlier time; OFFSETS - 1 more tell no later one.
		 */
		least = (int64_t)(off + (UINT64_C(1) << OFFSET_SHIFT) - 1) >> OFFSET_SHIFT;
		if (least <= hi && least + OFFSETS - 1 >= lo) {
			lo = least > lo ? least : lo;
			hi = least + OFFSETS - 1 < hi ? least + OFFSETS - 1 : hi;
			continue;
		}
		keys->miss_values[pieces++] = (uint64_t)((lo + hi) / 2);
		keys->miss_rows[pieces] = i;
		lo = least;
		hi = least + OFFSETS - 1;
	}
	keys->miss_rows[0] = 0;
	keys->miss_values[pieces++] = (uint64_t)((lo + hi) / 2);
	return pieces;
}

/* The length in the range that needs least pieces; the range becomes its surroundings. */
static double best_of(struct times times, struct range *range, unsigned trials, struct wt_log_keys *keys)
{
	struct times sample = {times.at, times.n < SAMPLE ? times.n : SAMPLE};
	double step = (range->hi - range->lo) / trials, best = middle(*range);
	uint32_t least = UINT32_MAX;

	for (unsigned i = 0; i <= trials; i++) {
		double tick = range->lo + i * step;
		uint32_t pieces = follow(sample, tick, sample.n / 2, keys);

		if (pieces >= least)
			continue;
		least = pieces;
		best = tick;
	}
	*range = (struct range){best - step, best + step};
	return best;
}

/* How many pieces the times have with a tick of the range; 0: too many. */
static uint32_t find_ticks(struct times times, struct range range, unsigned levels, unsigned trials,
			   struct wt_log_keys *keys)
{
	double tick = middle(range);
	uint32_t pieces;

	for (unsigned i = 0; i < levels; i++)
		tick = best_of(times, &range, trials, keys);
	pieces = follow(times, tick, times.n / MIN_PIECE + 1, keys);
	if (pieces > times.n / MIN_PIECE)
		return 0;
	keys->tick = tick;
	return pieces;
}

/* By the clock as it is known from other blocks, or found in this one. */
static uint32_t settle(struct times times, struct wt_log_keys *keys)
{
	struct range range = {keys->tick * (1 - KNOWN_WITHIN), keys->tick * (1 + KNOWN_WITHIN)};

	if (keys->tick > 0)
		return find_ticks(times, range, 1, KNOWN_TRIALS, keys);
	if (keys->tick_tries >= MAX_TRIES)
		return 0;
	keys->tick_tries++;
	if (!guess(times, &range))
		return 0;
	narrow(times, &range);
	return find_ticks(times, range, LEVELS, TRIALS, keys);
}

/* As a reader will do it. */
static bool is_right(struct times times, const struct wt_log_keys *keys, uint32_t pieces)
{
	struct wt_log_ticks how = {.origin = times.at[0], .unit = unit_of(keys->tick)};

	for (uint32_t i = 0, piece = 0; i < times.n; i++) {
		piece += piece + 1 < pieces && keys->miss_rows[piece + 1] == i;
		if (wt_log_time_of(&how, keys->ticks[i], keys->miss_values[piece]) != times.at[i])
			return false;
	}
	return true;
}

/* How many bits the steps from value to value need by the frequency of their bytes, plane by plane. */
static double bits_of(const uint64_t *values, uint32_t n)
{
	uint32_t counts[sizeof(uint64_t)][256] = {0};
	uint64_t least = UINT64_MAX;
	double bits = 0;

	for (uint32_t i = 1; i < n; i++)
		least = values[i] - values[i - 1] < least ? values[i] - values[i - 1] : least;
	for (uint32_t i = 1; i < n; i++) {
		uint64_t step = values[i] - values[i - 1] - least;

		for (unsigned plane = 0; plane < sizeof(step); plane++)
			counts[plane][step >> (8 * plane) & 0xff]++;
	}
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0][0]); i++) {
		double count = counts[i / 256][i % 256];

		bits -= count > 0 ? count * log2(count / n) : 0;
	}
	return bits;
}

static bool is_worth(struct times times, const struct wt_log_keys *keys, uint32_t pieces)
{
	return bits_of(keys->ticks, times.n) + (double)pieces * PIECE_BITS < bits_of(times.at, times.n);
}

bool wt_log_put_ticks(struct wt_buf *out, uint16_t id, const uint64_t *at, uint32_t n,
		      struct wt_log_column_scratch *scratch)
{
	struct wt_log_keys *keys = scratch->keys;
	struct times times = {at, n};
	uint32_t pieces = n < WT_LOG_KEY_ROWS || at[0] == at[n - 1] ? 0 : settle(times, keys);
	size_t begun;

	if (!pieces || !is_worth(times, keys, pieces) || !is_right(times, keys, pieces))
		return false;
	begun = wt_log_begin_column(out, scratch);
	wt_buf_put_u64(out, at[0]);
	wt_buf_put_u64(out, unit_of(keys->tick));
	wt_log_put_ints(out, 0, keys->ticks, n, scratch);
	wt_buf_put_u32(out, pieces);
	wt_log_put_ints(out, 1, keys->miss_rows, pieces, scratch);
	wt_log_put_ints(out, 2, keys->miss_values, pieces, scratch);
	wt_log_end_column(out, begun, id, WT_DISK_TICKS, 0);
	return true;
}
