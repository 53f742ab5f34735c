// SPDX-License-Identifier: MIT
/* Additional events that nobody reads. The kernel's turns come at a fixed pace, so a load that keeps step
 * with them is always seen in one phase. Each unit has a few more events of its PMU. At every read the
 * number of them that are on is drawn at random, so the round of turns is sometimes longer and sometimes
 * shorter than any period of a load. */
#include "consumers/counting/ghosts.h"

#include <stdlib.h>

#include "consumers/counting/counting_state.h"

enum { GROUPS_PER_GHOST = 4 };

size_t wt_ghosts_of(size_t n_groups)
{
	size_t n = n_groups / GROUPS_PER_GHOST;

	return n < WT_MOST_GHOSTS ? n : WT_MOST_GHOSTS;
}

/* Finds the first event that takes a counter of a PMU, and counts the groups that take counters. */
static const struct wt_count_way *pattern_of(const struct wt_counting *counting,
					     const struct wt_open_unit *unit, size_t *n_groups)
{
	const struct wt_count_way *found = NULL;

	*n_groups = 0;
	for (size_t i = 0; i < unit->n_groups; i++) {
		const struct wt_count_event *event = &counting->list->events[unit->groups[i].events[0]];

		if (!wt_counter_is_hardware(&event->ways[0].spec) || event->n_ways > 1)
			continue;
		found = found ? found : &event->ways[0];
		(*n_groups)++;
	}
	return found;
}

void wt_ghosts_open(struct wt_counting *counting, struct wt_open_unit *unit,
		    const struct wt_counter_target *target)
{
	struct wt_counter_target here = *target;
	struct wt_counter_event event = {.exclude = WT_NOT_IN_KERNEL};
	const struct wt_count_way *pattern;
	size_t n_groups, wanted;

	pattern = pattern_of(counting, unit, &n_groups);
	if (!pattern)
		return;
	wanted = wt_ghosts_of(n_groups);
	event.spec = &pattern->spec;
	here.on_exec = false;
	/* Without them the intervals say less; nothing else changes. */
	while (unit->n_ghosts < wanted &&
	       !wt_counter_open(&event, 1, &here, &unit->ghosts[unit->n_ghosts], NULL))
		unit->n_ghosts++;
}

void wt_ghosts_draw(struct wt_counting *counting)
{
	for (size_t i = 0; i < counting->n_units; i++) {
		struct wt_open_unit *unit = &counting->units[i];
		size_t on;

		/* If the events take no turns without them, they stay off. */
		if (!unit->n_ghosts || (!unit->n_on && !unit->took_turns))
			continue;
		counting->random = counting->random * 6364136223846793005u + 1442695040888963407u;
		on = (size_t)(counting->random >> 33) % (unit->n_ghosts + 1);
		for (size_t k = 0; k < unit->n_ghosts; k++)
			(void)(k < on ? wt_counter_enable(unit->ghosts[k], NULL)
				      : wt_counter_disable(unit->ghosts[k], NULL));
		unit->n_on = on;
	}
}

void wt_ghosts_close(struct wt_open_unit *unit)
{
	while (unit->n_ghosts)
		wt_counter_close(unit->ghosts[--unit->n_ghosts]);
}
