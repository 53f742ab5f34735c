// SPDX-License-Identifier: MIT
#include "consumers/unwind/stay.h"

#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/thread_place.h"

/* The place comes before the count: while that shows no further switch, a thread that was off the CPUs has
 * not been on one since. */
bool wt_stay_is_proved(const struct wt_unwind_task *task, const struct wt_stack_dump *dump, bool direct)
{
	uint64_t count, sp = dump->r[dump->machine == WT_ABI_UNWIND_AARCH64 ? 31 : 7];
	struct wt_thread_place place;
	bool is_there;
	char state;

	if (!task->turns || !task->turn)
		return false;
	is_there = wt_thread_place(task->pid, task->tid, direct, &place) && place.sp == sp &&
		   place.pc == dump->pc && !wt_thread_place_changes(&place);
	if (!wt_thread_switches(task->pid, task->tid, &count, &state))
		return false;
	if (count > task->turns->seen)
		task->turns->seen = count;
	return is_there && count == task->turn;
}

/* The count comes before the place: a thread that is off the CPUs then has passed the event of each switch
 * that is in the count. */
void wt_stay_ask(const struct wt_unwind_task *task, bool direct)
{
	uint64_t from = wt_clock_now(), count;
	struct wt_thread_place place;
	char state;

	if (task->turns && wt_turns_may_ask(task->turns, task->losses) &&
	    wt_thread_switches(task->pid, task->tid, &count, &state) &&
	    wt_thread_place(task->pid, task->tid, direct, &place))
		wt_turns_answer(task->turns, from, wt_clock_now(), count, task->losses);
}
