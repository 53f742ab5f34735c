// SPDX-License-Identifier: MIT
/* The descriptors of a ring: adding and switching them, mapping the ring they share. */
#include "providers/perf/internal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "tracecore/base/grow.h"

int wt_perf_ring_add_fd(struct wt_perf_ring *ring, struct wt_perf_fd fd)
{
	if (wt_grow(&ring->fds, &ring->cap_fds, ring->n_fds, 1, NULL))
		return -1;
	ring->fds[ring->n_fds++] = fd;
	return 0;
}

int wt_perf_ring_map(struct wt_perf_ring *ring, struct wt_err *err)
{
	size_t size = ring->control_size + ring->data_size;
	void *map;

	if (!ring->n_fds)
		return 0;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fds[0].fd, 0);
	if (map == MAP_FAILED)
		return wt_fail_errno(err, "cannot map the ring '%s' of %zu KiB", ring->name, size >> 10);
	ring->map = map;
	return 0;
}

void wt_perf_ring_unmap(struct wt_perf_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->control_size + ring->data_size);
	ring->map = NULL;
}

/* Records of switches stop before the tracepoints beside them: one without its tracepoint would say that this
 * was missing. */
static void stop_records(const struct wt_perf_ring *ring)
{
	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == WT_PERF_SLOT_SWITCHES)
			ioctl(ring->fds[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

int wt_perf_ring_control(struct wt_perf_ring *ring, unsigned long request, struct wt_err *err)
{
	if (request == PERF_EVENT_IOC_DISABLE)
		stop_records(ring);
	for (size_t i = 0; i < ring->n_fds; i++)
		if (ioctl(ring->fds[i].fd, request, 0) < 0)
			return wt_fail_errno(err, "cannot switch the events of CPU %u", ring->cpu);
	return 0;
}
