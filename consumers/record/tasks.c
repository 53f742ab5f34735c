// SPDX-License-Identifier: MIT
#include "consumers/record/tasks.h"

#include <stdlib.h>
#include <string.h>

void wt_tasks_init(struct wt_tasks *tasks, struct wt_image_set *images, uint64_t bound)
{
	*tasks = (struct wt_tasks){.images = images, .bound = bound};
}

void wt_tasks_deinit(struct wt_tasks *tasks)
{
	struct wt_process *process;

	/* A removal may move entries to a place before the walk, so the walk repeats until none is left. */
	while (tasks->processes.count) {
		for (size_t at = 0; (process = wt_idmap_next(&tasks->processes, &at));)
			wt_tasks_drop_process(tasks, process);
	}
	wt_idmap_deinit(&tasks->processes);
	wt_idmap_deinit(&tasks->threads);
	*tasks = (struct wt_tasks){0};
}

struct wt_process *wt_tasks_process(const struct wt_tasks *tasks, uint32_t pid)
{
	return wt_idmap_find(&tasks->processes, pid);
}

struct wt_thread *wt_tasks_thread(const struct wt_tasks *tasks, uint32_t tid)
{
	return wt_idmap_find(&tasks->threads, tid);
}

size_t wt_tasks_bytes(const struct wt_tasks *tasks)
{
	return tasks->bytes + tasks->images->bytes + wt_idmap_bytes(&tasks->processes) +
	       wt_idmap_bytes(&tasks->threads);
}

static void unbury(struct wt_tasks *tasks, struct wt_thread *thread)
{
	*(thread->grave_prev ? &thread->grave_prev->grave_next : &tasks->first_grave) = thread->grave_next;
	*(thread->grave_next ? &thread->grave_next->grave_prev : &tasks->last_grave) = thread->grave_prev;
	tasks->n_graves--;
}

static void free_process(struct wt_tasks *tasks, struct wt_process *process)
{
	wt_kin_leave(process);
	wt_idmap_remove(&tasks->processes, process->pid);
	wt_space_put(process->space, tasks->images);
	wt_process_set_program(tasks, process, NULL);
	tasks->bytes -= sizeof(*process) + process->exe.len;
	free((char *)process->exe.p);
	free(process);
}

static void begin_life(struct wt_tasks *tasks, struct wt_thread *thread)
{
	tasks->live_threads++;
	if (!thread->process->n_live++)
		tasks->live_processes++;
}

/* Stops counting the thread as alive; its process may end with it. */
static void end_life(struct wt_tasks *tasks, struct wt_thread *thread)
{
	tasks->live_threads--;
	if (--thread->process->n_live)
		return;
	tasks->live_processes--;
	wt_kin_leave(thread->process);
}

void wt_tasks_drop_thread(struct wt_tasks *tasks, struct wt_thread *thread)
{
	struct wt_process *process = thread->process;

	if (thread->dead)
		unbury(tasks, thread);
	else
		end_life(tasks, thread);
	*(thread->prev ? &thread->prev->next : &process->threads) = thread->next;
	if (thread->next)
		thread->next->prev = thread->prev;
	wt_idmap_remove(&tasks->threads, thread->tid);
	tasks->changes++;
	tasks->bytes -= sizeof(*thread);
	free(thread);
	if (!--process->n_threads)
		free_process(tasks, process);
}

void wt_tasks_drop_process(struct wt_tasks *tasks, struct wt_process *process)
{
	for (uint32_t n = process->n_threads; n; n--)
		wt_tasks_drop_thread(tasks, process->threads);
}

void wt_tasks_bury(struct wt_tasks *tasks, struct wt_thread *thread, uint64_t now)
{
	if (thread->dead)
		return;
	if (tasks->n_graves >= WT_TASK_GRAVES)
		wt_tasks_drop_thread(tasks, tasks->first_grave);
	end_life(tasks, thread);
	thread->dead = true;
	thread->died = now;
	thread->grave_prev = tasks->last_grave;
	thread->grave_next = NULL;
	*(tasks->last_grave ? &tasks->last_grave->grave_next : &tasks->first_grave) = thread;
	tasks->last_grave = thread;
	tasks->n_graves++;
}

void wt_tasks_revive(struct wt_tasks *tasks, struct wt_thread *thread)
{
	if (!thread->dead)
		return;
	unbury(tasks, thread);
	thread->dead = false;
	begin_life(tasks, thread);
}

void wt_tasks_trim(struct wt_tasks *tasks, uint64_t now)
{
	while (wt_tasks_overdue(tasks, now))
		wt_tasks_drop_thread(tasks, tasks->first_grave);
}

struct wt_thread *wt_tasks_add_thread(struct wt_tasks *tasks, struct wt_process *process, uint32_t tid)
{
	struct wt_thread *thread;

	if (wt_tasks_bytes(tasks) + sizeof(*thread) > tasks->bound)
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread || !wt_idmap_add(&tasks->threads, tid, thread)) {
		free(thread);
		return NULL;
	}
	thread->process = process;
	thread->tid = tid;
	thread->name = process->name;
	thread->next = process->threads;
	if (thread->next)
		thread->next->prev = thread;
	process->threads = thread;
	process->n_threads++;
	begin_life(tasks, thread);
	tasks->changes++;
	tasks->bytes += sizeof(*thread);
	return thread;
}

struct wt_process *wt_tasks_add_process(struct wt_tasks *tasks, uint32_t pid)
{
	struct wt_thread *stale = wt_tasks_thread(tasks, pid);
	struct wt_process *process;

	if (stale)
		wt_tasks_drop_thread(tasks, stale);
	if (wt_tasks_bytes(tasks) + sizeof(*process) > tasks->bound)
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->uid = process->euid = UINT32_MAX;
	process->space = wt_space_create(tasks->images);
	if (!process->space || !wt_idmap_add(&tasks->processes, pid, process)) {
		wt_space_put(process->space, tasks->images);
		free(process);
		return NULL;
	}
	tasks->bytes += sizeof(*process);
	if (!wt_tasks_add_thread(tasks, process, pid)) {
		free_process(tasks, process);
		return NULL;
	}
	return process;
}

bool wt_task_rename(struct wt_task_name *name, struct wt_str text)
{
	uint8_t len = text.len > WT_TASK_NAME ? WT_TASK_NAME : (uint8_t)text.len;

	if (name->len == len && (!len || !memcmp(name->text, text.p, len)))
		return false;
	if (len)
		memcpy(name->text, text.p, len);
	name->len = len;
	return true;
}

bool wt_process_set_exe(struct wt_tasks *tasks, struct wt_process *process, struct wt_str path)
{
	uint32_t len = path.len > WT_IMAGE_PATH_MAX ? WT_IMAGE_PATH_MAX : path.len;
	char *copy = NULL;

	if (len) {
		copy = malloc(len);
		if (!copy)
			return false;
		memcpy(copy, path.p, len);
	}
	tasks->bytes += len;
	tasks->bytes -= process->exe.len;
	free((char *)process->exe.p);
	process->exe = (struct wt_str){.p = copy, .len = len};
	return true;
}

void wt_process_set_program(struct wt_tasks *tasks, struct wt_process *process, struct wt_program *program)
{
	if (program && program->refs == 1)
		tasks->bytes += wt_program_bytes(program);
	if (process->program && process->program->refs == 1)
		tasks->bytes -= wt_program_bytes(process->program);
	wt_program_put(process->program);
	process->program = program;
}

void wt_process_set_space(struct wt_tasks *tasks, struct wt_process *process, struct wt_space *space)
{
	wt_space_share(space);
	wt_space_put(process->space, tasks->images);
	process->space = space;
}
