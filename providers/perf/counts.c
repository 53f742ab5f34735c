// SPDX-License-Identifier: MIT
/* The kernel's counts of the open descriptors of a ring. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <unistd.h>

static ssize_t read_all(int fd, uint8_t *bytes, size_t size)
{
	ssize_t got;

	do
		got = read(fd, bytes, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Each descriptor reads its whole group; one whose CPU went offline is alone. */
static int read_group(const struct wt_perf *perf, const struct wt_perf_fd *fd, struct wt_perf_past *ret)
{
	uint32_t own = perf->counts.n_slots > 1 && fd->slot == perf->counts.slots[WT_COUNTS_INTERVAL];
	uint8_t bytes[24 + 16 * (WT_COUNTS_WHATS + WT_PERF_COUNTS_MOST)];
	ssize_t got = read_all(fd->fd, bytes, sizeof(bytes));
	struct wt_cursor cur = wt_cursor(bytes, got < 0 ? 0 : (size_t)got);
	uint64_t n = wt_cur_u64(&cur);

	wt_cur_bytes(&cur, 16); /* two times */
	for (uint64_t i = 0; i <= own && i < n; i++) {
		ret->produced = wt_cur_u64(&cur);
		ret->lost = perf->caps.format_lost ? wt_cur_u64(&cur) : 0;
	}
	return cur.bad ? -1 : 0;
}

int wt_perf_fd_read(const struct wt_perf *perf, const struct wt_perf_ring *ring, const struct wt_perf_fd *fd,
		    struct wt_perf_past *ret)
{
	uint8_t bytes[24];
	struct wt_cursor cur;
	ssize_t got;

	*ret = (struct wt_perf_past){0};
	if (fd->slot == WT_PERF_SLOT_COUNTER)
		return 0;
	if (fd->slot < perf->n_slots && perf->slots[fd->slot].counts)
		return read_group(perf, fd, ret);
	got = read_all(fd->fd, bytes, perf->caps.format_lost ? 24 : 16);
	if (got < 0)
		return -1;
	cur = wt_cursor(bytes, (size_t)got);
	ret->produced = wt_cur_u64(&cur) + wt_scheduler_idle_count(perf, ring, fd);
	wt_cur_u64(&cur); /* the id */
	ret->lost = perf->caps.format_lost ? wt_cur_u64(&cur) : 0;
	return cur.bad ? -1 : 0;
}

uint64_t wt_perf_ring_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot != WT_PERF_SLOT_INODES && ring->fds[i].slot != WT_PERF_SLOT_SWITCHES &&
		    wt_perf_fd_read(perf, ring, &ring->fds[i], &counts) == 0)
			lost += counts.lost;
	return lost;
}

uint64_t wt_perf_ring_slot_lost(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot)
{
	struct wt_perf_past counts;
	uint64_t lost = 0;

	for (size_t i = 0; i < ring->n_fds; i++)
		if (ring->fds[i].slot == slot && wt_perf_fd_read(perf, ring, &ring->fds[i], &counts) == 0)
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
		    wt_perf_fd_read(perf, ring, fd, &counts) == 0)
			counted += counts.produced;
	}
	return counted;
}
