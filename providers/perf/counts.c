// SPDX-License-Identifier: MIT
/* What the kernel has counted by the open descriptors of a ring. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <unistd.h>

int wt_perf_fd_read(const struct wt_perf *perf, int fd, struct wt_perf_past *ret)
{
	uint8_t bytes[24];
	size_t want = perf->caps.format_lost ? 24 : 16;
	struct wt_cursor cur;
	ssize_t got;

	do
		got = read(fd, bytes, want);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -1;
	cur = wt_cursor(bytes, (size_t)got);
	ret->produced = wt_cur_u64(&cur);
	wt_cur_u64(&cur); /* the id */
	ret->lost = perf->caps.format_lost ? wt_cur_u64(&cur) : 0;
	return cur.bad ? -1 : 0;
}

uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot != WT_PERF_SLOT_INODES &&
		    wt_perf_fd_read(perf, ring->fds[i].fd, &counts) == 0)
			lost += counts.lost;
	return lost;
}

uint64_t wt_perf_ring_slot_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == slot && wt_perf_fd_read(perf, ring->fds[i].fd, &counts) == 0)
			lost += counts.lost;
	return lost;
}

uint64_t wt_perf_ring_counted(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct wt_perf_past counts;
	uint64_t counted = 0;

	for (size_t i = 0; i < ring->n_fds; i++) {
		const struct wt_perf_fd *fd = &ring->fds[i];

		if (fd->slot < perf->n_slots && perf->slots[fd->slot].accounts && !fd->part &&
		    wt_perf_fd_read(perf, fd->fd, &counts) == 0)
			counted += counts.produced;
	}
	return counted;
}
