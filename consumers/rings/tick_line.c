// SPDX-License-Identifier: MIT
#include "consumers/rings/tick_line.h"

#include <stddef.h>

#include "tracecore/base/bound.h"
#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"

/* Least distance for the beginning of a line, ns: below it the slope would be mostly error. */
#define LEAST_SPAN 1000

static void read_now(struct wt_tick_knot *ret)
{
	wt_clock_pair(&ret->tick, &ret->raw);
}

/* Drops every second knot; the first and the last stay. */
static void thin_out(struct wt_tick_line *line)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < line->n; i += 2)
		line->knots[kept++] = line->knots[i];
	line->knots[kept - 1] = line->knots[line->n - 1];
	line->n = kept;
}

void wt_tick_line_add(struct wt_tick_line *line, const struct wt_tick_knot *knot)
{
	const struct wt_tick_knot *last = line->n ? &line->knots[line->n - 1] : NULL;

	if (last && (knot->tick <= last->tick || knot->raw < last->raw + LEAST_SPAN))
		return;
	if (line->n == WT_TICK_KNOTS)
		thin_out(line);
	line->knots[line->n++] = *knot;
}

void wt_tick_line_init(struct wt_tick_line *line, const struct wt_tick_knot *first)
{
	struct wt_tick_knot now;

	*line = (struct wt_tick_line){.read = read_now};
	if (!first) {
		read_now(&now);
		first = &now;
	}
	wt_tick_line_add(line, first);
}

/* Returns the knot before which the tick lies, at least 1; n when it lies behind all. */
static uint32_t next_knot(const struct wt_tick_line *line, uint64_t tick)
{
	return WT_BOUND(i, 1, line->n, line->knots[i].tick <= tick);
}

static void use_part(struct wt_tick_line *line, uint32_t next)
{
	const struct wt_tick_knot *a = &line->knots[next - 1], *b = &line->knots[next];

	line->part = (struct wt_tick_part){
		.from = a->tick,
		.to = b->tick,
		.raw = a->raw,
		.slope = (uint64_t)(((unsigned __int128)(b->raw - a->raw) << WT_TICK_SLOPE_BITS) /
				    (b->tick - a->tick)),
	};
}

static uint64_t scale(const struct wt_tick_part *part, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * part->slope >> WT_TICK_SLOPE_BITS);
}

static uint64_t before_all(struct wt_tick_line *line, uint64_t tick)
{
	uint64_t back;

	if (line->part.from != line->knots[0].tick || line->part.to != line->knots[1].tick)
		use_part(line, 1);
	back = scale(&line->part, line->part.from - tick);
	return back < line->part.raw ? line->part.raw - back : 0;
}

uint32_t wt_tick_line_strip(const struct wt_tick_line *line, const uint8_t *ticks, uint32_t stride,
			    uint32_t n, uint64_t *ret)
{
	const struct wt_tick_part part = line->part;
	uint64_t span = part.to - part.from, last = 0;

	for (uint32_t i = 0; i < n; i++, ticks += stride) {
		uint64_t at = wt_load_u64(ticks) - part.from;

		if (at < last || at >= span)
			return i;
		ret[i] = part.raw + scale(&part, at);
		last = at;
	}
	return n;
}

uint64_t wt_tick_line_look_up(struct wt_tick_line *line, uint64_t tick)
{
	struct wt_tick_part *part = &line->part;
	struct wt_tick_knot now;
	uint32_t next;

	if (tick - part->from < part->to - part->from)
		return part->raw + scale(part, tick - part->from);
	next = next_knot(line, tick);
	while (next >= line->n) {
		line->read(&now);
		if (now.tick <= tick) {
			line->clamped++;
			return now.raw;
		}
		wt_tick_line_add(line, &now);
		next = next_knot(line, tick);
	}
	if (tick < line->knots[0].tick)
		return before_all(line, tick);
	use_part(line, next);
	return part->raw + scale(part, tick - part->from);
}
