// SPDX-License-Identifier: MIT
#include "consumers/inventory/turns.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/counting/ghosts.h"
#include "providers/perf/counter.h"

struct counters {
	size_t n;
	bool apart;
};

static bool is_cycles(const struct wt_count_event *event)
{
	return wt_count_event_is_cycles(event) || !strcmp(event->name, "cpu_cycles");
}

static bool on_core(const struct wt_count_event *event)
{
	return event->n_ways && wt_counter_is_hardware(&event->ways[0].spec);
}

/* Takes the counters that the unit's events need; false: it does not fit. */
static bool take(const struct wt_count_list *list, const struct wt_turn_unit *unit, struct counters *left)
{
	struct counters now = *left;

	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		if (!on_core(&list->events[i]))
			continue;
		if (now.apart && is_cycles(&list->events[i]))
			now.apart = false;
		else if (now.n)
			now.n--;
		else
			return false;
	}
	*left = now;
	return true;
}

static size_t length_of_group(const struct wt_count_list *list, size_t first)
{
	size_t n = 1;

	if (list->events[first].group == WT_COUNT_NO_GROUP)
		return 1;
	while (first + n < list->n && list->events[first + n].group == list->events[first].group)
		n++;
	return n;
}

static bool needs_counter(const struct wt_count_list *list, const struct wt_turn_unit *unit)
{
	for (size_t i = unit->first; i < unit->first + unit->n; i++)
		if (on_core(&list->events[i]))
			return true;
	return false;
}

/* Adds the units that fit, or those that do not. */
static void add_unit(const struct wt_count_list *list, struct counters all, struct wt_turn_unit unit,
		     bool large, struct wt_turns *ret)
{
	bool is_large = !take(list, &unit, &all);

	if (!needs_counter(list, &unit) || is_large != large)
		return;
	ret->units[ret->n_units + ret->n_too_large] = unit;
	ret->n_units += !large;
	ret->n_too_large += large;
}

static void find_units(const struct wt_count_list *list, struct counters all, bool large,
		       struct wt_turns *ret)
{
	for (size_t i = 0; i < list->n;) {
		struct wt_turn_unit unit = {.first = i, .n = length_of_group(list, i)};
		struct counters left = all;

		if (!list->events[i].loose || take(list, &unit, &left))
			add_unit(list, all, unit, large, ret);
		else
			for (size_t k = 0; k < unit.n; k++)
				add_unit(list, all, (struct wt_turn_unit){.first = i + k, .n = 1}, large,
					 ret);
		i += unit.n;
	}
}

/* An additional event of stat needs any counter. */
static bool take_ghost(struct counters *left)
{
	if (!left->n)
		return false;
	left->n--;
	return true;
}

/* Additional events, n of them, stand before the unit of that number. */
struct ghosts {
	size_t n, before;
};

/* Takes units, beginning with the one whose turn it is, until one does not fit. */
static void fill_turn(const struct wt_count_list *list, struct counters all, size_t turn,
		      const struct ghosts *ghosts, const struct wt_turns *turns, bool *counts)
{
	const size_t n = turns->n_units + ghosts->n;
	struct counters left = all;

	for (size_t k = 0; k < n; k++) {
		size_t i = (turn + k) % n, u = i < ghosts->before ? i : i - ghosts->n;
		bool ghost = i >= ghosts->before && i < ghosts->before + ghosts->n;

		if (ghost ? !take_ghost(&left) : !take(list, &turns->units[u], &left))
			return;
		if (!ghost)
			counts[u] = true;
	}
}

static void find_turns(const struct wt_count_list *list, struct counters all, struct wt_turns *ret)
{
	for (size_t turn = 0; turn < ret->n; turn++) {
		bool *counts = ret->counts + turn * ret->n_units;

		fill_turn(list, all, turn, &(struct ghosts){0}, ret, counts);
		for (size_t u = 0; u < ret->n_units; u++)
			ret->units[u].turns += counts[u];
	}
}

/* Adds what each unit has while these additional events are on. scratch: one for each unit. */
static void add_shares(const struct wt_count_list *list, struct counters all, const struct ghosts *ghosts,
		       struct wt_turns *ret, bool *scratch)
{
	const size_t n = ret->n_units + ghosts->n;

	for (size_t turn = 0; turn < n; turn++) {
		memset(scratch, 0, ret->n_units * sizeof(*scratch));
		fill_turn(list, all, turn, ghosts, ret, scratch);
		for (size_t u = 0; u < ret->n_units; u++)
			ret->units[u].in_stat += scratch[u] ? 1.0 / (double)n : 0;
	}
}

/* As ghosts.c has it: without events that each kind of core counts in its own way. */
static size_t most_ghosts(const struct wt_count_list *list, const struct wt_turns *turns)
{
	size_t n = 0;

	for (size_t u = 0; u < turns->n_units; u++)
		n += list->events[turns->units[u].first].n_ways == 1;
	return wt_ghosts_of(n);
}

static int find_shares(const struct wt_count_list *list, struct counters all, struct wt_turns *ret)
{
	bool *scratch = calloc(ret->n_units + 1, sizeof(*scratch));

	if (!scratch)
		return -1;
	ret->n_ghosts = ret->n > 1 ? most_ghosts(list, ret) : 0;
	for (size_t n = 0; ret->n > 1 && n <= ret->n_ghosts; n++)
		for (size_t u = 0; u < ret->n_units; u++)
			add_shares(list, all, &(struct ghosts){n, u}, ret, scratch);
	for (size_t u = 0; u < ret->n_units; u++)
		ret->units[u].in_stat =
			ret->n > 1 ? ret->units[u].in_stat / (double)((ret->n_ghosts + 1) * ret->n_units) : 1;
	free(scratch);
	return 0;
}

static bool fit_at_once(const struct wt_count_list *list, struct counters all, const struct wt_turns *turns)
{
	for (size_t u = 0; u < turns->n_units; u++)
		if (!take(list, &turns->units[u], &all))
			return false;
	return true;
}

int wt_turns_find(const struct wt_count_list *list, size_t counters, bool apart, struct wt_turns *ret,
		  struct wt_err *err)
{
	const struct counters all = {counters, apart};

	*ret = (struct wt_turns){.units = calloc(list->n + 1, sizeof(*ret->units))};
	if (!ret->units)
		return wt_fail_nomem(err);
	find_units(list, all, false, ret);
	find_units(list, all, true, ret);
	ret->n = fit_at_once(list, all, ret) ? 1 : ret->n_units;
	ret->counts = calloc(ret->n * ret->n_units + 1, sizeof(*ret->counts));
	if (!ret->counts || find_shares(list, all, ret)) {
		wt_turns_deinit(ret);
		return wt_fail_nomem(err);
	}
	find_turns(list, all, ret);
	return 0;
}

void wt_turns_deinit(struct wt_turns *turns)
{
	free(turns->units);
	free(turns->counts);
	*turns = (struct wt_turns){.n = 0};
}
