/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Converts the CPU's counter to the session clock by straight lines between moments at which both were read.
 *
 * A tick behind the last such moment causes a new reading of both, now. A tick between two moments lies on
 * the line between them, which later readings do not change. So a converted time stays right, and converted
 * times never fall. The kernel's clock is itself a straight line of the counter; the remaining error is that
 * of two readings, a few ns. One thread.
 */
#ifndef CONSUMERS_RINGS_TICK_LINE_H
#define CONSUMERS_RINGS_TICK_LINE_H

#include <stdbool.h>
#include <stdint.h>

#define WT_TICK_SLOPE_BITS 48
/** Number of moments that are kept; older ones are thinned out, and the first stays. */
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

/** Begins a line at `first`, which must lie before the ticks to come; NULL: now. */
void wt_tick_line_init(struct wt_tick_line *line, const struct wt_tick_knot *first);
/** Adds a moment from another reading (a log's clock sets), in rising order, before the first conversion. A
 * moment that does not rise is left out. */
void wt_tick_line_add(struct wt_tick_line *line, const struct wt_tick_knot *knot);

/** Converts a tick to the session clock. A tick in the future becomes now and is counted; a tick before the
 * first knot lies on the first line, extended backwards. */
uint64_t wt_tick_line_look_up(struct wt_tick_line *line, uint64_t tick);
/** Like wt_tick_line_look_up; quick for a tick on the line in use. */
static inline uint64_t wt_tick_line_ns(struct wt_tick_line *line, uint64_t tick)
{
	const struct wt_tick_part *part = &line->part;

	if (tick - part->from < part->to - part->from)
		return part->raw +
		       (uint64_t)((unsigned __int128)(tick - part->from) * part->slope >> WT_TICK_SLOPE_BITS);
	return wt_tick_line_look_up(line, tick);
}
/** Converts n ticks, `stride` bytes apart, as far as they rise along the line in use. Returns how many. */
uint32_t wt_tick_line_strip(const struct wt_tick_line *line, const uint8_t *ticks, uint32_t stride,
			    uint32_t n, uint64_t *ret);

#endif
