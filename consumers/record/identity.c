// SPDX-License-Identifier: MIT
#include "consumers/record/identity.h"

#include <string.h>
#include <sys/auxv.h>

#include "tracecore/base/clock.h"
#include "tracecore/event.h"

/* Two start times of one process differ by /proc's clock tick and by the drift between the boot clock and the
 * session clock since then, which NTP keeps below 500 parts per million. */
#define START_SLACK   UINT64_C(100000000)
#define DRIFT_DIVISOR 1000
/* At most this long passes between the reading of a process's state and the event that reports it. */
#define READ_SLACK UINT64_C(100000000)

static struct wt_str name_of(const struct wt_task_name *name)
{
	return wt_str_of(name->text, name->len);
}

int wt_identity_init(struct wt_identity *identity, uint64_t bound)
{
	*identity = (struct wt_identity){0};
	identity->mounts.roots = &identity->roots;
	wt_tasks_init(&identity->tasks, &identity->images, bound);
	identity->kernel = wt_space_create(&identity->images);
	return identity->kernel ? 0 : -1;
}

void wt_identity_deinit(struct wt_identity *identity)
{
	wt_owners_deinit(&identity->owners);
	wt_tasks_deinit(&identity->tasks);
	wt_space_put(identity->kernel, &identity->images);
	identity->kernel = NULL;
	wt_image_set_deinit(&identity->images);
	wt_map_shares_deinit(&identity->shares);
	wt_mounts_deinit(&identity->mounts);
	wt_roots_deinit(&identity->roots);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool same_start(uint64_t known, uint64_t told, uint64_t now)
{
	return distance(known, told) <= START_SLACK + distance(now, known) / DRIFT_DIVISOR;
}

static void rename_process(struct wt_process *process, struct wt_str name)
{
	if (wt_task_rename(&process->name, name))
		process->row.epoch = 0;
}

static void rename_thread(struct wt_thread *thread, struct wt_str name)
{
	if (wt_task_rename(&thread->name, name))
		thread->row.epoch = 0;
	if (thread->tid == thread->process->pid)
		rename_process(thread->process, name);
}

static void set_exe(struct wt_identity *identity, struct wt_process *process, struct wt_str exe)
{
	if (exe.len == process->exe.len && (!exe.len || !memcmp(exe.p, process->exe.p, exe.len)))
		return;
	if (wt_process_set_exe(&identity->tasks, process, exe))
		process->row.epoch = 0;
}

static struct wt_str known_or(struct wt_str news, bool looked, const struct wt_str *old)
{
	return looked || news.len || !old ? news : *old;
}

/* Sets the program and its surroundings from the news. Fields that the news lack stay as they were, unless
 * another program began. */
static void set_program(struct wt_identity *identity, struct wt_process *process,
			const struct wt_proc_payload *news, bool exec)
{
	const struct wt_program *old = process->program;
	bool looked = news->caught != WT_CAUGHT_NO;
	struct wt_program *program;

	if (news->inside_pid)
		process->inside_pid = news->inside_pid;
	if (!exec && !looked && !news->cgroup.len && !news->container.len)
		return;
	program = wt_program_create(
		&(struct wt_program_facts){
			.caught = looked || exec || !old ? news->caught : old->facts.caught,
			.command_line = known_or(news->command_line, looked || exec,
						 old ? &old->facts.command_line : NULL),
			.cgroup = known_or(news->cgroup, exec, old ? &old->facts.cgroup : NULL),
			.container = known_or(news->container, looked || exec,
					      old ? &old->facts.container : NULL),
		},
		wt_tasks_bytes(&identity->tasks) < identity->tasks.bound / 2);
	wt_process_set_program(&identity->tasks, process, program);
	process->row.epoch = 0;
}

/* The kernel reported a change of the ids at about the time they were read. Whichever came later, the report
 * is right. */
static bool was_told(const struct wt_process *process, uint64_t read)
{
	return process->ids_from && process->ids_from == process->ids_by &&
	       distance(process->ids_by, read) < READ_SLACK;
}

/* Completes a process from an observation of it while it ran (rundown, /proc), which was made at `from` or
 * later. */
static void complete(struct wt_identity *identity, struct wt_process *process,
		     const struct wt_proc_payload *payload, uint64_t from)
{
	struct wt_thread *main_thread = wt_tasks_thread(&identity->tasks, process->pid);

	if (payload->name.len) {
		rename_process(process, payload->name);
		if (main_thread && main_thread->process == process)
			rename_thread(main_thread, payload->name);
	}
	/* Two readings of one start time differ a little. The first one stays, because it is part of the
	 * identity. */
	if (payload->start_time && !process->start_time) {
		process->start_time = payload->start_time;
		process->row.epoch = 0;
		if (main_thread && main_thread->process == process)
			main_thread->start_time = payload->start_time;
	}
	if (payload->parent_pid && payload->parent_pid != process->parent_pid) {
		process->parent_pid = payload->parent_pid;
		process->row.epoch = 0;
	}
	if (payload->uid != UINT32_MAX && !was_told(process, from)) {
		process->uid = process->euid = payload->uid;
		process->ids_from = from;
		process->ids_by = wt_clock_now();
	}
	if (payload->exe.len) {
		set_exe(identity, process, payload->exe);
		process->exe_due = false;
	}
	set_program(identity, process, payload, false);
}

struct wt_process *wt_identity_process(struct wt_identity *identity, uint32_t pid)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, pid);
	struct wt_proc_payload found = {.uid = UINT32_MAX, .name = wt_str("?")};
	uint64_t from;

	if (process || pid == UINT32_MAX)
		return process;
	process = wt_tasks_add_process(&identity->tasks, pid);
	if (!process)
		return NULL;
	process->sure = identity->doubts;
	from = wt_clock_now();
	if (!pid)
		found.name = wt_str("swapper");
	else if (!identity->probing || wt_task_probe(&identity->probe, pid, &found))
		found = (struct wt_proc_payload){.uid = UINT32_MAX, .name = wt_str("?")};
	complete(identity, process, &found, from);
	return process;
}

/* Finds or makes the thread of that process. A stale thread of another process is dropped. */
static struct wt_thread *ensure_thread(struct wt_identity *identity, uint32_t pid, uint32_t tid)
{
	struct wt_thread *thread = wt_tasks_thread(&identity->tasks, tid);
	struct wt_process *process;

	if (thread && thread->process->pid == pid)
		return thread;
	if (thread)
		wt_tasks_drop_thread(&identity->tasks, thread);
	process = wt_identity_process(identity, pid);
	if (!process)
		return NULL;
	thread = wt_tasks_thread(&identity->tasks, tid);
	return thread ? thread : wt_tasks_add_thread(&identity->tasks, process, tid);
}

struct wt_thread *wt_identity_thread(struct wt_identity *identity, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct wt_thread *thread;
	struct wt_process *process;
	bool ended;

	if (pid == UINT32_MAX || tid == UINT32_MAX)
		return NULL;
	thread = wt_tasks_thread(&identity->tasks, tid);
	if (thread && thread->process->pid == pid)
		return thread;
	process = wt_tasks_process(&identity->tasks, pid);
	ended = process && !process->n_live;
	thread = ensure_thread(identity, pid, tid);
	if (thread && ended)
		wt_tasks_bury(&identity->tasks, thread, time);
	return thread;
}

/* Notes that the process's mappings have to be read again. */
static void note_missed(struct wt_identity *identity, const struct wt_process *process)
{
	if (identity->n_missed < WT_IDENTITY_MISSED)
		identity->missed[identity->n_missed++] = process->pid;
}

/* Copies to a new process the state it has from its parent at the fork. */
static bool inherit(struct wt_identity *identity, struct wt_process *child,
		    const struct wt_proc_payload *payload, uint64_t time)
{
	struct wt_process *parent = wt_tasks_process(&identity->tasks, payload->parent_pid);
	struct wt_thread *forking = wt_tasks_thread(&identity->tasks, payload->parent_tid);
	struct wt_thread *main_thread = wt_tasks_thread(&identity->tasks, child->pid);
	struct wt_str name = parent ? name_of(&parent->name) : wt_str("?");

	if (forking && forking->process == parent && forking->name.len)
		name = name_of(&forking->name);
	rename_thread(main_thread, payload->name.len ? payload->name : name);
	child->sure = parent ? parent->sure : identity->doubts;
	if (child->sure == UINT64_MAX)
		note_missed(identity, child);
	if (!parent || parent == child)
		return true;
	child->elsewhere = parent->elsewhere;
	child->uid = parent->uid;
	child->euid = parent->euid;
	/* When the parent's ids were read after the fork, the parent may have had other ids at the fork. */
	child->ids_from = parent->ids_by <= time ? parent->ids_from : 0;
	child->ids_by = parent->ids_by;
	wt_process_set_space(&identity->tasks, child, parent->space);
	wt_kin_join(parent, child);
	wt_process_set_program(&identity->tasks, child, wt_program_share(parent->program));
	return wt_process_set_exe(&identity->tasks, child, parent->exe);
}

static enum wt_news proc_start(struct wt_identity *identity, const struct wt_proc_payload *payload,
			       uint64_t time)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, payload->pid);
	uint64_t start = payload->start_time ? payload->start_time : time, missed = 0;
	struct wt_thread *main_thread;

	/* A rundown may see the child a moment before its fork is reported; it is the same process then. */
	if (process && (!process->n_live || process->exact_start || !process->start_time ||
			!same_start(process->start_time, start, time))) {
		/* The child's first mappings may have been read and held back before its fork was reported.
		 */
		missed = process->missed > time ? process->missed : 0;
		wt_tasks_drop_process(&identity->tasks, process);
		process = NULL;
	}
	if (!process) {
		if (payload->parent_pid != payload->pid)
			wt_identity_process(identity, payload->parent_pid);
		process = wt_tasks_add_process(&identity->tasks, payload->pid);
		if (!process || !inherit(identity, process, payload, time))
			return WT_NEWS_LOST;
		if (missed)
			wt_identity_miss(identity, process, missed);
	}
	process->parent_pid = payload->parent_pid;
	process->inside_pid = payload->inside_pid;
	if (payload->uid != UINT32_MAX && payload->uid)
		process->uid = process->euid = payload->uid;
	process->start_time = start;
	process->exact_start = true;
	process->announced = true;
	process->counted = identity->doubts;
	process->row.epoch = 0;
	main_thread = wt_tasks_thread(&identity->tasks, process->pid);
	if (main_thread) {
		main_thread->start_time = start;
		main_thread->exact_start = true;
		main_thread->announced = true;
	}
	return WT_NEWS;
}

void wt_identity_doubt(struct wt_identity *identity)
{
	identity->doubts++;
	identity->tasks.changes++;
}

void wt_identity_doubt_names(struct wt_identity *identity)
{
	identity->names_lost = true;
	if (!getauxval(AT_SYSINFO_EHDR))
		wt_identity_doubt(identity);
}

void wt_identity_miss(struct wt_identity *identity, struct wt_process *process, uint64_t time)
{
	if (time > process->missed)
		process->missed = time;
	if (process->sure == UINT64_MAX)
		return;
	process->sure = UINT64_MAX;
	identity->tasks.changes++;
	note_missed(identity, process);
}

uint32_t wt_identity_next_missed(struct wt_identity *identity)
{
	while (identity->n_missed) {
		uint32_t pid = identity->missed[--identity->n_missed];
		const struct wt_process *process = wt_tasks_process(&identity->tasks, pid);

		if (process && process->n_live && process->sure == UINT64_MAX)
			return pid;
	}
	return 0;
}

/* Only mappings that are reported from that time on are known. */
static int begin_space(struct wt_identity *identity, struct wt_process *process, uint64_t time)
{
	struct wt_space *empty = wt_space_create(&identity->images);

	if (!empty)
		return -1;
	wt_process_set_space(&identity->tasks, process, empty);
	wt_space_put(empty, &identity->images);
	process->sure = time > process->missed ? identity->doubts : UINT64_MAX;
	return 0;
}

/* Call before the process's threads are reported. */
static void begin_count(struct wt_identity *identity, const struct wt_process *process, uint64_t time)
{
	if (wt_identity_counts(identity, process))
		return;
	identity->counting = process->pid;
	identity->counting_from = time;
	identity->counting_doubt = identity->doubts;
}

/* All live threads were reported: a thread that was not among them has ended without an event. */
void wt_identity_end_count(struct wt_identity *identity, uint64_t time)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, identity->counting);

	if (identity->counting && process && identity->counting_doubt == identity->doubts) {
		for (struct wt_thread *thread = process->threads; thread; thread = thread->next)
			if (thread->tid != process->pid && thread->told < identity->counting_from)
				wt_tasks_bury(&identity->tasks, thread, time);
		process->counted = identity->doubts;
	}
	identity->counting = 0;
}

/* A process that was already there may share its parent's memory if both run one program. */
static void join_parent(struct wt_identity *identity, struct wt_process *process)
{
	struct wt_process *parent = identity->probing && process->parent_pid && process->exe.len
					    ? wt_identity_process(identity, process->parent_pid)
					    : NULL;

	if (parent && parent->exe.len == process->exe.len &&
	    !memcmp(parent->exe.p, process->exe.p, process->exe.len))
		wt_kin_join(parent, process);
}

static enum wt_news proc_rundown(struct wt_identity *identity, const struct wt_proc_payload *payload,
				 uint64_t time)
{
	struct wt_process *process = wt_tasks_process(&identity->tasks, payload->pid);
	struct wt_thread *main_thread;
	bool known;

	if (process && payload->start_time && process->start_time &&
	    !same_start(process->start_time, payload->start_time, time)) {
		wt_tasks_drop_process(&identity->tasks, process);
		process = NULL;
	}
	if (!process)
		process = wt_tasks_add_process(&identity->tasks, payload->pid);
	if (!process || (process->sure != identity->doubts && begin_space(identity, process, time)))
		return WT_NEWS_LOST;
	if (identity->probing)
		process->elsewhere = wt_roots_meet(&identity->roots, payload->pid);
	begin_count(identity, process, time);
	known = process->announced;
	complete(identity, process, payload, time);
	if (!known)
		join_parent(identity, process);
	process->announced = true;
	main_thread = wt_tasks_thread(&identity->tasks, payload->pid);
	if (main_thread)
		main_thread->announced = true;
	return known ? WT_NEWS_KNOWN : WT_NEWS;
}

/* A thread that calls exec takes over its process's main id; all other threads end, mostly without an event.
 */
static void leave_only_main(struct wt_identity *identity, struct wt_thread *main_thread, uint64_t time)
{
	wt_tasks_revive(&identity->tasks, main_thread);
	for (struct wt_thread *thread = main_thread->process->threads; thread; thread = thread->next)
		if (thread != main_thread)
			wt_tasks_bury(&identity->tasks, thread, time);
	main_thread->process->counted = identity->doubts;
}

void wt_identity_vdso(struct wt_identity *identity, struct wt_process *process, uint64_t time)
{
	struct wt_thread *thread;

	if (!process->vdso_due && identity->names_lost) {
		thread = ensure_thread(identity, process->pid, process->pid);
		if (thread)
			leave_only_main(identity, thread, time);
		wt_identity_miss(identity, process, time);
	}
	process->vdso_due = false;
}

static enum wt_news proc_exec(struct wt_identity *identity, const struct wt_proc_payload *payload,
			      uint64_t time)
{
	struct wt_thread *thread = ensure_thread(identity, payload->pid, payload->pid);
	struct wt_process *process;

	if (!thread || begin_space(identity, thread->process, time))
		return WT_NEWS_LOST;
	process = thread->process;
	process->space->writes.since = identity->watches_writes ? time : 0;
	process->space->begun = false;
	if (identity->probing)
		process->elsewhere |= wt_roots_meet(&identity->roots, payload->pid);
	leave_only_main(identity, thread, time);
	wt_kin_leave(process);
	set_exe(identity, process, payload->exe);
	process->programs++;
	process->exe_due = true;
	process->vdso_due = true;
	set_program(identity, process, payload, true);
	rename_thread(thread, payload->name);
	process->row.epoch = 0;
	return WT_NEWS;
}

static enum wt_news thread_start(struct wt_identity *identity, const struct wt_proc_payload *payload,
				 uint64_t time)
{
	struct wt_thread *thread = wt_tasks_thread(&identity->tasks, payload->tid);
	struct wt_thread *parent;

	if (thread && (thread->dead || thread->exact_start || thread->process->pid != payload->pid)) {
		wt_tasks_drop_thread(&identity->tasks, thread);
		thread = NULL;
	}
	if (!thread)
		thread = ensure_thread(identity, payload->pid, payload->tid);
	if (!thread)
		return WT_NEWS_LOST;
	parent = wt_tasks_thread(&identity->tasks, payload->parent_tid);
	if (payload->name.len)
		rename_thread(thread, payload->name);
	else if (parent && parent != thread && parent->process == thread->process && !thread->announced)
		rename_thread(thread, name_of(&parent->name));
	thread->start_time = payload->start_time ? payload->start_time : time;
	thread->exact_start = true;
	thread->announced = true;
	thread->told = time;
	thread->row.epoch = 0;
	return WT_NEWS;
}

static enum wt_news thread_rundown(struct wt_identity *identity, const struct wt_proc_payload *payload,
				   uint64_t time)
{
	struct wt_thread *thread = ensure_thread(identity, payload->pid, payload->tid);
	bool known;

	if (!thread)
		return WT_NEWS_LOST;
	known = thread->announced;
	thread->announced = true;
	thread->told = time;
	if (payload->name.len)
		rename_thread(thread, payload->name);
	if (payload->start_time && !thread->start_time) {
		thread->start_time = payload->start_time;
		thread->row.epoch = 0;
	}
	return known ? WT_NEWS_KNOWN : WT_NEWS;
}

static enum wt_news thread_name(struct wt_identity *identity, const struct wt_proc_payload *payload)
{
	struct wt_thread *thread = ensure_thread(identity, payload->pid, payload->tid);

	if (!thread)
		return WT_NEWS_LOST;
	rename_thread(thread, payload->name);
	return WT_NEWS;
}

static enum wt_news task_stop(struct wt_identity *identity, const struct wt_proc_payload *payload,
			      uint64_t time)
{
	struct wt_thread *thread = wt_tasks_thread(&identity->tasks, payload->tid);

	if (thread && thread->process->pid == payload->pid)
		wt_tasks_bury(&identity->tasks, thread, time);
	return WT_NEWS;
}

enum wt_news wt_identity_proc(struct wt_identity *identity, uint16_t kind,
			      const struct wt_proc_payload *payload, uint64_t time)
{
	identity->tasks.changes++;
	if (payload->pid == UINT32_MAX || payload->tid == UINT32_MAX)
		return WT_NEWS;
	wt_owners_settle(&identity->owners, &identity->tasks, time);
	if (kind == WT_PROC_RUNDOWN || kind == WT_PROC_RUNDOWN_END)
		wt_identity_end_count(identity, time);
	switch (kind) {
	case WT_PROC_START:
		return proc_start(identity, payload, time);
	case WT_PROC_RUNDOWN:
		return proc_rundown(identity, payload, time);
	case WT_PROC_RUNDOWN_END:
		return proc_rundown(identity, payload, time) == WT_NEWS_LOST ? WT_NEWS_LOST : WT_NEWS;
	case WT_PROC_EXEC:
		return proc_exec(identity, payload, time);
	case WT_THREAD_START:
		return thread_start(identity, payload, time);
	case WT_THREAD_RUNDOWN:
		return thread_rundown(identity, payload, time);
	case WT_THREAD_RUNDOWN_END:
		return thread_rundown(identity, payload, time) == WT_NEWS_LOST ? WT_NEWS_LOST : WT_NEWS;
	case WT_THREAD_NAME:
		return thread_name(identity, payload);
	case WT_PROC_STOP:
	case WT_THREAD_STOP:
		return task_stop(identity, payload, time);
	default:
		return WT_NEWS;
	}
}
