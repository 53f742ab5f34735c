/* SPDX-License-Identifier: MIT */
/* Closing: RING.md section 6. */
#include <errno.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/ring/cpus.h"
#include "tracecore/ring/reading.h"

static void close_all(struct wt_ring_directory *directory)
{
	uint64_t one = 1;

	for (uint32_t i = 0; i < directory->n_files; i++) {
		if (directory->files[i]->is_lanes &&
		    pwrite(directory->files[i]->fd, &one, sizeof(one),
			   offsetof(struct wt_abi_lanes, closed)) != sizeof(one))
			directory->changed = true;
	}
	for (uint32_t i = 0; i < directory->n_rings; i++)
		__atomic_store_n(&directory->rings[i]->page->closed, 1, __ATOMIC_SEQ_CST);
}

/* P.4, P.5: this thread can only run on a CPU after it has interrupted the thread that ran there. The
 * interrupted thread's section restarts and sees `closed`; its announcement of a lane write is visible
 * here. Returns the number of CPUs visited. */
static long visit_cpus(void)
{
	uint32_t n = wt_ring_cpus();
	size_t size = CPU_ALLOC_SIZE(n);
	cpu_set_t *own = CPU_ALLOC(n), *one = CPU_ALLOC(n);
	long visited = 0;

	if (own && one && !sched_getaffinity(0, size, own)) {
		for (uint32_t cpu = 0; cpu < n; cpu++) {
			CPU_ZERO_S(size, one);
			CPU_SET_S(cpu, size, one);
			visited += !sched_setaffinity(0, size, one);
		}
		sched_setaffinity(0, size, own);
	}
	CPU_FREE(own);
	CPU_FREE(one);
	return visited;
}

/* Interrupts the thread on every CPU. For a CPU on which this thread may not run (cpuset), makes a barrier
 * there and waits long enough for a section of 2 KiB to end. */
static void visit_every_cpu(void)
{
	if (visit_cpus() >= sysconf(_SC_NPROCESSORS_ONLN))
		return;
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	poll(NULL, 0, 20);
}

static bool is_busy(const struct wt_ring_reader *ring)
{
	return ring->is_lane && __atomic_load_n(&ring->page->busy, __ATOMIC_ACQUIRE) == 1 &&
	       (kill((pid_t)ring->pid, 0) == 0 || errno != ESRCH);
}

static bool wait_for_lanes(const struct wt_ring_directory *directory, uint64_t deadline)
{
	for (uint32_t i = 0; i < directory->n_rings; i++) {
		while (is_busy(directory->rings[i])) {
			if (wt_clock_now() > deadline)
				return false;
			poll(NULL, 0, 1);
		}
	}
	return true;
}

int wt_ring_directory_close_rings(struct wt_ring_directory *directory, int wait_ms, struct wt_err *err)
{
	uint64_t deadline = wt_clock_now() + (uint64_t)wait_ms * 1000000;

	close_all(directory);
	visit_every_cpu();
	if (!wait_for_lanes(directory, deadline))
		return wt_fail(err, WT_ERR_TIMEOUT, "%s: a writer did not end within %d ms", directory->path,
			       wait_ms);
	return 0;
}
