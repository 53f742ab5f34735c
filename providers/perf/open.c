// SPDX-License-Identifier: MIT
/* Opening all events on all CPUs or threads, with less memory and fewer descriptors where that is refused. */
#include "providers/perf/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

static int open_attr(struct wt_perf *perf, struct wt_perf_ring *ring, struct perf_event_attr attr,
		     struct wt_perf_fd of, pid_t pid, struct wt_err *err)
{
	return wt_perf_open_event(perf, ring, attr, of, pid, -1, err);
}

/* Opens the descriptors of a slot: one, or as many as share its sampling. */
static int open_slot(struct wt_perf *perf, struct wt_perf_ring *ring, uint32_t slot, pid_t pid,
		     struct wt_err *err)
{
	const struct wt_perf_slot *s = &perf->slots[slot];
	struct perf_event_attr attr = s->attr;
	uint64_t drawn[WT_VARY_MOST];
	int ret = 0;

	if (s->varies)
		wt_perf_draw(perf, s, drawn);
	for (uint32_t part = 0; part < (s->n_vary ? s->n_vary : 1) && !ret; part++) {
		if (s->varies)
			attr.sample_period = drawn[part];
		attr.inherit_stat = s->accounts && !part;
		ret = open_attr(perf, ring, attr, (struct wt_perf_fd){-1, slot, part}, pid, err);
	}
	return ret;
}

static bool samples_cpu(const struct wt_perf *perf, uint32_t cpu)
{
	return !wt_cpuset_end(&perf->sample_cpus) || wt_cpuset_has(&perf->sample_cpus, cpu);
}

static bool slot_has_cpu(const struct wt_perf_slot *slot, uint32_t cpu)
{
	return !wt_cpuset_end(&slot->cpus) || wt_cpuset_has(&slot->cpus, cpu);
}

/* Opens the descriptors of the slots of one task (pid -1: of all tasks) on one CPU. Returns 1 when the task
 * has ended. */
static int open_slots(struct wt_perf *perf, struct wt_perf_cpu *cpu, pid_t pid, struct wt_err *err)
{
	int ret = 0;

	for (uint32_t slot = 0; slot < perf->n_slots && !ret && samples_cpu(perf, cpu->samples.cpu); slot++)
		if (slot_has_cpu(&perf->slots[slot], cpu->samples.cpu) &&
		    perf->slots[slot].machine == (pid < 0) && !perf->slots[slot].counts)
			ret = open_slot(perf, &cpu->samples, slot, pid, err);
	if (!ret && pid < 0 && samples_cpu(perf, cpu->samples.cpu))
		ret = wt_scheduler_open(perf, &cpu->samples, err);
	if (!ret && perf->counts.n && pid < 0 && samples_cpu(perf, cpu->samples.cpu))
		ret = wt_perf_counts_open(perf, &cpu->samples, err);
	return ret;
}

static int open_sideband(struct wt_perf *perf, struct wt_perf_cpu *cpu, pid_t pid, struct wt_err *err)
{
	struct perf_event_attr dummy = perf->dummy, inodes = perf->inodes;
	int ret;

	if (pid < 0)
		dummy.inherit = inodes.inherit = dummy.enable_on_exec = inodes.enable_on_exec = 0;
	if (!perf->n_pids)
		dummy.comm = dummy.comm_exec = 0;
	ret = open_attr(perf, &cpu->sideband, dummy, (struct wt_perf_fd){-1, WT_PERF_SLOT_SIDEBAND, 0}, pid,
			err);
	if (!ret && perf->caps.build_id && !perf->no_images)
		ret = open_attr(perf, &cpu->sideband, inodes, (struct wt_perf_fd){-1, WT_PERF_SLOT_INODES, 0},
				pid, err);
	if (!ret && !perf->n_pids)
		ret = open_attr(perf, &cpu->names, perf->names,
				(struct wt_perf_fd){-1, WT_PERF_SLOT_NAMES, 0}, pid, err);
	if (!ret && perf->watches_writes)
		ret = open_attr(perf, &cpu->writes, perf->writes,
				(struct wt_perf_fd){-1, WT_PERF_SLOT_WRITES, 0}, pid, err);
	if (!ret)
		wt_perf_moves_open(perf, &cpu->sideband);
	return ret;
}

int wt_perf_open_sideband(struct wt_perf *perf, uint32_t cpu, struct wt_err *err)
{
	struct wt_perf_cpu *c = &perf->cpus[cpu];
	int ret = 0;

	if (!c->sideband.n_fds) {
		c->sideband.everybodys = true;
		ret = open_sideband(perf, c, -1, err);
	}
	if (ret)
		wt_perf_close_cpu(perf, cpu);
	return ret;
}

static int open_task(struct wt_perf *perf, struct wt_perf_cpu *cpu, pid_t pid, struct wt_err *err)
{
	int ret = open_sideband(perf, cpu, pid, err);

	return ret ? ret : open_slots(perf, cpu, pid, err);
}

/* Returns this ring's part of the memory for held records. */
static struct wt_perf_hold hold_of(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	uint64_t samples = wt_perf_page_size() * perf->sample_pages * WT_PERF_HOLD_SPAN;

	if (!perf->holds || ring->names || ring->writes)
		return (struct wt_perf_hold){0};
	return (struct wt_perf_hold){
		.state = &ring->shared->held,
		.data = perf->holds + ring->cpu * perf->hold_stride + (ring->sideband ? samples : 0),
		.size = ring->data_size * WT_PERF_HOLD_SPAN,
		.page = wt_perf_page_size(),
	};
}

/* which: 0 sideband, 1 names, 2 samples, 3 writes. */
static void ring_init(struct wt_perf *perf, struct wt_perf_ring *ring, uint32_t cpu, uint32_t which)
{
	static const char *const names[WT_PERF_RINGS] = {"sideband", "names", "samples", "writes"};
	const uint32_t pages[WT_PERF_RINGS] = {perf->sideband_pages, perf->names_pages, perf->sample_pages,
					       perf->writes_pages};
	struct wt_perf_past *past = ring->past;
	uint64_t from = ring->gone_from, to = ring->gone_to;
	bool sideband = which != 2;

	*ring = (struct wt_perf_ring){
		.id = WT_PERF_RINGS * cpu + which,
		.cpu = cpu,
		.sideband = sideband,
		.names = which == 1,
		.writes = which == 3,
		.control_size = wt_perf_page_size(),
		.data_size = wt_perf_page_size() * pages[which],
		.shared = &perf->shared[WT_PERF_RINGS * cpu + which],
		.sums = sideband ? NULL : perf->sums + 2 * perf->n_slots * cpu,
		.past = past,
		.gone_from = from,
		.gone_to = to,
	};
	ring->hold = hold_of(perf, ring);
	wt_perf_hold_reset(&ring->hold);
	*ring->shared = (struct wt_perf_shared){0};
	if (perf->chains && which == 2)
		memset(perf->chains + 2 * cpu, 0, 2 * sizeof(*perf->chains));
	if (ring->sums)
		memset(ring->sums, 0, 2 * perf->n_slots * sizeof(*ring->sums));
	snprintf(ring->name, sizeof(ring->name), "%s cpu %u", names[which], cpu);
}

int wt_perf_open_cpu(struct wt_perf *perf, uint32_t cpu, struct wt_err *err)
{
	struct wt_perf_cpu *c = &perf->cpus[cpu];

	ring_init(perf, &c->sideband, cpu, 0);
	ring_init(perf, &c->names, cpu, 1);
	ring_init(perf, &c->samples, cpu, 2);
	ring_init(perf, &c->writes, cpu, 3);
	c->open = true;
	if (perf->n_pids ? open_slots(perf, c, -1, err) == 0 : open_task(perf, c, -1, err) == 0)
		return 0;
	wt_perf_close_cpu(perf, cpu);
	return -1;
}

static void remember(struct wt_perf *perf, struct wt_perf_ring *ring, const struct wt_perf_fd *fd)
{
	struct wt_perf_past counts;

	if (fd->slot >= perf->n_slots || wt_perf_fd_read(perf, ring, fd, &counts) < 0)
		return;
	if (!ring->past)
		ring->past = calloc(perf->n_slots, sizeof(*ring->past));
	if (!ring->past)
		return;
	ring->past[fd->slot].produced += counts.produced;
	ring->past[fd->slot].lost += counts.lost;
}

static void close_ring(struct wt_perf *perf, struct wt_perf_ring *ring)
{
	wt_perf_source_destroy(ring->source);
	wt_perf_copies_remove(perf, ring);
	wt_perf_ring_unmap(ring);
	for (size_t i = 0; i < ring->n_fds; i++) {
		remember(perf, ring, &ring->fds[i]);
		close(ring->fds[i].fd);
	}
	wt_scheduler_close(perf, ring);
	free(ring->fds);
	ring->fds = NULL;
	ring->n_fds = ring->cap_fds = 0;
}

void wt_perf_close_cpu(struct wt_perf *perf, uint32_t cpu)
{
	struct wt_perf_cpu *c = &perf->cpus[cpu];

	close_ring(perf, &c->samples);
	close_ring(perf, &c->writes);
	close_ring(perf, &c->names);
	wt_perf_moves_close(perf, &c->sideband);
	close_ring(perf, &c->sideband);
	c->open = false;
}

static int attach_thread(struct wt_perf *perf, pid_t tid, struct wt_err *err)
{
	int ret = 0;

	wt_perf_each_cpu (perf, c) {
		ret = open_task(perf, c, tid, err);
		if (ret)
			break;
	}
	return ret;
}

static int attach_process(struct wt_perf *perf, pid_t pid, size_t *fresh, struct wt_err *err)
{
	struct dirent *entry;
	char path[64];
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && ret >= 0 && (entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
		bool is_new = false;

		if (tid <= 0)
			continue;
		if (wt_intern(&perf->threads, (uint64_t)tid, 0, &is_new) == WT_INTERN_NONE)
			ret = wt_fail_nomem(err);
		else if (is_new)
			ret = attach_thread(perf, tid, err);
		*fresh += is_new && ret == 0;
	}
	if (dir)
		closedir(dir);
	return ret < 0 ? -1 : 0;
}

/* Threads start threads during the search. A thread whose parent was attached inherits; the others are found
 * by searching again until nothing is new. */
static int open_threads(struct wt_perf *perf, size_t *fresh, struct wt_err *err)
{
	size_t before;

	*fresh = 0;
	do {
		before = *fresh;
		for (size_t i = 0; i < perf->n_pids; i++)
			if (attach_process(perf, perf->pids[i], fresh, err) < 0)
				return -1;
	} while (*fresh != before);
	return 0;
}

static int open_all(struct wt_perf *perf, struct wt_err *err)
{
	size_t threads = 1;

	for (uint32_t cpu = 0; cpu < perf->n_cpus; cpu++)
		if (wt_cpuset_has(&perf->online, cpu) && wt_perf_open_cpu(perf, cpu, err) < 0)
			return -1;
	if (perf->n_pids && open_threads(perf, &threads, err) < 0)
		return -1;
	return threads ? 0
		       : wt_fail(err, WT_ERR_NOTFOUND, "process %d ended before it could be traced",
				 (int)perf->pids[0]);
}

void wt_perf_close_all(struct wt_perf *perf)
{
	for (uint32_t cpu = 0; perf->cpus && cpu < perf->n_cpus; cpu++)
		if (perf->cpus[cpu].open)
			wt_perf_close_cpu(perf, cpu);
	wt_intern_clear(&perf->threads);
}

static bool halve(struct wt_perf *perf)
{
	if (perf->sample_pages <= 1 && perf->sideband_pages <= 1 && perf->names_pages <= 1 &&
	    perf->writes_pages <= 1)
		return false;
	perf->sample_pages = perf->sample_pages > 1 ? perf->sample_pages / 2 : 1;
	perf->sideband_pages = perf->sideband_pages > 1 ? perf->sideband_pages / 2 : 1;
	perf->names_pages = perf->names_pages > 1 ? perf->names_pages / 2 : 1;
	perf->writes_pages = perf->writes_pages > 1 ? perf->writes_pages / 2 : 1;
	wt_perf_fit_stacks(perf);
	return true;
}

static int fail_locked(const struct wt_err *why, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_PERMISSION,
		       "%.160s: locked memory is at its limit; raise sysctl kernel.perf_event_mlock_kb or "
		       "RLIMIT_MEMLOCK (ulimit -l), or end other sessions",
		       why->text);
}

/* Uses one timer for each thread instead of several. The periods are then equal in all threads, and a thread
 * that repeats itself in step with them is seen in few places. False: there is nothing to save. */
static bool use_one_timer(struct wt_perf *perf)
{
	bool any = false;

	for (size_t i = 0; i < perf->n_slots; i++) {
		struct wt_perf_slot *slot = &perf->slots[i];

		if (slot->machine || slot->n_vary < 2)
			continue;
		slot->n_vary = 1;
		slot->attr.sample_period = WT_NSEC / slot->hz;
		snprintf(slot->text, sizeof(slot->text), "%s at %llu Hz", slot->name,
			 (unsigned long long)slot->hz);
		any = true;
	}
	return any;
}

static bool save_files(struct wt_perf *perf)
{
	struct rlimit limit = {0};

	if (!perf->out_of_files || !use_one_timer(perf))
		return false;
	getrlimit(RLIMIT_NOFILE, &limit);
	wt_perf_say(
		perf, true,
		"descriptors are limited to %llu: one timer for each thread, whose period does not vary, so "
		"that work in step with it gets a wrong share (ulimit -n)",
		(unsigned long long)limit.rlim_max);
	return true;
}

/* Only mmap leaves these two in sys_errno; refusals by open come with advice instead. */
static int open_shrinking(struct wt_perf *perf, struct wt_err *err)
{
	uint32_t wanted = perf->sample_pages;
	struct wt_err why = WT_ERR_INIT;

	while (open_all(perf, &why) < 0) {
		bool locked = why.sys_errno == EPERM || why.sys_errno == ENOMEM;

		wt_perf_close_all(perf);
		if (save_files(perf))
			continue;
		if (!locked) {
			if (err)
				*err = why;
			return -1;
		}
		if (!halve(perf))
			return fail_locked(&why, err);
	}
	if (perf->sample_pages < wanted)
		wt_perf_say(perf, true,
			    "locked memory is limited: rings of %llu KiB a CPU instead of %llu (sysctl "
			    "kernel.perf_event_mlock_kb, ulimit -l)",
			    (unsigned long long)(perf->sample_pages * wt_perf_page_size() >> 10),
			    (unsigned long long)(wanted * wt_perf_page_size() >> 10));
	return 0;
}

/* Notes how the user half of stacks is obtained. */
static void note_stacks(struct wt_perf *perf)
{
	uint32_t most = 0;
	uint64_t types = 0;

	for (size_t i = 0; i < perf->n_slots; i++) {
		const struct perf_event_attr *attr = &perf->slots[i].attr;

		types |= attr->sample_type;
		if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
			continue;
		most = attr->sample_stack_user > most ? attr->sample_stack_user : most;
	}
	if (most && perf->settings)
		wt_perf_say(perf, false,
			    "user stacks: unwind tables, up to %u bytes of each copied, and more where a "
			    "sample needs it (BPF)",
			    most);
	else if (most)
		wt_perf_say(perf, false, "user stacks: unwind tables, up to %u bytes of each copied", most);
	else if (types & PERF_SAMPLE_CALLCHAIN)
		wt_perf_say(perf, false, "user stacks: frame pointers");
}

int wt_perf_open(struct wt_perf *perf, struct wt_err *err)
{
	if (perf->nothing)
		return 0;
	wt_perf_choose_sizes(perf);
	if (wt_perf_shared_open(perf, err) < 0)
		return -1;
	wt_perf_copies_init(perf);
	wt_perf_watch_open(perf);
	if (perf->n_pids) {
		perf->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (perf->wake < 0)
			return wt_fail_errno(err, "cannot make an eventfd");
	}
	wt_perf_idle_begin(perf);
	if (open_shrinking(perf, err) < 0)
		return -1;
	note_stacks(perf);
	wt_perf_cpu_news_open(perf);
	return 0;
}
