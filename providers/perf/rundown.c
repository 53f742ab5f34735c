// SPDX-License-Identifier: MIT
#include "providers/perf/rundown.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "providers/perf/internal.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/proc.h"

enum { COMMAND_LINE_MAX = 4096, PAUSE_EVERY = 16, VDSO_BYTES = 4096 };

/* All present processes, by pid, with their parents. */
struct process_list {
	struct listed_process {
		uint32_t pid, parent;
		bool wanted;
	} * processes;
	size_t n, cap;
};

static int tell_proc(struct wt_perf_walk *walk, uint32_t kind, const struct wt_proc_payload *proc,
		     struct wt_err *err)
{
	struct wt_event event = {
		.time = wt_clock_now(), .kind = kind, .cpu = WT_CPU_NONE, .pid = proc->pid, .tid = proc->tid};

	wt_buf_clear(&walk->payload);
	wt_proc_put(&walk->payload, proc);
	if (walk->payload.failed)
		return wt_fail_nomem(err);
	event.payload = walk->payload.data;
	event.payload_len = (uint32_t)walk->payload.len;
	return walk->rundown->fn(walk->rundown->ctx, &event, err);
}

/* A zero follows each argument, including the last. */
static struct wt_str read_command_line(uint32_t pid, struct wt_buf *buf)
{
	wt_buf_clear(buf);
	wt_apart_proc(pid, "cmdline", COMMAND_LINE_MAX, buf);
	while (buf->len && !buf->data[buf->len - 1])
		buf->len--;
	for (size_t i = 0; i < buf->len; i++)
		if (!buf->data[i])
			buf->data[i] = ' ';
	return wt_str_of(buf->data, buf->len);
}

/* The name is followed by a newline, and may itself contain others. */
static struct wt_str read_comm(const char *directory, char *text, size_t size)
{
	struct wt_buf buf = {0};
	char path[160];
	size_t len;

	snprintf(path, sizeof(path), "%s/comm", directory);
	if (wt_text_read_all(path, &buf, size) < 0)
		buf.len = 0;
	len = buf.len && buf.data[buf.len - 1] == '\n' ? buf.len - 1 : buf.len;
	if (len)
		memcpy(text, buf.data, len);
	wt_buf_deinit(&buf);
	return wt_str_of(text, (size_t)len);
}

static int walk_threads(struct wt_perf_walk *walk, uint32_t pid, struct wt_err *err)
{
	char directory[64], name[64];
	struct dirent *entry;
	int failed = 0;
	DIR *dir;

	snprintf(directory, sizeof(directory), "/proc/%u/task", pid);
	dir = opendir(directory);
	while (dir && !failed && (entry = readdir(dir))) {
		struct wt_proc_payload thread = {.pid = pid, .parent_pid = pid, .uid = UINT32_MAX};
		struct wt_stat_line stat;
		uint64_t tid;
		char path[96];

		if (!wt_text_u64(entry->d_name, &tid) || tid == pid || tid > INT32_MAX)
			continue;
		if (!wt_stat_line_read(pid, (uint32_t)tid, &stat))
			continue;
		snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, (uint32_t)tid);
		thread.tid = (uint32_t)tid;
		thread.start_time = wt_start_clock_time(&walk->starts, stat.start_ticks);
		thread.name = read_comm(path, name, sizeof(name));
		failed = tell_proc(walk, walk->thread_kind, &thread, err);
	}
	if (dir)
		closedir(dir);
	return failed;
}

/* Walks the mappings of another user's process at that user's cost: one more than is kept, to show that
 * there are more. */
static int walk_maps_paid(struct wt_perf_walk *walk, uint32_t pid, struct wt_allowance *payer,
			  struct wt_err *err)
{
	int rc;

	if (!payer)
		return wt_perf_walk_maps(walk, pid, UINT32_MAX, err);
	walk->payer = payer;
	wt_allowance_begin(payer);
	rc = wt_perf_walk_maps(walk, pid, WT_MAPPINGS_MOST + 1, err);
	wt_allowance_end(payer);
	walk->payer = NULL;
	return rc;
}

/* Walks the mappings at once, or puts them off. */
static int walk_mappings(struct wt_perf_walk *walk, uint32_t pid, uint32_t uid,
			 const struct wt_stat_line *stat, struct wt_err *err)
{
	struct wt_map_turns *turns = walk->rundown->turns;
	struct wt_allowance *payer = wt_map_turns_of(turns, uid);
	const struct wt_map_due due = {.pid = pid, .uid = uid, .start_ticks = stat->start_ticks};

	if (!wt_allowance_is_spent(payer))
		return walk_maps_paid(walk, pid, payer, err);
	if (!walk->rundown->end)
		wt_map_turns_put_off(turns, &due);
	return 0;
}

static int walk_process(struct wt_perf_walk *walk, uint32_t pid, struct wt_err *err)
{
	char directory[64], exe[PATH_MAX], name[64];
	struct wt_stat_line stat = {.pid = pid};
	struct wt_proc_payload proc;
	uint32_t uid;
	bool known;

	if (walk->rundown->waits_alone)
		return wt_perf_walk_waits(walk, pid, err);
	known = wt_stat_line_read(pid, 0, &stat);
	uid = wt_proc_uid(pid);
	/* Of one that does not answer, the parent and the start are not known. */
	if (!known && uid == UINT32_MAX)
		return 0;
	snprintf(directory, sizeof(directory), "/proc/%u", pid);
	wt_apart_proc_link(pid, "exe", exe, sizeof(exe));
	proc = (struct wt_proc_payload){
		.pid = pid,
		.tid = pid,
		.parent_pid = stat.parent,
		.start_time = stat.start_ticks ? wt_start_clock_time(&walk->starts, stat.start_ticks) : 0,
		.uid = uid,
		.name = read_comm(directory, name, sizeof(name)),
		.exe = wt_str(exe),
		.command_line = read_command_line(pid, &walk->text),
	};
	if (tell_proc(walk, walk->proc_kind, &proc, err) < 0 || walk_threads(walk, pid, err) < 0)
		return -1;
	if (!walk->rundown->no_images && walk_mappings(walk, pid, proc.uid, &stat, err) < 0)
		return -1;
	return walk->waiting_kind == WT_KIND_NONE ? 0 : wt_perf_walk_waits(walk, pid, err);
}

static bool add_process(struct process_list *list, struct listed_process process)
{
	if (wt_grow(&list->processes, &list->cap, list->n, 1, NULL))
		return false;
	list->processes[list->n++] = process;
	return true;
}

/* The kernel lists pids in ascending order. A pid that appears again as a new process is left to the fork
 * record that reported it. */
static int list_processes(struct process_list *ret, bool parents, struct wt_err *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	uint32_t last = 0;

	if (!dir)
		return wt_fail_errno(err, "cannot read /proc");
	while ((entry = readdir(dir))) {
		struct wt_stat_line stat = {0};
		uint64_t pid;

		if (!wt_text_u64(entry->d_name, &pid) || pid <= last || pid > INT32_MAX)
			continue;
		last = (uint32_t)pid;
		if (parents && !wt_stat_line_read(last, 0, &stat))
			continue;
		if (!add_process(ret, (struct listed_process){.pid = last, .parent = stat.parent})) {
			closedir(dir);
			return wt_fail_nomem(err);
		}
	}
	closedir(dir);
	return 0;
}

static const struct listed_process *find_process(const struct process_list *list, uint32_t pid)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (list->processes[mid].pid == pid)
			return &list->processes[mid];
		if (list->processes[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static bool is_wanted(const struct process_list *list, uint32_t pid)
{
	const struct listed_process *process = find_process(list, pid);

	return process && process->wanted;
}

/* Marks the requested processes and their descendants. A child may have a lower pid than its parent, so this
 * repeats until nothing changes. */
static void choose(struct process_list *list, const struct wt_rundown *rundown)
{
	bool changed = true;

	for (size_t i = 0; i < list->n; i++) {
		list->processes[i].wanted = !rundown->n_pids;
		for (size_t k = 0; k < rundown->n_pids; k++)
			if (list->processes[i].pid == (uint32_t)rundown->pids[k])
				list->processes[i].wanted = true;
	}
	while (changed && rundown->n_pids) {
		changed = false;
		for (size_t i = 0; i < list->n; i++)
			if (!list->processes[i].wanted && is_wanted(list, list->processes[i].parent))
				changed = list->processes[i].wanted = true;
	}
}

/* Walks the processes of the list that are not in an earlier one. */
static int walk_listed(struct wt_perf_walk *walk, struct process_list *list,
		       const struct process_list *earlier, struct wt_err *err)
{
	const struct wt_rundown *rundown = walk->rundown;
	size_t done = 0;
	int failed = 0;

	choose(list, rundown);
	for (size_t i = 0; i < list->n && !failed; i++) {
		if (!list->processes[i].wanted || find_process(earlier, list->processes[i].pid))
			continue;
		failed = walk_process(walk, list->processes[i].pid, err);
		if (!failed && rundown->pause && ++done % PAUSE_EVERY == 0)
			failed = rundown->pause(rundown->ctx, err);
	}
	return failed;
}

/* A process that began during the walk could copy from its parent only what was known of it by then; the
 * second walk reads the process itself. */
static int walk_all(struct wt_perf_walk *walk, struct wt_err *err)
{
	struct process_list none = {.n = 0}, first = {.n = 0}, second = {.n = 0};
	bool parents = walk->rundown->n_pids > 0;
	int failed = list_processes(&first, parents, err) || walk_listed(walk, &first, &none, err);

	if (!failed && !walk->rundown->end)
		failed = list_processes(&second, parents, err) || walk_listed(walk, &second, &first, err);
	free(first.processes);
	free(second.processes);
	return failed ? -1 : 0;
}

static int find_kinds(struct wt_perf_walk *walk, struct wt_err *err)
{
	const struct wt_kinds *kinds = walk->rundown->kinds;
	bool end = walk->rundown->end;

	walk->proc_kind = wt_perf_kind_of(kinds, "proc_thread", end ? WT_PROC_RUNDOWN_END : WT_PROC_RUNDOWN);
	walk->thread_kind = wt_perf_kind_of(kinds, "proc_thread",
					    end ? WT_THREAD_RUNDOWN_END : WT_THREAD_RUNDOWN);
	walk->image_kind = wt_perf_kind_of(kinds, "loader", end ? WT_IMAGE_RUNDOWN_END : WT_IMAGE_RUNDOWN);
	if (walk->proc_kind == WT_KIND_NONE || walk->thread_kind == WT_KIND_NONE ||
	    walk->image_kind == WT_KIND_NONE)
		return wt_fail(err, WT_ERR_FORMAT, "the kinds lack providers 'proc_thread' and 'loader'");
	return 0;
}

static void end_walk(struct wt_perf_walk *walk)
{
	wt_buf_deinit(&walk->payload);
	wt_buf_deinit(&walk->text);
	free(walk->stack);
	wt_task_regs_deinit(&walk->regs);
}

static int begin_walk(struct wt_perf_walk *ret, const struct wt_rundown *rundown, struct wt_err *err)
{
	const void *vdso = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);

	*ret = (struct wt_perf_walk){
		.rundown = rundown, .starts = wt_start_clock(), .waiting_kind = WT_KIND_NONE};
	if (rundown->waits)
		ret->waiting_kind = wt_perf_kind_of(rundown->kinds, "cswitch", WT_CSWITCH_WAITING);
	if (vdso)
		wt_build_id_of_memory(vdso, VDSO_BYTES, &ret->vdso);
	return find_kinds(ret, err);
}

int wt_perf_rundown_only(const struct wt_rundown *rundown, struct wt_err *err)
{
	struct wt_perf_walk walk;
	int failed = begin_walk(&walk, rundown, err);

	for (size_t i = 0; i < rundown->n_pids && !failed; i++)
		failed = walk_process(&walk, (uint32_t)rundown->pids[i], err);
	end_walk(&walk);
	return failed ? -1 : 0;
}

int wt_perf_rundown(const struct wt_rundown *rundown, struct wt_err *err)
{
	struct wt_perf_walk walk;
	int failed = begin_walk(&walk, rundown, err);

	if (!failed && rundown->waits_alone && walk.waiting_kind == WT_KIND_NONE)
		return 0;
	/* Everything is read anew. */
	if (rundown->turns && !rundown->end)
		rundown->turns->n_due = 0;
	if (!failed && !rundown->no_images)
		failed = wt_perf_walk_kernel(&walk, err);
	if (!failed)
		failed = walk_all(&walk, err);
	end_walk(&walk);
	return failed;
}

int wt_perf_rundown_due(const struct wt_rundown *rundown, struct wt_err *err)
{
	struct wt_perf_walk walk;
	int failed = begin_walk(&walk, rundown, err);
	struct wt_map_due due;
	size_t at = 0;

	while (!failed && wt_map_turns_take(rundown->turns, &at, &due)) {
		struct wt_stat_line stat;

		if (wt_stat_line_read(due.pid, 0, &stat) && stat.start_ticks == due.start_ticks)
			failed = walk_maps_paid(&walk, due.pid, wt_map_turns_of(rundown->turns, due.uid),
						err);
	}
	end_walk(&walk);
	return failed;
}
