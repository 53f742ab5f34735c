// SPDX-License-Identifier: MIT
/* Threads that wait when a session begins or ends: where they wait, and the stacks of their programs. No
 * thread is stopped and no call interrupted. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "providers/perf/internal.h"
#include "providers/perf/lock_owner.h"
#include "providers/perf/rundown.h"
#include "providers/perf/user_regs.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/remote.h"
#include "tracecore/base/thread_place.h"

/* Bytes of a stack. */
enum { STACK_BYTES = 16 << 10 };

/* Stacks of one session: they lie in memory until they are walked. Between so many waits the rings are read.
 */
enum { STACKS_MOST = 4096, PAUSE_EVERY = 64 };

/* A thread as it waits. */
struct wait {
	uint32_t pid, tid;
	uint64_t time; /* it waited then */
	uint64_t switches;
	struct wt_thread_place place;
	struct wt_lock_owner lock;
	char state;
	char function[64];
};

static uint8_t state_of(char letter)
{
	static const struct {
		char letter;
		uint8_t state;
	} states[] = {{'S', WT_STATE_SLEEPING}, {'D', WT_STATE_UNINTERRUPTIBLE}, {'T', WT_STATE_STOPPED},
		      {'t', WT_STATE_TRACED},   {'P', WT_STATE_PARKED},          {'I', WT_STATE_IDLE}};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].letter == letter)
			return states[i].state;
	return WT_STATE_NOT_KNOWN;
}

static bool is_program(const struct wt_thread_place *place)
{
	return place->call >= 0 && place->sp && place->pc;
}

/* The thread was off the CPUs at both places, and left none in between: it waited all the time. */
static bool look_at(struct wait *wait, uint8_t *stack, uint32_t *size)
{
	struct wt_thread_place after;
	uint64_t switches;
	char state;

	*size = 0;
	if (!wt_thread_switches(wait->pid, wait->tid, &wait->switches, &wait->state) ||
	    !wt_thread_place(wait->pid, wait->tid, false, &wait->place))
		return false;
	wait->time = wt_clock_now();
	wt_lock_owner_read(wait->pid, &wait->place, &wait->lock);
	if (stack && is_program(&wait->place))
		*size = wt_remote_read(wait->pid, wait->place.sp, STACK_BYTES, stack) & ~7u;
	wt_thread_function(wait->pid, wait->tid, wait->function);
	return wt_thread_place(wait->pid, wait->tid, false, &after) &&
	       wt_thread_switches(wait->pid, wait->tid, &switches, &state) && switches == wait->switches;
}

/* Without BPF two of the registers are known. */
static void put_place(const struct wt_perf_walk *walk, const struct wait *wait, uint32_t size,
		      struct wt_stack_dump *ret)
{
	const struct wt_bpf_task_regs *regs = wt_task_regs_find(&walk->regs, wait->pid, wait->tid,
								wait->switches);
	const uint32_t sp = WT_PERF_REGS == &wt_perf_regs_aarch64 ? 31 : 7;

	*ret = (struct wt_stack_dump){
		.machine = WT_PERF_REGS->machine,
		.cut = size == STACK_BYTES,
		.waited = true,
		.place = true,
		.changing = wt_thread_place_changes(&wait->place),
		.size = size,
		.pc = wait->place.pc,
		.bytes = walk->stack,
	};
	if (regs)
		ret->place = wt_task_regs_get(regs, ret->r) != ret->pc || ret->r[sp] != wait->place.sp;
	ret->r[sp] = wait->place.sp;
}

static int tell(struct wt_perf_walk *walk, const struct wait *wait, uint32_t size, struct wt_err *err)
{
	struct wt_event event = {.time = wait->time,
				 .kind = walk->waiting_kind,
				 .cpu = WT_CPU_NONE,
				 .pid = wait->pid,
				 .tid = wait->tid};
	const struct wt_waiting_payload payload = {.tid = wait->tid,
						   .state = state_of(wait->state),
						   .call = wait->place.sp ? wait->place.call : -1,
						   .function = wt_str(wait->function),
						   .lock = wait->lock.lock,
						   .owner = wait->lock.owner,
						   .owner_is = wait->lock.owner_is};
	struct wt_stack_dump dump;

	wt_buf_clear(&walk->payload);
	wt_waiting_put(&walk->payload, &payload);
	if (walk->payload.failed)
		return wt_fail_nomem(err);
	event.payload = walk->payload.data;
	event.payload_len = (uint32_t)walk->payload.len;
	if (size) {
		put_place(walk, wait, size, &dump);
		event.stack.dump = &dump;
		if (++walk->stacks == STACKS_MOST)
			wt_warn("more than %d threads wait: the others are reported without the stacks of "
				"their programs",
				STACKS_MOST);
	}
	return walk->rundown->fn(walk->rundown->ctx, &event, err);
}

static int pause_at_times(struct wt_perf_walk *walk, struct wt_err *err)
{
	const struct wt_rundown *rundown = walk->rundown;

	return rundown->pause && ++walk->waits % PAUSE_EVERY == 0 ? rundown->pause(rundown->ctx, err) : 0;
}

int wt_perf_walk_waits(struct wt_perf_walk *walk, uint32_t pid, struct wt_err *err)
{
	char directory[64];
	struct dirent *entry;
	int failed = 0;
	DIR *dir;

	if (walk->rundown->stacks && !walk->stack) {
		walk->stack = malloc(STACK_BYTES);
		if (!walk->stack)
			return wt_fail_nomem(err);
		wt_task_regs_read(&walk->regs);
	}
	snprintf(directory, sizeof(directory), "/proc/%u/task", pid);
	dir = opendir(directory);
	while (dir && !failed && (entry = readdir(dir))) {
		struct wait wait = {.pid = pid};
		uint64_t tid;
		uint32_t size;

		if (!wt_text_u64(entry->d_name, &tid) || tid > INT32_MAX)
			continue;
		wait.tid = (uint32_t)tid;
		if (look_at(&wait, walk->stacks < STACKS_MOST ? walk->stack : NULL, &size))
			failed = tell(walk, &wait, size, err) < 0 || pause_at_times(walk, err) < 0 ? -1 : 0;
	}
	if (dir)
		closedir(dir);
	return failed;
}
