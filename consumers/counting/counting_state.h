/* SPDX-License-Identifier: MIT */
/** @file The parts of a run (counting.h), for the files that make it. */
#ifndef CONSUMERS_COUNTING_COUNTING_STATE_H
#define CONSUMERS_COUNTING_COUNTING_STATE_H

#include "consumers/counting/counting.h"

/* One open group of a unit, and the events that its members count. */
struct wt_open_group {
	struct wt_counter *counter; /* owned */
	size_t *events;             /* owned; indices in the list */
	size_t n;
};

/* One event in one unit. The counts on several kinds of cores add up: a thread is on one of them at a
 * time. */
struct wt_count_slot {
	bool open;
	struct wt_count now, last, base; /* at this read, at the previous read, at the mark */
	struct wt_batches *batches;      /* owned; NULL until it has taken turns */
};

enum { WT_MOST_GHOSTS = 6 };

struct wt_open_unit {
	struct wt_count_unit who;
	struct wt_counter *ghosts[WT_MOST_GHOSTS]; /* owned; see ghosts.c */
	size_t n_ghosts, n_on;                     /* of them that are on */
	bool took_turns;                           /* between the last two reads */
	bool gone;                                 /* a CPU that went offline: its counters are dead */
	uint64_t stands_since;        /* when its present time was first read; 0: the time advances. ns */
	struct wt_open_group *groups; /* owned */
	size_t n_groups;
	struct wt_count_slot *slots; /* owned; one for each event */
};

struct wt_event_state {
	bool unavailable;
	char why[WT_ERR_TEXT_SIZE];
	unsigned exclude;
};

struct wt_counting {
	const struct wt_count_list *list;
	const struct wt_cores *cores;
	struct wt_counting_aim aim;
	struct wt_event_state *events; /* owned; as in the list */
	struct wt_open_unit *units;    /* owned */
	size_t n_units;
	bool *split; /* owned; by group of the list: does not fit */
	bool narrowed, multiplexed;
	struct wt_cpuset online; /* CPUs that were, at online_at */
	uint64_t online_at;      /* ns; 0: not read yet */
	uint64_t random;
};

/** Adds a unit without groups. */
struct wt_open_unit *wt_counting_add(struct wt_counting *counting, const struct wt_count_unit *who,
				     struct wt_err *err);
/** Opens all groups of a unit. */
int wt_counting_open_unit(struct wt_counting *counting, struct wt_open_unit *unit, struct wt_err *err);
/** Events that break the step of a load with the kernel's turns; they are off until the first draw. */
void wt_ghosts_open(struct wt_counting *counting, struct wt_open_unit *unit,
		    const struct wt_counter_target *target);
void wt_ghosts_draw(struct wt_counting *counting);
void wt_ghosts_close(struct wt_open_unit *unit);
/** Forgets all units. */
void wt_counting_drop_units(struct wt_counting *counting);

#endif
