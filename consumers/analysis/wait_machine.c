// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_machine.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"

/* Numbers of CPUs and of threads beyond these are a damaged log's: the kernel's own limit of threads
 * (PID_MAX_LIMIT) is the second one. */
enum { MOST_CPUS = 1 << 16, MOST_TIDS = 1 << 22 };

struct wt_wait_thread {
	uint32_t tid, cpu;
	enum { ABSENT, BEFORE, RUNNING, READY, BLOCKED, UNKNOWN } is;
	uint64_t since;
	uint64_t ended;    /* when it reported its end; 0: it did not */
	uint64_t gone;     /* when its number was last somebody else's; 0: never */
	uint64_t woken_at; /* valid with woken */
	bool told;
	bool woken;        /* since it left the CPU */
	bool woken_before; /* while it ran */
	bool has_lock;     /* lock was read in its present turn */
	struct wt_wait_waker waker, waker_before;
	struct wt_wait_turn turn; /* its present one */
	struct wt_wait_lock lock;
};

struct wt_wait_cpu {
	bool seen, blind, idle;
	uint32_t tid;        /* who runs there... */
	uint32_t id;         /* ...in threads, and 1; 0: not looked up */
	uint64_t idle_until; /* end of its last idle time */
};

static const struct wt_wait_waker nobody = {.segment = WT_WAIT_NONE, .thread = WT_WAIT_NONE};

/* ---- threads and CPUs ---- */

static struct wt_wait_thread *thread_of(struct wt_wait_machine *machine, uint32_t tid, struct wt_err *err)
{
	uint32_t *id;

	if (tid >= MOST_TIDS) {
		wt_fail(err, WT_ERR_FORMAT, "a context switch or wake of thread %u", tid);
		return NULL;
	}
	/* Of this memory the kernel makes only what is touched. */
	if (!machine->ids)
		machine->ids = calloc(MOST_TIDS, sizeof(*machine->ids));
	if (!machine->ids || wt_grow(&machine->threads, &machine->threads_cap, machine->n_threads, 1, err)) {
		wt_fail_nomem(err);
		return NULL;
	}
	id = &machine->ids[tid];
	if (!*id) {
		machine->threads[machine->n_threads] = (struct wt_wait_thread){.tid = tid, .is = ABSENT};
		*id = ++machine->n_threads;
	}
	return &machine->threads[*id - 1];
}

/* NULL: nothing is known of the thread. */
static struct wt_wait_thread *known_thread(const struct wt_wait_machine *machine, uint32_t tid)
{
	uint32_t id = machine->ids && tid < MOST_TIDS ? machine->ids[tid] : 0;

	return id ? &machine->threads[id - 1] : NULL;
}

static struct wt_wait_cpu *cpu_of(struct wt_wait_machine *machine, uint32_t cpu, struct wt_err *err)
{
	struct wt_wait_cpu *cpus;

	if (cpu >= MOST_CPUS) {
		wt_fail(err, WT_ERR_FORMAT, "a context switch on CPU %u", cpu);
		return NULL;
	}
	if (cpu < machine->n_cpus)
		return &machine->cpus[cpu];
	cpus = realloc(machine->cpus, (cpu + (size_t)1) * sizeof(*cpus));
	if (!cpus) {
		wt_fail_nomem(err);
		return NULL;
	}
	memset(cpus + machine->n_cpus, 0, (cpu + (size_t)1 - machine->n_cpus) * sizeof(*cpus));
	machine->cpus = cpus;
	machine->n_cpus = cpu + 1;
	return &cpus[cpu];
}

int wt_wait_blind(struct wt_wait_machine *machine, uint32_t cpu, struct wt_err *err)
{
	struct wt_wait_cpu *row = cpu_of(machine, cpu, err);

	if (!row)
		return -1;
	row->blind = true;
	return 0;
}

uint32_t wt_wait_n_blind(const struct wt_wait_machine *machine)
{
	uint32_t n = 0;

	for (uint32_t c = 0; c < machine->n_cpus; c++)
		n += machine->cpus[c].blind;
	return n;
}

static bool is_missing(const struct wt_wait_machine *machine, enum wt_wait_what what, uint32_t cpu,
		       uint64_t from, uint64_t to)
{
	return machine->missing && machine->missing(machine->ctx, what, cpu, from, to);
}

/* A wake by an interrupt of a CPU's idle thread is not seen where that thread is not traced. */
static bool may_miss_wake(const struct wt_wait_machine *machine, uint64_t from, uint64_t to)
{
	for (uint32_t c = 0; c < machine->n_cpus; c++) {
		const struct wt_wait_cpu *cpu = &machine->cpus[c];

		if (cpu->blind && (machine->only_told || !cpu->seen || cpu->idle || cpu->idle_until >= from))
			return true;
	}
	return is_missing(machine, WT_WAIT_WAKES, WT_WAIT_NONE, from, to);
}

static bool counts(const struct wt_wait_machine *machine, const struct wt_wait_thread *thread)
{
	return thread->told || !machine->only_told;
}

/* ---- parts of a turn ---- */

/* Adds the part of [from, to) that lies in the window. */
static void add(const struct wt_wait_machine *machine, uint64_t from, uint64_t to, uint64_t *part)
{
	uint64_t begin = from > machine->from ? from : machine->from;
	uint64_t end = machine->to && to > machine->to ? machine->to : to;

	if (end > begin)
		*part += end - begin;
}

static void add_unknown(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	if (to > thread->since)
		thread->turn.certainty = WT_WAIT_NOT_KNOWN;
	add(machine, thread->since, to, &thread->turn.unknown);
}

static void add_running(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	if (is_missing(machine, WT_WAIT_SWITCHES, thread->cpu, thread->since, to))
		add_unknown(machine, thread, to);
	else
		add(machine, thread->since, to, &thread->turn.running);
}

/* Of a thread that the wake made ready, or that ends the record as it is. */
static void add_woken(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	thread->turn.ready_by = WT_READY_BY_WAKE;
	thread->turn.waker = thread->waker;
	if (thread->turn.certainty == WT_WAIT_EXACT &&
	    may_miss_wake(machine, thread->since, thread->woken_at))
		thread->turn.certainty = WT_WAIT_PROBABLE;
	add(machine, thread->since, thread->woken_at, &thread->turn.blocked);
	add(machine, thread->woken_at, to, &thread->turn.ready);
}

/* A wait ends without a wake behind its beginning. */
static void add_unwoken(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	struct wt_wait_turn *turn = &thread->turn;

	/* A wake of an earlier, given up wait looks like one that was faster than the switch. */
	if (may_miss_wake(machine, thread->since, to)) {
		machine->counts.unwoken += to > thread->since && counts(machine, thread);
		add_unknown(machine, thread, to);
	} else if (thread->woken_before) {
		turn->ready_by = WT_READY_BY_WAKE;
		turn->waker = thread->waker_before;
		add(machine, thread->since, to, &turn->ready);
	} else {
		turn->ready_by = thread->is == BEFORE ? WT_READY_BEFORE : WT_READY_BY_SIGNAL;
		add(machine, thread->since, to, &turn->ready);
	}
}

/* The wait of a thread, until it gets a CPU. */
static void add_wait(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	bool known = thread->is == READY || thread->is == BLOCKED || thread->is == BEFORE;

	if (!known || is_missing(machine, WT_WAIT_SWITCHES, WT_WAIT_NONE, thread->since, to))
		add_unknown(machine, thread, to);
	else if (thread->is == READY)
		add(machine, thread->since, to, &thread->turn.ready);
	else if (thread->woken)
		add_woken(machine, thread, to);
	else
		add_unwoken(machine, thread, to);
}

/* ---- turns ---- */

static void begin(struct wt_wait_thread *thread, uint64_t time)
{
	thread->since = time;
	thread->woken = thread->woken_before = thread->has_lock = false;
	thread->turn = (struct wt_wait_turn){.tid = thread->tid,
					     .from = time,
					     .segment = WT_WAIT_NONE,
					     .thread = WT_WAIT_NONE,
					     .stack_segment = WT_WAIT_NONE,
					     .cpu = WT_WAIT_NONE,
					     .priority = WT_WAIT_NONE,
					     .state = WT_STATE_NOT_KNOWN,
					     .waker = nobody};
}

/* A thread of which nothing was seen since the record began, or since another one had its number. */
static void begin_before(const struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time)
{
	begin(thread, thread->gone ? time : machine->began);
	thread->turn.certainty = WT_WAIT_CUT;
	thread->turn.open = true;
	thread->is = BEFORE;
}

static int end(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time,
	       struct wt_err *err)
{
	struct wt_wait_turn *turn = &thread->turn;
	bool waited = turn->ready + turn->blocked + turn->unknown > 0;

	turn->to = time;
	/* Of a turn that ends after the window the run may be behind it, too. */
	turn->open |= turn->from < machine->from || (machine->to && time > machine->to && !turn->running);
	turn->open &= waited;
	if (turn->running + turn->ready + turn->blocked + turn->unknown == 0 || !counts(machine, thread))
		return 0;
	if ((turn->from < machine->from || (machine->to && time > machine->to)) &&
	    turn->certainty == WT_WAIT_EXACT)
		turn->certainty = WT_WAIT_CUT;
	/* Of a turn that began before the window only the run may be in it. */
	if (turn->from < machine->from && !waited)
		turn->waits = false;
	machine->counts.turns++;
	machine->counts.probable += turn->certainty == WT_WAIT_PROBABLE;
	machine->counts.waits += turn->waits;
	turn->lock = thread->has_lock ? &thread->lock : NULL;
	return machine->turn(machine->ctx, turn, err);
}

static int absent(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time,
		  struct wt_err *err)
{
	int failed = end(machine, thread, time, err);

	thread->is = ABSENT;
	thread->ended = 0;
	thread->gone = time;
	thread->told = false;
	return failed;
}

/* A wait that has not ended. It is blocked still, unless a wake is missing, or came before it left the CPU.
 */
static void add_open(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t to)
{
	if (thread->woken_before || is_missing(machine, WT_WAIT_SWITCHES, WT_WAIT_NONE, thread->since, to) ||
	    may_miss_wake(machine, thread->since, to))
		add_unknown(machine, thread, to);
	else
		add(machine, thread->since, to, &thread->turn.blocked);
}

/* What a thread does from its last event on, at the end of the record or of its life. */
static int close_thread(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time,
			struct wt_err *err)
{
	uint64_t to = thread->ended && thread->ended < time ? thread->ended : time;

	/* It lived at least until the last event that tells of it. */
	to = to > thread->since ? to : thread->since;
	to = thread->woken && to < thread->woken_at ? thread->woken_at : to;
	if (thread->is == ABSENT)
		return 0;
	if (thread->is == RUNNING)
		add_running(machine, thread, to);
	else if (thread->is == BLOCKED && !thread->woken)
		add_open(machine, thread, to);
	else
		add_wait(machine, thread, to);
	if (!thread->ended && thread->turn.certainty == WT_WAIT_EXACT)
		thread->turn.certainty = WT_WAIT_CUT;
	thread->turn.open |= !thread->ended && thread->is != RUNNING;
	return absent(machine, thread, to, err);
}

/* ---- switches ---- */

/* The thread that ran there, as far as is known, left at a time that is not known. */
static void contradict(struct wt_wait_machine *machine, uint32_t tid, uint32_t cpu, uint64_t time)
{
	struct wt_wait_thread *thread = known_thread(machine, tid);

	machine->counts.contradictions += !machine->only_told || (thread && thread->told);
	if (!thread || thread->is != RUNNING || thread->cpu != cpu)
		return;
	add_unknown(machine, thread, time);
	thread->is = UNKNOWN;
	thread->since = time;
}

static void enter(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time, uint32_t cpu)
{
	if (thread->is == RUNNING && thread->cpu == cpu)
		return;
	if (thread->is == ABSENT)
		begin_before(machine, thread, time);
	add_wait(machine, thread, time);
	machine->counts.contradictions += thread->is == RUNNING && counts(machine, thread);
	thread->is = RUNNING;
	thread->since = time;
	thread->cpu = thread->turn.cpu = cpu;
	thread->woken = thread->woken_before = false;
}

static void begin_wait(struct wt_wait_thread *thread, const struct wt_wait_switch *event)
{
	struct wt_wait_turn *turn = &thread->turn;

	begin(thread, event->time);
	turn->stack_segment = event->segment;
	turn->stack = event->stack;
	turn->state = event->state;
	turn->priority = event->record || event->alone ? WT_WAIT_NONE : event->old_priority;
	if (event->preempted || event->state == WT_STATE_RUNNABLE) {
		thread->is = READY;
		turn->ready_by = event->yields && !event->preempted ? WT_READY_BY_YIELD
								    : WT_READY_BY_PREEMPTION;
	} else if (event->state == WT_STATE_NOT_KNOWN && !event->alone) {
		thread->is = UNKNOWN;
	} else {
		thread->is = BLOCKED;
		turn->waits = true;
	}
}

/* The thread runs on the CPU, and leaves it now. */
static int leave(struct wt_wait_machine *machine, struct wt_wait_thread *thread,
		 const struct wt_wait_switch *event, struct wt_err *err)
{
	bool before = thread->woken_before;
	struct wt_wait_waker waker = thread->waker_before;

	thread->turn.segment = event->segment;
	thread->turn.thread = event->thread;
	add_running(machine, thread, event->time);
	if (!event->preempted && (event->state == WT_STATE_DEAD || event->state == WT_STATE_ZOMBIE))
		return absent(machine, thread, event->time, err);
	if (end(machine, thread, event->time, err))
		return -1;
	begin_wait(thread, event);
	thread->woken_before = before;
	thread->waker_before = waker;
	return 0;
}

/* A program that a thread other than the first begins gives it the first one's number. */
static int rename_runner(struct wt_wait_machine *machine, struct wt_wait_cpu *cpu, uint32_t at, uint64_t time,
			 uint32_t tid, struct wt_err *err)
{
	struct wt_wait_thread *to, *from;
	bool told;

	if (!cpu->seen || !cpu->tid || cpu->tid == tid)
		return 0;
	to = thread_of(machine, tid, err);
	from = to ? thread_of(machine, cpu->tid, err) : NULL;
	if (!from)
		return -1;
	to = thread_of(machine, tid, err);
	/* The first thread has ended by then. */
	if (from->is != RUNNING || from->cpu != at || to->is != ABSENT)
		return 0;
	add_running(machine, from, time);
	told = from->told;
	if (absent(machine, from, time, err))
		return -1;
	begin(to, time);
	to->told = told;
	to->is = RUNNING;
	to->ended = 0;
	to->cpu = to->turn.cpu = at;
	cpu->tid = tid;
	cpu->id = 0;
	return 0;
}

/* A thread that is dead cannot leave a CPU: it is the one that ran there, and took over its number. */
static int adopt(struct wt_wait_machine *machine, struct wt_wait_cpu *cpu, const struct wt_wait_switch *event,
		 struct wt_err *err)
{
	const struct wt_wait_thread *old = known_thread(machine, event->old_tid);

	if (!old || !old->gone || old->is != ABSENT)
		return 0;
	return rename_runner(machine, cpu, event->cpu, event->time, event->old_tid, err);
}

/* The thread that the tracepoint names leaves. */
static int leave_by_point(struct wt_wait_machine *machine, struct wt_wait_cpu *cpu,
			  const struct wt_wait_switch *event, struct wt_err *err)
{
	struct wt_wait_thread *thread;

	if (event->old_tid && cpu->seen && cpu->tid != event->old_tid && adopt(machine, cpu, event, err))
		return -1;
	if (cpu->seen && cpu->tid != event->old_tid)
		contradict(machine, cpu->tid, event->cpu, event->time);
	if (!event->old_tid)
		return 0;
	thread = cpu->seen && cpu->id && cpu->tid == event->old_tid ? &machine->threads[cpu->id - 1]
								    : thread_of(machine, event->old_tid, err);
	if (!thread)
		return -1;
	if (thread->is == ABSENT)
		begin_before(machine, thread, event->time);
	if (!cpu->seen && thread->is == BEFORE) {
		thread->is = RUNNING;
		thread->woken_before = thread->woken;
		thread->waker_before = thread->waker;
		thread->cpu = thread->turn.cpu = event->cpu;
	} else if (thread->is != RUNNING || thread->cpu != event->cpu) {
		add_unknown(machine, thread, event->time);
		machine->counts.contradictions += cpu->seen && cpu->tid == event->old_tid &&
						  counts(machine, thread);
		thread->is = RUNNING;
		thread->since = event->time;
		thread->cpu = thread->turn.cpu = event->cpu;
	}
	return leave(machine, thread, event, err);
}

/* The kernel's record says only who came; what the thread before does from now on is not known. */
static int leave_by_record(struct wt_wait_machine *machine, const struct wt_wait_cpu *cpu,
			   const struct wt_wait_switch *event, struct wt_err *err)
{
	struct wt_wait_switch left = *event;
	struct wt_wait_thread *thread;

	if (!cpu->seen || !cpu->tid)
		return 0;
	if (cpu->tid != event->old_tid) {
		contradict(machine, cpu->tid, event->cpu, event->time);
		return 0;
	}
	thread = thread_of(machine, cpu->tid, err);
	if (!thread)
		return -1;
	if (thread->is != RUNNING || thread->cpu != event->cpu)
		return 0;
	left.state = WT_STATE_NOT_KNOWN;
	left.preempted = false;
	left.segment = left.thread = WT_WAIT_NONE;
	left.stack = 0;
	return leave(machine, thread, &left, err);
}

static void note_idle(struct wt_wait_cpu *cpu, const struct wt_wait_switch *event)
{
	if (cpu->idle || !cpu->seen)
		cpu->idle_until = event->time;
	cpu->idle = !event->new_tid;
	cpu->seen = true;
	cpu->tid = event->new_tid;
}

/* Whoever ran there before has left. A thread that ended does so without an event. */
static int leave_unseen(struct wt_wait_machine *machine, struct wt_wait_cpu *cpu,
			const struct wt_wait_switch *event, struct wt_err *err)
{
	struct wt_wait_thread *thread = cpu->seen ? known_thread(machine, cpu->tid) : NULL;

	if (!thread || thread->tid == event->new_tid)
		return 0;
	if (thread->ended && thread->is == RUNNING && thread->cpu == event->cpu)
		return close_thread(machine, thread, event->time, err);
	contradict(machine, thread->tid, event->cpu, event->time);
	return 0;
}

static int leave_somehow(struct wt_wait_machine *machine, struct wt_wait_cpu *cpu,
			 const struct wt_wait_switch *event, struct wt_err *err)
{
	if (event->alone && event->old_tid == WT_WAIT_NONE)
		return leave_unseen(machine, cpu, event, err);
	return event->record ? leave_by_record(machine, cpu, event, err)
			     : leave_by_point(machine, cpu, event, err);
}

int wt_wait_switch(struct wt_wait_machine *machine, const struct wt_wait_switch *event, struct wt_err *err)
{
	struct wt_wait_cpu *cpu = cpu_of(machine, event->cpu, err);
	struct wt_wait_thread *thread;
	uint32_t id = 0;

	if (!cpu)
		return -1;
	if (!machine->began)
		machine->began = event->time;
	if (event->record && cpu->seen && cpu->tid == event->new_tid)
		return 0;
	if (leave_somehow(machine, cpu, event, err))
		return -1;
	if (event->alone && event->new_tid == WT_WAIT_NONE) {
		cpu->seen = false;
		return 0;
	}
	if (event->new_tid) {
		thread = thread_of(machine, event->new_tid, err);
		if (!thread)
			return -1;
		enter(machine, thread, event->time, event->cpu);
		if (!event->record && !event->alone)
			thread->turn.priority = event->new_priority;
		id = (uint32_t)(thread - machine->threads) + 1;
	}
	note_idle(cpu, event);
	cpu->id = id;
	return 0;
}

/* ---- other events ---- */

static int begin_new(struct wt_wait_machine *machine, struct wt_wait_thread *thread, uint64_t time,
		     struct wt_err *err)
{
	bool told = thread->told;
	/* It began just before; its life counts from when it can run. */
	bool begun = thread->is == READY && thread->turn.ready_by == WT_READY_BY_START &&
		     thread->turn.waker.segment == WT_WAIT_NONE;

	if (!begun && close_thread(machine, thread, time, err))
		return -1;
	begin(thread, time);
	thread->told = told;
	thread->is = READY;
	thread->turn.ready_by = WT_READY_BY_START;
	return 0;
}

int wt_wait_start(struct wt_wait_machine *machine, uint64_t time, uint32_t tid, struct wt_err *err)
{
	struct wt_wait_thread *thread = thread_of(machine, tid, err);

	if (!thread || begin_new(machine, thread, time, err))
		return -1;
	thread->told = true;
	return 0;
}

int wt_wait_told(struct wt_wait_machine *machine, uint32_t tid, struct wt_err *err)
{
	struct wt_wait_thread *thread = thread_of(machine, tid, err);

	if (!thread)
		return -1;
	thread->told = true;
	return 0;
}

static void take_lock(struct wt_wait_thread *thread, const struct wt_wait_found *found)
{
	thread->lock = found->lock;
	thread->has_lock = found->lock.address;
}

int wt_wait_found(struct wt_wait_machine *machine, const struct wt_wait_found *found, struct wt_err *err)
{
	struct wt_wait_thread *thread = thread_of(machine, found->tid, err);

	if (!thread)
		return -1;
	if (!machine->began)
		machine->began = found->time;
	/* A wake that is missing did not come, or it would not wait now. */
	if (thread->is == BLOCKED && !thread->woken && found->time > thread->since &&
	    !is_missing(machine, WT_WAIT_SWITCHES, WT_WAIT_NONE, thread->since, found->time)) {
		add(machine, thread->since, found->time, &thread->turn.blocked);
		thread->since = found->time;
		thread->woken_before = false;
		take_lock(thread, found);
	}
	if (thread->is != ABSENT || thread->gone)
		return 0;
	begin_before(machine, thread, found->time);
	thread->is = BLOCKED;
	thread->turn.waits = true;
	thread->turn.state = found->state;
	thread->turn.kind = found->kind;
	take_lock(thread, found);
	thread->turn.segment = thread->turn.stack_segment = found->segment;
	thread->turn.thread = found->thread;
	thread->turn.stack = found->stack;
	return 0;
}

int wt_wait_wake(struct wt_wait_machine *machine, uint64_t time, uint32_t tid,
		 const struct wt_wait_waker *waker, bool is_new, struct wt_err *err)
{
	struct wt_wait_thread *thread = thread_of(machine, tid, err);

	if (!thread)
		return -1;
	if (!machine->began)
		machine->began = time;
	if (is_new) {
		if (begin_new(machine, thread, time, err))
			return -1;
		thread->turn.waker = *waker;
		return 0;
	}
	if (thread->is == ABSENT)
		begin_before(machine, thread, time);
	if (thread->is == RUNNING) {
		thread->woken_before = true;
		thread->waker_before = *waker;
	} else if ((thread->is == BLOCKED || thread->is == BEFORE) && !thread->woken) {
		thread->woken = true;
		thread->woken_at = time;
		thread->waker = *waker;
	}
	return 0;
}

int wt_wait_stop(struct wt_wait_machine *machine, uint64_t time, uint32_t tid, struct wt_err *err)
{
	struct wt_wait_thread *thread = known_thread(machine, tid);

	(void)err;
	if (thread && thread->is != ABSENT)
		thread->ended = time;
	return 0;
}

int wt_wait_exec(struct wt_wait_machine *machine, uint64_t time, uint32_t cpu, uint32_t tid,
		 struct wt_err *err)
{
	return cpu < machine->n_cpus ? rename_runner(machine, &machine->cpus[cpu], cpu, time, tid, err) : 0;
}

int wt_wait_finish(struct wt_wait_machine *machine, uint64_t time, struct wt_err *err)
{
	for (uint32_t i = 0; i < machine->n_threads; i++)
		if (close_thread(machine, &machine->threads[i], time, err))
			return -1;
	return 0;
}

void wt_wait_deinit(struct wt_wait_machine *machine)
{
	free(machine->ids);
	free(machine->threads);
	free(machine->cpus);
	machine->ids = NULL;
	machine->threads = NULL;
	machine->cpus = NULL;
	machine->n_cpus = machine->n_threads = machine->threads_cap = 0;
}
