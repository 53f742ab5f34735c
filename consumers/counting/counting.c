// SPDX-License-Identifier: MIT
#include "consumers/counting/counting.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "consumers/counting/counting_state.h"
#include "consumers/counting/targets.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

enum { MOST_LOOKS = 20 };

/* ---- opening ---- */

static int open_cpus(struct wt_counting *counting, struct wt_err *err)
{
	const struct wt_counting_aim *aim = &counting->aim;

	for (uint32_t cpu = 0; cpu < wt_cpuset_end(&aim->cpus); cpu++) {
		struct wt_count_unit who = {.cpu = (int)cpu, .pid = -1, .tid = -1};
		struct wt_open_unit *unit;

		if (!wt_cpuset_has(&aim->cpus, cpu))
			continue;
		who.core = wt_cores_type_of(counting->cores, cpu);
		unit = wt_counting_add(counting, &who, err);
		if (!unit || wt_counting_open_unit(counting, unit, err))
			return -1;
	}
	return 0;
}

/* 1: the thread has ended. */
static int open_thread(struct wt_counting *counting, int pid, int tid, struct wt_err *err)
{
	struct wt_count_unit who = {.cpu = -1, .pid = pid, .tid = tid};
	struct wt_open_unit *unit;

	wt_thread_name(tid, who.comm);
	unit = wt_counting_add(counting, &who, err);
	if (!unit)
		return -1;
	if (!wt_counting_open_unit(counting, unit, err))
		return 0;
	return err->code == WT_ERR_NOTFOUND ? 1 : -1;
}

/* Opens the threads of one process, none twice. A thread that begins meanwhile is a child of an open one,
 * or is missed. Therefore all are opened again until the list of threads is equal before and after. */
static int open_process(struct wt_counting *counting, int pid, struct wt_err *err)
{
	struct wt_threads before = {0}, after = {0};
	size_t first = counting->n_units;
	int rc = wt_threads_read(pid, &before, err);

	for (size_t i = 0; !rc && i < before.n; i++)
		rc = open_thread(counting, pid, before.tids[i], err) < 0 ? -1 : 0;
	if (!rc) {
		*err = (struct wt_err)WT_ERR_INIT;
		rc = wt_threads_read(pid, &after, err);
	}
	if (!rc && !wt_threads_equal(&before, &after))
		rc = 1;
	if (!rc && counting->n_units == first)
		rc = wt_fail(err, WT_ERR_NOTFOUND, "there is no process %d", pid);
	wt_threads_deinit(&before);
	wt_threads_deinit(&after);
	return rc;
}

/* /proc has a directory for each thread, too, with all threads of its process. */
static int check_processes(const struct wt_counting_aim *aim, struct wt_err *err)
{
	for (size_t i = 0; i < aim->n_pids; i++) {
		int pid = wt_thread_process(aim->pids[i], NULL);

		if (pid >= 0 && pid != aim->pids[i])
			return wt_fail(
				err, WT_ERR_USAGE,
				"--pid %d is a thread of process %d: --tid %d counts it alone, --pid %d "
				"its process",
				aim->pids[i], pid, aim->pids[i], pid);
	}
	return 0;
}

static int open_processes(struct wt_counting *counting, struct wt_err *err)
{
	int rc = 1;

	if (check_processes(&counting->aim, err))
		return -1;
	for (int look = 0; rc == 1 && look < MOST_LOOKS; look++) {
		wt_counting_drop_units(counting);
		rc = 0;
		for (size_t i = 0; !rc && i < counting->aim.n_pids; i++)
			rc = open_process(counting, counting->aim.pids[i], err);
	}
	if (rc == 1)
		return wt_fail(
			err, WT_ERR_LIMIT,
			"the process starts and ends threads faster than they can be opened: count its "
			"control group (--cgroup), or CPUs (-c LIST)");
	return rc;
}

static int open_tids(struct wt_counting *counting, struct wt_err *err)
{
	for (size_t i = 0; i < counting->aim.n_tids; i++) {
		int pid = wt_thread_process(counting->aim.tids[i], err);

		if (pid < 0 || open_thread(counting, pid, counting->aim.tids[i], err))
			return -1;
	}
	return 0;
}

static int open_units(struct wt_counting *counting, struct wt_err *err)
{
	const struct wt_counting_aim *aim = &counting->aim;

	if (wt_cpuset_count(&aim->cpus))
		return open_cpus(counting, err);
	if (aim->child)
		return open_thread(counting, aim->child, aim->child, err) ? -1 : 0;
	return aim->n_pids ? open_processes(counting, err) : open_tids(counting, err);
}

/* Nothing can be counted: the first reason is the error. */
static int check_any(const struct wt_counting *counting, struct wt_err *err)
{
	bool open = false;

	for (size_t i = 0; i < counting->n_units; i++)
		open = open || counting->units[i].n_groups;
	for (size_t i = 0; !open && i < counting->list->n; i++)
		if (counting->events[i].unavailable)
			return wt_fail(err, WT_ERR_UNSUPPORTED, "%s", counting->events[i].why);
	if (!open)
		return wt_fail(err, WT_ERR_USAGE,
			       "event '%s' belongs to a PMU that is read on other CPUs than these",
			       counting->list->n ? counting->list->events[0].name : "");
	return 0;
}

static int prepare(struct wt_counting *counting, struct wt_err *err)
{
	const struct wt_count_list *list = counting->list;

	counting->events = calloc(list->n + 1, sizeof(*counting->events));
	counting->split = calloc((size_t)list->n_groups + 1, sizeof(*counting->split));
	if (!counting->events || !counting->split)
		return wt_fail_nomem(err);
	for (size_t i = 0; i < list->n; i++) {
		const struct wt_count_event *event = &list->events[i];
		bool hardware = wt_counter_is_hardware(&event->ways[0].spec);

		counting->events[i].exclude = event->modes                        ? event->exclude
					      : hardware && !counting->aim.kernel ? WT_NOT_IN_KERNEL
										  : 0u;
	}
	return 0;
}

int wt_counting_open(const struct wt_counting_aim *aim, const struct wt_count_list *list,
		     const struct wt_cores *cores, struct wt_counting **ret, struct wt_err *err)
{
	struct wt_counting *counting = calloc(1, sizeof(*counting));

	if (!counting)
		return wt_fail_nomem(err);
	wt_counter_raise_files();
	counting->list = list;
	counting->cores = cores;
	counting->aim = *aim;
	counting->random = wt_clock_now() ^ (uint64_t)getpid() << 32;
	if (prepare(counting, err) || open_units(counting, err) || check_any(counting, err)) {
		wt_counting_close(counting);
		return -1;
	}
	*ret = counting;
	return 0;
}

void wt_counting_close(struct wt_counting *counting)
{
	if (!counting)
		return;
	wt_counting_drop_units(counting);
	free(counting->events);
	free(counting->split);
	free(counting);
}

/* ---- the run ---- */

static int each_group(struct wt_counting *counting,
		      int (*fn)(const struct wt_counter *counter, struct wt_err *err), struct wt_err *err)
{
	for (size_t i = 0; i < counting->n_units; i++)
		for (size_t k = 0; k < counting->units[i].n_groups; k++)
			if (fn(counting->units[i].groups[k].counter, err))
				return -1;
	return 0;
}

int wt_counting_start(struct wt_counting *counting, struct wt_err *err)
{
	/* A run that begins with an exec needs no enable call. */
	return counting->aim.child && !wt_cpuset_count(&counting->aim.cpus)
		       ? 0
		       : each_group(counting, wt_counter_enable, err);
}

int wt_counting_stop(struct wt_counting *counting, struct wt_err *err)
{
	return each_group(counting, wt_counter_disable, err);
}

static struct wt_count since(const struct wt_count *now, const struct wt_count *then)
{
	return (struct wt_count){now->value - then->value, now->enabled - then->enabled,
				 now->running - then->running};
}

/* An event has a counter for each kind of core, and their counts add up. A thread is on one kind of core
 * at a time.
 */
static int read_unit(struct wt_open_unit *unit, size_t n_events, struct wt_count *counts, struct wt_err *err)
{
	for (size_t i = 0; i < n_events; i++) {
		unit->slots[i].last = unit->slots[i].now;
		unit->slots[i].now = (struct wt_count){0};
	}
	for (size_t i = 0; i < unit->n_groups; i++) {
		const struct wt_open_group *group = &unit->groups[i];

		if (wt_counter_read(group->counter, counts, err))
			return -1;
		for (size_t k = 0; k < group->n; k++) {
			struct wt_count *now = &unit->slots[group->events[k]].now;

			now->value += counts[k].value;
			now->running += counts[k].running;
			if (unit->who.cpu >= 0)
				now->enabled += counts[k].enabled;
			else if (counts[k].enabled > now->enabled)
				now->enabled = counts[k].enabled;
		}
	}
	return 0;
}

/* The kernel's clock may advance in steps of up to a hundredth of a second. Between two steps the times do
 * not change. */
#define CLOCK_STEPS (5 * WT_NSEC / 100)

/* The greatest age of the list of online CPUs. */
#define ONLINE_FOR (WT_NSEC / 100)

static bool is_online(struct wt_counting *counting, int cpu, uint64_t now)
{
	struct wt_err ignored = WT_ERR_INIT;

	if (!counting->online_at || now - counting->online_at > ONLINE_FOR) {
		counting->online_at = now;
		if (wt_counter_online(NULL, &counting->online, &ignored))
			counting->online = counting->aim.cpus;
	}
	return wt_cpuset_has(&counting->online, (uint32_t)cpu);
}

/* Returns whether the time of a CPU's counters has not changed since the previous read. */
static bool time_stands(const struct wt_open_unit *unit, size_t n_events)
{
	bool any = false;

	for (size_t k = 0; k < n_events; k++) {
		const struct wt_count_slot *slot = &unit->slots[k];

		if (slot->open && slot->now.enabled != slot->last.enabled)
			return false;
		any = any || slot->open;
	}
	return any;
}

/* The time of a CPU's counters advances while the CPU is online, in their turn or not. Counters of a
 * control group have time only while the group runs. A CPU that has come back by now has dead counters
 * too. */
static void look_if_gone(struct wt_counting *counting, struct wt_open_unit *unit)
{
	uint64_t now = wt_clock_now();

	if (unit->gone || unit->who.cpu < 0 || counting->aim.cgroup_fd >= 0)
		return;
	if (!time_stands(unit, counting->list->n)) {
		unit->stands_since = 0;
		return;
	}
	unit->stands_since = unit->stands_since ? unit->stands_since : now;
	if (is_online(counting, unit->who.cpu, now) && now - unit->stands_since < CLOCK_STEPS)
		return;
	unit->gone = true;
	wt_warn("CPU %d went offline: it is not counted any more, even when it comes back", unit->who.cpu);
}

/* Times are read one after the other. A difference below this is not a turn of another event. ns */
enum { NO_TURN = 10000 };

static bool takes_turns(const struct wt_count *count)
{
	return count->enabled > count->running + NO_TURN;
}

static int add_batches(struct wt_counting *counting, struct wt_count_slot *slot, struct wt_err *err)
{
	const struct wt_count whole = since(&slot->now, &slot->base), step = since(&slot->now, &slot->last);

	if (!slot->batches) {
		if (!takes_turns(&whole))
			return 0;
		counting->multiplexed = true;
		slot->batches = calloc(1, sizeof(*slot->batches));
		if (!slot->batches)
			return wt_fail_nomem(err);
		/* The time before this read is a batch too. */
		wt_batches_add(slot->batches, &whole);
		return 0;
	}
	counting->multiplexed = true;
	wt_batches_add(slot->batches, &step);
	return 0;
}

int wt_counting_read(struct wt_counting *counting, struct wt_err *err)
{
	size_t n = counting->list->n;
	struct wt_count *counts = calloc(n + 1, sizeof(*counts));
	int rc = counts ? 0 : wt_fail_nomem(err);

	for (size_t i = 0; !rc && i < counting->n_units; i++) {
		struct wt_open_unit *unit = &counting->units[i];
		rc = read_unit(unit, n, counts, err);
		if (!rc)
			look_if_gone(counting, unit);
		unit->took_turns = false;
		for (size_t k = 0; !rc && k < n; k++) {
			const struct wt_count step = since(&unit->slots[k].now, &unit->slots[k].last);

			unit->took_turns = unit->took_turns || takes_turns(&step);
			rc = add_batches(counting, &unit->slots[k], err);
		}
	}
	free(counts);
	if (!rc && counting->multiplexed)
		wt_ghosts_draw(counting);
	return rc;
}

void wt_counting_mark(struct wt_counting *counting)
{
	for (size_t i = 0; i < counting->n_units; i++)
		for (size_t k = 0; k < counting->list->n; k++) {
			struct wt_count_slot *slot = &counting->units[i].slots[k];

			slot->base = slot->now;
			if (slot->batches)
				*slot->batches = (struct wt_batches){0};
		}
}

/* ---- what was found ---- */

uint64_t wt_counting_cpu_time(const struct wt_counting *counting)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < counting->n_units; i++) {
		uint64_t most = 0;

		for (size_t k = 0; k < counting->list->n; k++)
			if (counting->units[i].slots[k].now.enabled > most)
				most = counting->units[i].slots[k].now.enabled;
		ret += most;
	}
	return ret;
}

size_t wt_counting_units(const struct wt_counting *counting)
{
	return counting->n_units;
}

const struct wt_count_unit *wt_counting_unit(const struct wt_counting *counting, size_t unit)
{
	return &counting->units[unit].who;
}

struct wt_count_cell wt_counting_cell(const struct wt_counting *counting, size_t unit, size_t event)
{
	const struct wt_count_slot *slot = &counting->units[unit].slots[event];
	struct wt_count_cell cell = {.state = WT_COUNT_COUNTED, .count = since(&slot->now, &slot->base)};

	if (counting->events[event].unavailable)
		cell.state = WT_COUNT_UNAVAILABLE;
	else if (!slot->open)
		cell.state = WT_COUNT_ABSENT;
	else if (!cell.count.running && (cell.count.enabled || counting->units[unit].gone))
		cell.state = WT_COUNT_NEVER_RAN;
	if (cell.state != WT_COUNT_COUNTED)
		return cell;
	/* A difference of a few ns between two reads is not a turn. */
	if (!takes_turns(&cell.count))
		cell.count.running = cell.count.enabled;
	cell.estimate = wt_estimate_of(&cell.count, slot->batches);
	return cell;
}

bool wt_counting_gone(const struct wt_counting *counting, size_t unit)
{
	return counting->units[unit].gone;
}

const char *wt_counting_why(const struct wt_counting *counting, size_t event)
{
	return counting->events[event].why;
}

bool wt_counting_narrowed(const struct wt_counting *counting)
{
	return counting->narrowed;
}

int wt_counting_split(const struct wt_counting *counting)
{
	int n = 0;

	for (int i = 0; i < counting->list->n_groups; i++)
		n += counting->split[i];
	return n;
}

bool wt_counting_multiplexed(const struct wt_counting *counting)
{
	return counting->multiplexed;
}

/* Events that no unit counts say nothing about the mode. */
static bool is_counted(const struct wt_counting *counting, size_t event)
{
	for (size_t i = 0; i < counting->n_units; i++)
		if (counting->units[i].slots[event].open)
			return true;
	return false;
}

enum wt_kernel_mode wt_counting_kernel_mode(const struct wt_counting *counting)
{
	bool excluded = false, included = false;

	for (size_t i = 0; i < counting->list->n; i++) {
		if (!is_counted(counting, i))
			continue;
		if (counting->events[i].exclude & WT_NOT_IN_KERNEL)
			excluded = true;
		else if (counting->list->events[i].modes ||
			 wt_counter_is_hardware(&counting->list->events[i].ways[0].spec))
			included = true;
	}
	/* Software events and tracepoints without modes count where they happen. */
	return excluded && included ? WT_KERNEL_MIXED : excluded ? WT_KERNEL_EXCLUDED : WT_KERNEL_INCLUDED;
}

void wt_count_turns(const struct wt_count_event *event, uint64_t enabled, uint64_t running, uint64_t *counted,
		    uint64_t *rounds)
{
	uint64_t turn = wt_counter_turn(NULL, event->ways[0].spec.type);

	*rounds = (enabled + turn / 2) / turn;
	*counted = (running + turn / 2) / turn;
	*rounds = *rounds ? *rounds : 1;
	if (running >= enabled)
		*counted = *rounds;
}
