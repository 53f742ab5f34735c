// SPDX-License-Identifier: MIT
#include "consumers/counting/unseen.h"

#include <sys/resource.h>
#include <time.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

/* The most time that a process uses after its last count, and the most by which clocks differ. ns */
#define USUAL_LACK (5 * UINT64_C(1000000))

/* CPU time in ns of the children that have ended, and of the children that those waited for. */
static uint64_t used_by_children(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * WT_NSEC +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static uint64_t used_by(pid_t pid)
{
	struct timespec used = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * WT_NSEC + (uint64_t)used.tv_nsec;
}

void wt_unseen_begin(struct wt_unseen *unseen)
{
	*unseen = (struct wt_unseen){.of_children = used_by_children()};
}

void wt_unseen_watch(struct wt_unseen *unseen, pid_t pid)
{
	struct wt_counter_target target = WT_COUNTER_NOWHERE;
	struct wt_perf_spec spec;
	/* Every user who may count at all may count this clock. It runs in all modes. */
	const struct wt_counter_event event = {.spec = &spec,
					       .exclude = WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR};

	target.tid = pid;
	target.inherit = true;
	if (wt_perf_spec_parse("task-clock", NULL, &spec, NULL) ||
	    wt_counter_open(&event, 1, &target, &unseen->clock, NULL))
		return;
	if (wt_counter_enable(unseen->clock, NULL))
		wt_unseen_end(unseen);
	unseen->of_command = used_by(pid);
}

void wt_unseen_tell(const struct wt_unseen *unseen, const char *name, uint64_t counted)
{
	uint64_t before = unseen->of_children + unseen->of_command, used = used_by_children(), lacks;
	struct wt_count seen;

	if (!unseen->clock || wt_counter_read(unseen->clock, &seen, NULL))
		return;
	lacks = used > before + seen.enabled ? used - before - seen.enabled : 0;
	if (lacks <= USUAL_LACK || lacks <= counted / 2)
		return;
	wt_note("only %.1f of %.1f ms that %s used on CPUs were counted: the kernel stops counting a process "
		"that executes a program with other rights (set-uid, capabilities), or one that this user "
		"may not read; count whole CPUs (-a)",
		(double)counted / 1e6, (double)(counted + lacks) / 1e6, name);
}

void wt_unseen_end(struct wt_unseen *unseen)
{
	wt_counter_close(unseen->clock);
	unseen->clock = NULL;
}
