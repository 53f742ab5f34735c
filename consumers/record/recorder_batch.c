// SPDX-License-Identifier: MIT
/* The log's pending batch: finds an event's thread and stack in the segment's tables and adds the event, at
 * once or when the memory has brought the tables. */
#include "consumers/record/recorder_state.h"

#include <string.h>

/* Nodes added between two looks at the tables' size. */
#define ADDED 64

uint64_t wt_recorder_intern_bound(const struct wt_recorder *rec)
{
	uint64_t bound = rec->config.memory_bound;
	uint64_t taken = wt_identity_bytes(&rec->identity);

	return taken < bound - bound / 4 ? bound - taken : bound / 4;
}

bool wt_recorder_is_blocked(const struct wt_recorder *rec)
{
	return rec->interner.broken || (rec->rotation_failed && wt_interner_bytes(&rec->interner) / 2 >
									wt_recorder_intern_bound(rec));
}

bool wt_recorder_is_crowded(struct wt_recorder *rec)
{
	if (rec->interner.added < ADDED || rec->rotation_failed)
		return false;
	rec->interner.added = 0;
	return wt_interner_bytes(&rec->interner) > wt_recorder_intern_bound(rec);
}

/* Accounts for an event that could not be added. */
static int refuse(struct wt_recorder *rec, const struct wt_event *event, const struct wt_err *why,
		  struct wt_err *err)
{
	if (why->code == WT_ERR_FORMAT)
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	if (why->code == WT_ERR_NOMEM || why->code == WT_ERR_LIMIT)
		return wt_recorder_lose_event(rec, event, WT_LOSS_MEMORY, err) ? -1 : 1;
	if (err)
		*err = *why;
	return -1;
}

/* Units of work for asking the kernel about a process. */
#define ASKING 60

static struct wt_thread *believed_thread(struct wt_recorder *rec, const struct wt_event *event)
{
	bool believed;

	wt_owners_settle(&rec->identity.owners, &rec->identity.tasks, event->time);
	/* An ended process is forgotten after a while, but a ring at rest may be read later than that. */
	rec->claims.late = rec->last_time > event->time && rec->last_time - event->time > WT_TASK_GRACE / 2;
	believed = wt_claims_check(&rec->claims, &rec->identity.tasks, event);
	if (rec->claims.asked)
		wt_merge_burden(&rec->merge, ASKING);
	return believed ? wt_identity_thread(&rec->identity, event->pid, event->tid, event->time) : NULL;
}

/* A CPU's next event is mostly of the thread of its last one. That thread may be used again if nothing known
 * of it has changed. */
int wt_recorder_name_thread(struct wt_recorder *rec, const struct wt_event *event, struct wt_who **ret,
			    struct wt_err *err)
{
	struct wt_tasks *tasks = &rec->identity.tasks;
	struct wt_who *who = *ret = &rec->recent[event->cpu % WT_RECENT];
	struct wt_thread *thread;

	if (who->epoch == rec->interner.epoch && who->changes == tasks->changes && who->tid == event->tid &&
	    who->pid == event->pid && who->claimer == event->claimer)
		return 0;
	thread = believed_thread(rec, event);
	who->epoch = 0;
	if (wt_interner_thread(&rec->interner, thread, &who->row, err))
		return -1;
	who->space = thread ? wt_identity_space(&rec->identity, thread->process) : NULL;
	if (thread && !who->space)
		who->space = &rec->interner.doubted;
	who->start_time = thread ? thread->process->start_time : 0;
	who->parent_pid = thread ? thread->process->parent_pid : 0;
	who->programs = thread ? thread->process->programs : 0;
	who->uid = thread ? thread->process->euid : UINT32_MAX;
	who->pid = event->pid;
	who->tid = event->tid;
	who->claimer = event->claimer;
	who->changes = tasks->changes;
	who->epoch = rec->interner.epoch;
	return 0;
}

/* Finds the thread that caused the event, and its address space; the space is valid until the next event. */
static int name(struct wt_recorder *rec, const struct wt_event *event, struct wt_waiting *ret,
		struct wt_space **space, struct wt_err *err)
{
	struct wt_who *who, nobody = {0};

	if (rec->roles[event->kind].is == WT_ROLE_LOST)
		who = &nobody;
	else if (wt_recorder_name_thread(rec, event, &who, err))
		return -1;
	ret->event = *event;
	if (!event->claimer && wt_selves_has(&rec->selves, event->pid))
		ret->event.flags |= WT_EVENT_SELF;
	if (event->claimer)
		ret->event.flags |= WT_EVENT_CLAIMED;
	ret->thread_row = who->row;
	*space = who->space;
	rec->interner.task = (struct wt_generated_task){.pid = who->space ? event->pid : 0,
							.uid = who->uid,
							.parent_pid = who->parent_pid,
							.programs = who->programs,
							.start_time = who->start_time,
							.time = event->time};
	return wt_ledger_row(&rec->ledger, event->kind, event->cpu, &ret->ledger_row, err);
}

static int put(struct wt_recorder *rec, const struct wt_waiting *waiting, uint32_t stack_row,
	       struct wt_err *err)
{
	const struct wt_event *event = &waiting->event;
	int rc = wt_log_event(rec->config.log, event, waiting->thread_row, stack_row, err);

	if (rc >= 0 && rec->roles[event->kind].is != WT_ROLE_LOST)
		wt_ledger_book(&rec->ledger, waiting->ledger_row, event->time);
	return rc;
}

int wt_recorder_append(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	struct wt_space *space;
	struct wt_waiting now;
	uint32_t stack_row;

	if (name(rec, event, &now, &space, err) ||
	    wt_interner_stack(&rec->interner, &event->stack, rec->identity.kernel, space, &stack_row, err))
		return -1;
	return put(rec, &now, stack_row, err);
}

static struct wt_waiting *waiting_at(struct wt_recorder *rec, uint32_t i)
{
	return &rec->waiting[(rec->first_waiting + i) % WT_WAITING];
}

static int put_first(struct wt_recorder *rec, struct wt_err *err)
{
	const struct wt_waiting *first = waiting_at(rec, 0);
	struct wt_err why;
	uint32_t stack_row;
	int rc;

	rec->first_waiting++;
	rec->n_waiting--;
	rc = wt_interner_put(&rec->interner, &first->path, &stack_row, &why);
	if (!rc)
		rc = put(rec, first, stack_row, &why);
	return rc < 0 ? refuse(rec, &first->event, &why, err) : rc;
}

int wt_recorder_settle(struct wt_recorder *rec, struct wt_err *err)
{
	int rc = 0;

	while (rec->n_waiting) {
		int one = put_first(rec, err);

		if (one < 0)
			return -1;
		rc |= one;
	}
	return rc;
}

/* Lets an event wait for the memory. Returns 0; 1: flush; -1: see err. */
static int wait(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	int rc = rec->n_waiting == WT_WAITING ? put_first(rec, err) : 0;
	struct wt_waiting *last = waiting_at(rec, rec->n_waiting);
	struct wt_space *space;
	struct wt_err why;

	if (rc < 0)
		return -1;
	last->path.steps = last->steps;
	if (name(rec, event, last, &space, &why) ||
	    wt_interner_look(&rec->interner, &event->stack, rec->identity.kernel, space, &last->path, &why))
		return refuse(rec, event, &why, err);
	memcpy(last->payload, event->payload, event->payload_len);
	last->event.payload = last->payload;
	wt_interner_prefetch(&rec->interner, &last->path);
	rec->n_waiting++;
	return rc;
}

/* Prefetching pays for stacks in sequence. Stacks that the queue cannot hold are not prefetched. */
static bool can_wait(const struct wt_event *event)
{
	uint32_t n = (uint32_t)event->stack.n_kernel + event->stack.n_user;

	return n && n <= WT_WAITING_FRAMES && event->payload_len <= WT_WAITING_PAYLOAD && !event->activity &&
	       !event->related;
}

/* Adds an event that does not wait, after all events that do, to keep the order. */
static int put_now(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	struct wt_err why;
	int settled = wt_recorder_settle(rec, err), rc;

	if (settled < 0)
		return -1;
	rc = wt_recorder_append(rec, event, &why);
	return rc < 0 ? refuse(rec, event, &why, err) : rc | settled;
}

int wt_recorder_write(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	int rc;

	if (wt_recorder_is_blocked(rec)) {
		if (wt_recorder_lose_event(rec, event, rec->rotation_failed ? WT_LOSS_DISK : WT_LOSS_MEMORY,
					   err))
			return -1;
		return !rec->rotation_failed;
	}
	rc = can_wait(event) ? wait(rec, event, err) : put_now(rec, event, err);
	if (rc < 0)
		return -1;
	return rc || wt_recorder_is_crowded(rec);
}
