// SPDX-License-Identifier: MIT
/* Opens the groups of one unit, and records the events that cannot be counted. */
#include "consumers/counting/counting_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/grow.h"

struct wt_open_unit *wt_counting_add(struct wt_counting *counting, const struct wt_count_unit *who,
				     struct wt_err *err)
{
	struct wt_open_unit *unit;

	if (wt_grow_one(&counting->units, counting->n_units, err))
		return NULL;
	unit = &counting->units[counting->n_units];
	*unit = (struct wt_open_unit){.who = *who};
	unit->slots = calloc(counting->list->n + 1, sizeof(*unit->slots));
	if (!unit->slots) {
		wt_fail_nomem(err);
		return NULL;
	}
	counting->n_units++;
	return unit;
}

static void close_unit(struct wt_open_unit *unit, size_t n_events)
{
	wt_ghosts_close(unit);
	for (size_t i = 0; i < unit->n_groups; i++) {
		wt_counter_close(unit->groups[i].counter);
		free(unit->groups[i].events);
	}
	for (size_t i = 0; i < n_events; i++)
		free(unit->slots[i].batches);
	free(unit->groups);
	free(unit->slots);
}

void wt_counting_drop_units(struct wt_counting *counting)
{
	for (size_t i = 0; i < counting->n_units; i++)
		close_unit(&counting->units[i], counting->list->n);
	free(counting->units);
	counting->units = NULL;
	counting->n_units = 0;
}

/* ---- who is counted ---- */

static struct wt_counter_target target_of(const struct wt_counting *counting, const struct wt_count_unit *who)
{
	struct wt_counter_target target = WT_COUNTER_NOWHERE;
	bool thread_alone = counting->aim.n_tids > 0;

	target.cpu = who->cpu;
	target.tid = who->tid;
	if (who->tid < 0)
		target.cgroup_fd = counting->aim.cgroup_fd;
	target.inherit = who->tid >= 0 && !thread_alone;
	target.on_exec = counting->aim.child > 0 && who->tid == counting->aim.child;
	return target;
}

static bool is_read_there(const struct wt_count_unit *who, const struct wt_perf_spec *spec)
{
	return who->cpu < 0 || !wt_cpuset_count(&spec->cpus) ||
	       wt_cpuset_has(&spec->cpus, (uint32_t)who->cpu);
}

/* The form of an event that counts in this unit in one pass; NULL: none. A thread has a pass for each kind
 * of core, and an event of several PMUs of one kind has a pass for each of them. */
static const struct wt_count_way *way_for(const struct wt_count_unit *who, const struct wt_count_event *event,
					  size_t pass)
{
	size_t alike = 0;

	for (size_t i = 0; i < event->n_ways; i++) {
		const struct wt_count_way *way = &event->ways[i];

		if (!is_read_there(who, &way->spec))
			continue;
		if (way->core < 0 && alike++ == pass)
			return way;
		if (way->core >= 0 &&
		    (who->cpu < 0 ? (size_t)way->core == pass : pass == 0 && (size_t)way->core == who->core))
			return way;
	}
	return NULL;
}

/* ---- opening one group ---- */

struct members {
	struct wt_counter_event *events;
	size_t *index; /* in the list */
	size_t n;
};

static void fill_exclude(const struct wt_counting *counting, struct members *members)
{
	for (size_t i = 0; i < members->n; i++)
		members->events[i].exclude = counting->events[members->index[i]].exclude;
}

/* A user without rights may still count in user mode. */
static bool narrow(struct wt_counting *counting, struct members *members)
{
	bool any = false;

	for (size_t i = 0; i < members->n; i++) {
		struct wt_event_state *state = &counting->events[members->index[i]];

		if (counting->list->events[members->index[i]].modes ||
		    !wt_counter_is_of_user(members->events[i].spec) || state->exclude & WT_NOT_IN_KERNEL)
			continue;
		state->exclude |= WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR;
		any = true;
	}
	if (any)
		counting->narrowed = true;
	fill_exclude(counting, members);
	return any;
}

static int keep(struct wt_open_unit *unit, struct wt_counter *counter, const struct members *members,
		struct wt_err *err)
{
	struct wt_open_group *group;
	size_t *events = malloc(members->n * sizeof(*events));

	if (!events || wt_grow_one(&unit->groups, unit->n_groups, err)) {
		free(events);
		wt_counter_close(counter);
		return wt_fail_nomem(err);
	}
	memcpy(events, members->index, members->n * sizeof(*events));
	group = &unit->groups[unit->n_groups++];
	*group = (struct wt_open_group){counter, events, members->n};
	for (size_t i = 0; i < members->n; i++)
		unit->slots[members->index[i]].open = true;
	return 0;
}

static int open_members(struct wt_counting *counting, struct wt_open_unit *unit, struct members *members,
			struct wt_err *err)
{
	const struct wt_counter_target target = target_of(counting, &unit->who);
	struct wt_counter *counter;

	fill_exclude(counting, members);
	while (wt_counter_open(members->events, members->n, &target, &counter, err)) {
		if (err->code != WT_ERR_PERMISSION || unit->who.tid < 0 || !geteuid() ||
		    !narrow(counting, members))
			return -1;
		*err = (struct wt_err)WT_ERR_INIT;
	}
	return keep(unit, counter, members, err);
}

/* An event that is in no group may be missing. The reason is kept for the table. */
static int give_up(struct wt_counting *counting, size_t index, struct wt_err *err)
{
	struct wt_event_state *state = &counting->events[index];
	bool optional = counting->list->events[index].optional;

	if (err->code != WT_ERR_UNSUPPORTED && !(optional && err->code == WT_ERR_PERMISSION))
		return -1;
	state->unavailable = true;
	memcpy(state->why, err->text, sizeof(state->why));
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

static int open_alone(struct wt_counting *counting, struct wt_open_unit *unit, const struct members *members,
		      struct wt_err *err)
{
	for (size_t i = 0; i < members->n; i++) {
		struct members one = {&members->events[i], &members->index[i], 1};

		if (!counting->events[one.index[0]].unavailable && open_members(counting, unit, &one, err) &&
		    give_up(counting, one.index[0], err))
			return -1;
	}
	return 0;
}

static int open_group(struct wt_counting *counting, struct wt_open_unit *unit, struct members *members,
		      struct wt_err *err)
{
	const struct wt_count_event *first = &counting->list->events[members->index[0]];
	bool *split = first->group >= 0 ? &counting->split[first->group] : NULL;

	if (members->n == 1 || *split)
		return open_alone(counting, unit, members, err);
	if (!open_members(counting, unit, members, err))
		return 0;
	if (!first->loose || (err->code != WT_ERR_LIMIT && err->code != WT_ERR_UNSUPPORTED))
		return -1;
	*split = true;
	*err = (struct wt_err)WT_ERR_INIT;
	return open_alone(counting, unit, members, err);
}

/* ---- the groups of the list ---- */

/* Takes the events from `first` on that are one group in this unit. Returns the index after the last of
 * them. */
static size_t gather(const struct wt_counting *counting, const struct wt_count_unit *who, size_t first,
		     size_t pass, struct members *ret)
{
	const struct wt_count_list *list = counting->list;
	int group = list->events[first].group;
	size_t i = first;

	ret->n = 0;
	do {
		const struct wt_count_way *way = way_for(who, &list->events[i], pass);

		if (way && !counting->events[i].unavailable) {
			ret->events[ret->n] = (struct wt_counter_event){.spec = &way->spec};
			ret->index[ret->n++] = i;
		}
		i++;
	} while (group >= 0 && i < list->n && list->events[i].group == group);
	return i;
}

/* ---- events that count at all times ---- */

enum { MOST_TOGETHER = 128 };

/* Software events and tracepoints need no counter of a PMU, so they take no turns. */
static bool counts_always(const struct wt_count_event *event)
{
	uint32_t type = event->ways[0].spec.type;

	return event->group == WT_COUNT_NO_GROUP && event->n_ways == 1 &&
	       (type == WT_SPEC_SOFTWARE || type == WT_SPEC_TRACEPOINT);
}

/* Takes up to MOST_TOGETHER of them from `first` on. Returns the index after the last of them. */
static size_t gather_always(const struct wt_counting *counting, size_t first, struct members *ret)
{
	const struct wt_count_list *list = counting->list;
	size_t i = first;

	for (ret->n = 0; i < list->n && ret->n < MOST_TOGETHER; i++) {
		if (!counts_always(&list->events[i]) || counting->events[i].unavailable)
			continue;
		ret->events[ret->n] = (struct wt_counter_event){.spec = &list->events[i].ways[0].spec};
		ret->index[ret->n++] = i;
	}
	return i;
}

/* A read of another CPU's counter interrupts that CPU: one group is one interrupt. Events that cannot be
 * opened as one group are opened one by one afterwards, which reports the reason. */
static int open_together(struct wt_counting *counting, struct wt_open_unit *unit, struct members *members,
			 struct wt_err *err)
{
	for (size_t i = 0; unit->who.cpu >= 0 && i < counting->list->n;) {
		i = gather_always(counting, i, members);
		if (members->n < 2 || !open_members(counting, unit, members, err))
			continue;
		if (err->code == WT_ERR_NOMEM)
			return -1;
		*err = (struct wt_err)WT_ERR_INIT;
	}
	return 0;
}

static bool is_open(const struct wt_open_unit *unit, const struct wt_count_event *event, size_t index)
{
	return unit->who.cpu >= 0 && counts_always(event) && unit->slots[index].open;
}

static size_t n_passes(const struct wt_counting *counting)
{
	size_t n = 1;

	for (size_t i = 0; i < counting->list->n; i++)
		if (counting->list->events[i].n_ways > n)
			n = counting->list->events[i].n_ways;
	return counting->cores->n > n ? counting->cores->n : n;
}

int wt_counting_open_unit(struct wt_counting *counting, struct wt_open_unit *unit, struct wt_err *err)
{
	size_t n = counting->list->n, passes = n_passes(counting);
	struct members members = {calloc(n + 1, sizeof(*members.events)), calloc(n + 1, sizeof(size_t)), 0};
	int rc = members.events && members.index ? 0 : wt_fail_nomem(err);

	rc = rc ? rc : open_together(counting, unit, &members, err);
	for (size_t pass = 0; !rc && pass < passes; pass++)
		for (size_t i = 0; !rc && i < n;) {
			bool open = is_open(unit, &counting->list->events[i], i);

			i = gather(counting, &unit->who, i, pass, &members);
			if (members.n && !open)
				rc = open_group(counting, unit, &members, err);
		}
	if (!rc) {
		const struct wt_counter_target target = target_of(counting, &unit->who);

		wt_ghosts_open(counting, unit, &target);
	}
	free(members.events);
	free(members.index);
	return rc;
}
