// SPDX-License-Identifier: MIT
/* Walks stacks that come as copies, or lets them wait for their tables while the rings have room. */
#include "consumers/record/recorder_state.h"

/* Fill of a ring, thousandths. Above PRESSED nothing waits, until the fill is down to RELIEVED. Half of the
 * ring is left for the time until the recorder gets a CPU. */
#define PRESSED  500
#define RELIEVED 250

uint32_t wt_recorder_fill(const struct wt_recorder *rec)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < rec->merge.n; i++) {
		const struct wt_source *source = rec->merge.inputs[i].source;
		uint32_t fill = source->ops->fill ? source->ops->fill(source) : 0;

		if (fill > most)
			most = fill;
	}
	return most;
}

/* True when a ring is filling although all taken events have been written. Where they have not been, a flush
 * comes first. */
static bool is_pressed(const struct wt_recorder *rec)
{
	return wt_recorder_fill(rec) > PRESSED && !rec->ledger.n_pending && !rec->n_waiting;
}

/* Makes room in the rings that fill, by moving their content elsewhere. Returns true when there is more
 * room; then the sources have to be asked for their events again. */
static bool hold(struct wt_recorder *rec)
{
	bool moved = false;

	for (uint32_t i = 0; i < rec->merge.n; i++) {
		struct wt_source *source = rec->merge.inputs[i].source;

		if (source->ops->hold && source->ops->fill(source) > RELIEVED)
			moved |= source->ops->hold(source);
	}
	return moved;
}

void wt_recorder_begin_waiting(struct wt_recorder *rec)
{
	rec->waits = false;
	rec->pressed = rec->pressed && wt_recorder_fill(rec) > RELIEVED;
}

static enum wt_unwound unwind(struct wt_recorder *rec, const struct wt_unwind_task *task,
			      const struct wt_raw_stack *raw, struct wt_raw_stack *ret)
{
	enum wt_unwind_when when = rec->pressed || rec->hurry ? WT_UNWIND_NOW : WT_UNWIND_PATIENTLY;
	enum wt_unwound got = rec->config.unwind(rec->config.unwind_ctx, task, raw, when, ret);

	if (got == WT_UNWOUND)
		return got;
	/* Only an event that would have to wait looks at the fill of the rings. Events that hold() moved
	 * wait for the next round. */
	rec->pressed = is_pressed(rec) && !hold(rec);
	return rec->pressed ? rec->config.unwind(rec->config.unwind_ctx, task, raw, WT_UNWIND_NOW, ret) : got;
}

/* When another thread of a process begins a program, it takes over the number of the first one. */
static bool may_be_replaced(const struct wt_recorder *rec, const struct wt_thread *thread)
{
	const struct wt_process *process = thread->process;

	return thread->tid == process->pid &&
	       (process->n_live > 1 || !wt_identity_counts(&rec->identity, process));
}

/* Gives the walk what is known of the switches of a thread that leaves its CPU to wait. */
static void put_turns(struct wt_recorder *rec, const struct wt_event *event, struct wt_unwind_task *task)
{
	struct wt_switch_payload payload;
	struct wt_thread *thread;

	if (rec->roles[event->kind].is != WT_ROLE_CSWITCH || rec->roles[event->kind].id != WT_CSWITCH ||
	    wt_switch_get(event->payload, event->payload_len, &payload) || payload.old_tid != event->tid ||
	    payload.preempted || payload.old_state == WT_STATE_RUNNABLE)
		return;
	thread = wt_tasks_thread(&rec->identity.tasks, event->tid);
	if (!thread || thread->process->pid != event->pid || may_be_replaced(rec, thread))
		return;
	task->turns = &thread->turns;
	task->losses = rec->lost_switches;
	task->turn = wt_turns_with(task->turns, event->time, task->losses);
}

const struct wt_event *wt_recorder_unwind(struct wt_recorder *rec, const struct wt_event *event,
					  struct wt_event *room)
{
	struct wt_unwind_task task = {.pid = event->pid, .tid = event->tid, .time = event->time};
	struct wt_who *who;
	struct wt_err ignored;

	*room = *event;
	room->stack.dump = NULL;
	/* Whatever stops the walk of a stack also keeps the event from the log; that is accounted for there.
	 */
	if (!rec->config.unwind || event->kind >= rec->n_kinds || wt_recorder_is_blocked(rec) ||
	    !wt_recorder_is_wanted(rec, event->kind) || wt_recorder_name_thread(rec, event, &who, &ignored))
		return room;
	task.start_time = who->start_time;
	task.uid = who->uid;
	task.parent_pid = who->parent_pid;
	task.programs = who->programs;
	task.space = who->space == &rec->interner.doubted ? NULL : who->space;
	put_turns(rec, event, &task);
	rec->waits = unwind(rec, &task, &event->stack, &room->stack) == WT_UNWIND_WAIT;
	return rec->waits ? NULL : room;
}

bool wt_recorder_waits(const struct wt_recorder *rec)
{
	return rec->waits;
}

void wt_recorder_hurry(struct wt_recorder *rec, bool hurry)
{
	rec->hurry = hurry;
}
