/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The turns in which the kernel counts events of the core's PMU, when there are more events than counters.
 *
 * The kernel's rule: it takes events in their order until one does not fit; that ends the turn. The next
 * turn begins with the next event. Events of a group get their counters together or not at all. Software
 * events and tracepoints need no counter; PMUs outside the cores have counters of their own. They take no
 * turns. The shares of the turns are those of the time, as all turns are equally long.
 *
 * stat counts with additional events that are on at random (consumers/counting/ghosts.h). They take turns
 * too, so that each event counts in a smaller share of the time.
 */
#ifndef CONSUMERS_INVENTORY_TURNS_H
#define CONSUMERS_INVENTORY_TURNS_H

#include "consumers/counting/event_list.h"

/** An event, or a group of them. */
struct wt_turn_unit {
	size_t first, n; /**< in the list */
	size_t turns;    /**< number of turns in which it counts */
	double in_stat;  /**< the share of the time in which stat counts it: the mean over the numbers of
			    additional events, and over the places that they have together in the order */
};

struct wt_turns {
	struct wt_turn_unit *units; /**< owned; first those that have turns */
	size_t n_units;
	size_t n_too_large; /**< after those: units that need more counters than there are, and never open */
	size_t n;           /**< turns until the first one comes again; 1: all events count all the time */
	size_t n_ghosts;    /**< of stat, at most; 0 where all events count all the time */
	bool *counts;       /**< owned; unit u counts in turn t: counts[t * n_units + u] */
};

/** counters: for any event, of one CPU, and free. apart: cycles have one more of their own. A metric's group
 * that does not fit is taken apart, as counting does. */
int wt_turns_find(const struct wt_count_list *list, size_t counters, bool apart, struct wt_turns *ret,
		  struct wt_err *err);
void wt_turns_deinit(struct wt_turns *turns);

#endif
