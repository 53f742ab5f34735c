// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/ticks.h"

#include <math.h>

/* The range of ticks to look for. Shorter ticks save less than three bits, and no clock of today has
 * longer ones. */
#define SHORTEST 6.0
#define LONGEST  64.0
/* Gaps that show a tick before it is known well, the shortest first; the number of them that are examined,
 * and the number needed. */
#define SHORT_GAP    1000
#define LONGER       4
#define LONGER_TIMES 2
#define GAPS         512
#define MIN_GAPS     32
/* The step from one tried length to the next, as its effect over the longest of these gaps, ns. */
#define STRIDE 0.25
/* The distance that the true length may be below the longest fitting one, in this measure too. */
#define BELOW 4.0
/* The largest distance of a gap from a whole number of ticks: both its ends are rounded. */
#define ROUNDED 1.25
/* One gap in this many may be further off. */
#define OTHERS 32
/* Longer gaps give the tick more exactly, up to a length at which the clock's corrections blur them. */
#define LONG_GAP 1000000
#define NARROWER 4
/* The relative precision with which another block has given the tick. */
#define KNOWN_WITHIN 2e-7
/* The number of lengths tried in a range at one time (fewer where the tick is known), the number of times
 * that the range is narrowed to the surroundings of the best one, and the number of rows used. */
#define TRIALS       16
#define KNOWN_TRIALS 4
#define LEVELS       5
#define SAMPLE       8192
/* Pieces with fewer rows, on average, cost more than ticks save. */
#define MIN_PIECE 8
/* The bits that a piece needs. */
#define PIECE_BITS 20
/* The number of searches without success after which the log is taken to have no such clock. */
#define MAX_TRIES 4

#define UNIT_BITS   WT_DISK_TICK_BITS
#define OFFSET_BITS WT_DISK_TICK_OFFSET_BITS
/* The difference between the fraction bits of both. */
#define OFFSET_SHIFT (UNIT_BITS - OFFSET_BITS)
/* Offsets of one nanosecond. */
#define OFFSETS (1 << OFFSET_BITS)

struct times {
	const uint64_t *at;
	uint32_t n;
};

/* The lengths of a tick between which the true one lies, ns. */
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

/* Finds the longest tick of which the short gaps consist. */
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

/* Narrows the range by a gap, when its number of ticks is certain. */
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

/* A longer gap gives the tick more exactly, once shorter gaps make its number of ticks certain. */
static void narrow(struct times times, struct range *range)
{
	for (unsigned round = 0; round < NARROWER; round++)
		for (uint32_t i = 1; i < times.n; i++)
			narrow_by(range, (double)(times.at[i] - times.at[i - 1]));
}

/* The nearest whole number to a number that is not negative; of two equally near ones, the larger. */
static uint64_t nearest(double value)
{
	return (uint64_t)(value + 0.5);
}

static uint64_t unit_of(double tick)
{
	return (uint64_t)llround(ldexp(tick, UNIT_BITS));
}

/* Puts the ticks from time to time into keys->ticks, and the offsets that convert them back to these times
 * into keys->miss_rows and keys->miss_values, one for each piece. Returns the number of pieces. Stops at
 * `most`. */
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
		/* The smallest offset that gives no earlier time. Up to OFFSETS - 1 more, an offset gives
		 * no later time either. */
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

/* The length in the range that needs fewest pieces. The range becomes its surroundings. */
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

/* The number of pieces that the times have with a tick of the range; 0: too many. */
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

/* Uses the clock known from other blocks, or found in this one. */
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

/* Computes as a reader will. */
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

/* The number of bits that the steps from value to value need by the frequency of their bytes, plane by
 * plane. */
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
