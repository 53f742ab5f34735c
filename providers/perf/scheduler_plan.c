// SPDX-License-Identifier: MIT
/* Plans and opens what the providers cswitch and dispatcher need. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "providers/perf/idle_points.h"
#include "providers/perf/internal.h"
#include "tracecore/schema/builtin.h"

static const struct {
	const char *provider, *name, *point;
	uint16_t event;
} whats[WT_SCHEDULER_WHATS] = {
	[WT_SCHEDULER_SWITCH] = {"cswitch", "switch", "sched:sched_switch", WT_CSWITCH},
	[WT_SCHEDULER_READY] = {"dispatcher", "ready", "sched:sched_waking", WT_READY},
	[WT_SCHEDULER_READY_NEW] = {"dispatcher", "ready_new", "sched:sched_wakeup_new", WT_READY_NEW},
};

/* Events of CPUs, for all threads that run there: a thread's switch-in is an event of the thread before. */
static int add_point(struct wt_perf *perf, const struct wt_perf_request *request, enum wt_scheduler_what what,
		     bool stack, struct wt_err *err)
{
	struct wt_scheduler_point *point = &perf->scheduler->points[perf->scheduler->n];
	struct wt_perf_slot *slot;
	char text[120];

	if (wt_scheduler_load(request->tracefs, what, point, err) < 0)
		return -1;
	slot = wt_perf_add_slot(perf, whats[what].provider, whats[what].name);
	if (!slot)
		return wt_fail_nomem(err);
	perf->scheduler->n++;
	wt_perf_attr_init(perf, &slot->attr);
	slot->attr.inherit = slot->attr.enable_on_exec = 0;
	slot->attr.type = PERF_TYPE_TRACEPOINT;
	slot->attr.config = point->id;
	slot->attr.sample_period = 1;
	slot->attr.sample_type |= PERF_SAMPLE_RAW;
	slot->machine = slot->everybodys = true;
	slot->scheduler = point;
	slot->program = &point->program;
	/* Where processes are traced, the events of others are left out. */
	slot->period1 = !perf->n_pids;
	if (stack)
		wt_perf_ask_stack(perf, &slot->attr);
	snprintf(slot->text, sizeof(slot->text), "%s:%s, every event%s", whats[what].provider,
		 whats[what].name, stack ? " with stack" : "");
	snprintf(text, sizeof(text), "provider %s (tracepoint %s)", whats[what].provider, whats[what].point);
	return wt_perf_probe_event(perf, &slot->attr, &slot->cpus) ? 0 : wt_perf_fail_open(perf, text, err);
}

static int add_provider(const char *name, struct wt_kinds *kinds, struct wt_err *err)
{
	struct wt_provider *provider;
	uint32_t first;

	if (wt_builtin_provider(name, &provider, err) < 0)
		return -1;
	if (wt_kinds_add(kinds, provider, &first, err) == 0)
		return 0;
	wt_provider_destroy(provider);
	return -1;
}

static int check(const struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	if (request->n_cpus)
		return wt_fail(
			err, WT_ERR_USAGE,
			"cswitch and dispatcher follow threads from CPU to CPU: --cpu does not go with "
			"them");
	if (perf->scheduler->own && request->dispatcher)
		return wt_fail(
			err, WT_ERR_PERMISSION,
			"dispatcher sees all threads of a CPU, and kernel.perf_event_paranoid is %d; "
			"run as root, or sysctl kernel.perf_event_paranoid=-1 (-p cswitch alone records "
			"when your own threads run, and not who wakes them)",
			perf->caps.paranoid);
	/* A tracepoint names threads by the machine's numbers, a record by those of its reader. */
	if (!perf->scheduler->own && !wt_perf_numbers_are_the_machines())
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "cswitch and dispatcher name threads by the machine's numbers, and this "
			       "container has numbers of its own: record outside of it");
	return 0;
}

/* Records of own threads, which need no right. They have no stacks, and do not name the other thread. */
static int add_own(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	struct wt_scheduler *scheduler = perf->scheduler;
	struct wt_perf_slot *slot = wt_perf_add_slot(perf, "cswitch", "");

	if (!slot)
		return wt_fail_nomem(err);
	wt_perf_attr_init(perf, &slot->attr);
	slot->attr.type = PERF_TYPE_SOFTWARE;
	slot->attr.config = PERF_COUNT_SW_DUMMY;
	slot->attr.context_switch = 1;
	slot->scheduler = &scheduler->points[0];
	slot->program = &scheduler->points[0].program;
	snprintf(slot->text, sizeof(slot->text),
		 "cswitch: when own threads get a CPU and leave it, %sand not who wakes them",
		 request->cswitch_stack ? "without stacks, " : "");
	return wt_perf_probe_event(perf, &slot->attr, &slot->cpus)
		       ? 0
		       : wt_perf_fail_open(perf, "provider cswitch (records of own threads)", err);
}

static int add_points(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_err *err)
{
	if (perf->scheduler->own)
		return add_own(perf, request, err);
	if (request->cswitch &&
	    add_point(perf, request, WT_SCHEDULER_SWITCH, request->cswitch_stack, err) < 0)
		return -1;
	return request->dispatcher && (add_point(perf, request, WT_SCHEDULER_READY, request->dispatcher_stack,
						 err) < 0 ||
				       add_point(perf, request, WT_SCHEDULER_READY_NEW,
						 request->dispatcher_stack, err) < 0)
		       ? -1
		       : 0;
}

static void find_kinds(struct wt_perf *perf, const struct wt_kinds *kinds)
{
	struct wt_scheduler *scheduler = perf->scheduler;

	for (size_t i = 0; i < perf->n_slots; i++)
		if (perf->slots[i].scheduler)
			perf->slots[i].kind = wt_perf_kind_of(kinds, perf->slots[i].provider,
							      whats[perf->slots[i].scheduler->what].event);
	if (!scheduler->switches && !scheduler->own)
		return;
	scheduler->switch_in = wt_perf_kind_of(kinds, "cswitch", WT_CSWITCH_IN);
	scheduler->enter = wt_perf_kind_of(kinds, "cswitch", WT_CSWITCH_ENTER);
	scheduler->leave = wt_perf_kind_of(kinds, "cswitch", WT_CSWITCH_LEAVE);
}

int wt_scheduler_plan(struct wt_perf *perf, const struct wt_perf_request *request, struct wt_kinds *kinds,
		      struct wt_err *err)
{
	struct wt_err ignored = WT_ERR_INIT;

	if (!request->cswitch && !request->dispatcher)
		return 0;
	perf->scheduler = calloc(1, sizeof(*perf->scheduler));
	if (!perf->scheduler)
		return wt_fail_nomem(err);
	perf->scheduler->own = !perf->caps.whole_system;
	perf->scheduler->switches = request->cswitch && !perf->scheduler->own;
	if (check(perf, request, err) < 0 || (request->cswitch && add_provider("cswitch", kinds, err) < 0) ||
	    (request->dispatcher && add_provider("dispatcher", kinds, err) < 0) ||
	    add_points(perf, request, err) < 0)
		return -1;
	find_kinds(perf, kinds);
	/* Without it the records of switches and the kernel's counts tell what is missing. */
	if (!perf->scheduler->own)
		wt_idle_points_open(&perf->scheduler->idle, &ignored);
	return 0;
}

/* ---- idle threads ---- */

/* The filter of a tracepoint whose events of idle threads come from a program. */
static const char without_idle[] = "common_pid != 0";

static bool of_idle(enum wt_scheduler_what what, enum wt_bpf_idle_what *ret)
{
	*ret = what == WT_SCHEDULER_SWITCH ? WT_BPF_IDLE_SWITCH : WT_BPF_IDLE_WAKE;
	return what != WT_SCHEDULER_READY_NEW;
}

static int filter(const struct wt_perf_ring *ring, uint32_t slot)
{
	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == slot && !ring->fds[i].part &&
		    ioctl(ring->fds[i].fd, PERF_EVENT_IOC_SET_FILTER, without_idle) < 0)
			return -1;
	return 0;
}

/* The program writes into an event of its own, with the same stacks. */
static int open_idle(struct wt_perf *perf, struct wt_perf_ring *ring, uint32_t slot,
		     enum wt_bpf_idle_what what, struct wt_err *err)
{
	struct perf_event_attr attr = perf->slots[slot].attr;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	if (wt_perf_open_event(perf, ring, attr, (struct wt_perf_fd){-1, slot, WT_PERF_PART_IDLE}, -1, -1,
			       err) < 0)
		return -1;
	if (wt_idle_points_set_output(perf->scheduler->idle, what, ring->cpu, ring->fds[ring->n_fds - 1].fd) <
		    0 ||
	    filter(ring, slot) < 0)
		return wt_fail_errno(err, "the events of the idle thread of CPU %u", ring->cpu);
	return 0;
}

static int open_all_idle(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err)
{
	enum wt_bpf_idle_what what;

	for (uint32_t slot = 0; slot < perf->n_slots; slot++)
		if (perf->slots[slot].scheduler && of_idle(perf->slots[slot].scheduler->what, &what) &&
		    open_idle(perf, ring, slot, what, err) < 0)
			return -1;
	return 0;
}

uint64_t wt_scheduler_idle_count(const struct wt_perf *perf, const struct wt_perf_ring *ring,
				 const struct wt_perf_fd *fd)
{
	enum wt_bpf_idle_what what;

	if (fd->part != WT_PERF_PART_IDLE || !perf->scheduler || !perf->scheduler->idle ||
	    fd->slot >= perf->n_slots || !perf->slots[fd->slot].scheduler)
		return 0;
	of_idle(perf->slots[fd->slot].scheduler->what, &what);
	return wt_idle_points_count(perf->scheduler->idle, what, ring->cpu);
}

void wt_scheduler_close(struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	if (!perf->scheduler || !perf->scheduler->idle || ring->sideband)
		return;
	for (int what = 0; what < WT_BPF_IDLE_WHATS; what++)
		wt_idle_points_set_output(perf->scheduler->idle, (enum wt_bpf_idle_what)what, ring->cpu, -1);
}

int wt_scheduler_open(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err)
{
	struct perf_event_attr attr;

	if (perf->scheduler && perf->scheduler->idle && open_all_idle(perf, ring, err) < 0)
		return -1;
	if (!perf->scheduler || !perf->scheduler->switches)
		return 0;
	wt_perf_attr_init(perf, &attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.context_switch = 1;
	attr.inherit = attr.enable_on_exec = 0;
	return wt_perf_open_event(perf, ring, attr, (struct wt_perf_fd){-1, WT_PERF_SLOT_SWITCHES, 0}, -1, -1,
				  err);
}

void wt_scheduler_destroy(struct wt_scheduler *scheduler)
{
	if (scheduler)
		wt_bpf_close(scheduler->idle);
	free(scheduler);
}
