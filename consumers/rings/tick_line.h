/* SPDX-License-Identifier: MIT */
/**
 * @file
 * From the CPU's counter to the session clock: straight lines between moments at which both were read.
 *
 * A tick behind the last such moment makes the line read both again, now; a tick between two moments lies on
 * the line between them, which later readings do not change: so what was converted once stays right, and the
 * conversion never falls. The kernel's clock is a straight line of the counter itself; what is left is the
 * error of two readings, a few ns. One thread.
 */
#ifndef CONSUMERS_RINGS_TICK_LINE_H
#define CONSUMERS_RINGS_TICK_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define WT_TICK_SLOPE_BITS 48
/** Moments kept; older ones are thinned out, the first stays. */
#define WT_TICK_KNOTS 256

struct wt_tick_knot {
	uint64_t tick;
	uint64_t raw; /**< session clock, ns */
};

struct wt_tick_line {
	struct wt_tick_knot knots[WT_TICK_KNOTS]; /**< both rise */
	uint32_t n;
	void (*read)(struct wt_tick_knot *ret); /**< reads both clocks, now */
	struct wt_tick_part {                   /**< the line in use: ticks [from, to) */
		uint64_t from, to;
		uint64_t raw;   /**< at from */
		uint64_t slope; /**< ns per tick, 2^WT_TICK_SLOPE_BITS is 1 */
	} part;
	uint64_t clamped; /**< ticks that lay in the future */
};

/** A line that begins at `first`, which must lie before the ticks to come; NULL: now. */
void wt_tick_line_init(struct wt_tick_line *line, const struct wt_tick_knot *first);
/** Adds a moment read by somebody else (a log's clock sets), in rising order, before the first conversion.
 * Those that do not rise are left out. */
void wt_tick_line_add(struct wt_tick_line *line, const struct wt_tick_knot *knot);

/** The session clock at that tick. A tick in the future becomes now and is counted; one before the first knot
 * lies on the first line, made longer backwards. */
uint64_t wt_tick_line_look_up(struct wt_tick_line *line, uint64_t tick);
/** As wt_tick_line_look_up; quick for a tick on the line in use. */
static inline uint64_t wt_tick_line_ns(struct wt_tick_line *line, uint64_t tick)
{
	const struct wt_tick_part *part = &line->part;

	if (tick - part->from < part->to - part->from)
		return part->raw +
		       (uint64_t)((unsigned __int128)(tick - part->from) * part->slope >> WT_TICK_SLOPE_BITS);
	return wt_tick_line_look_up(line, tick);
}
/** Converts n ticks, each `stride` bytes behind the one before, as far as they rise along the line in use;
 * returns how many. */
uint32_t wt_tick_line_strip(const struct wt_tick_line *line, const uint8_t *ticks, uint32_t stride,
			    uint32_t n, uint64_t *ret);

#endif
