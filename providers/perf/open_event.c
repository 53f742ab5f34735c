// SPDX-License-Identifier: MIT
/* Opening one event into a ring. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* When the soft limit is reached, raises it to the hard limit. False: it was raised already. */
static bool raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

int wt_perf_open_retry(struct wt_perf *perf, const struct perf_event_attr *attr, pid_t pid, uint32_t cpu,
		       int group)
{
	int fd = wt_perf_sys_open(attr, pid, (int)cpu, group);

	if (fd < 0 && errno == EMFILE && raise_file_limit())
		fd = wt_perf_sys_open(attr, pid, (int)cpu, group);
	perf->out_of_files = fd < 0 && errno == EMFILE;
	return fd;
}

static int register_id(struct wt_perf *perf, int fd, struct wt_perf_fd of, const struct perf_event_attr *attr)
{
	const uint32_t slot = of.slot;
	struct wt_perf_id entry = {
		.slot = slot,
		.chain = attr->sample_type & PERF_SAMPLE_CALLCHAIN,
		.raw = attr->sample_type & PERF_SAMPLE_RAW,
		.idle = slot < perf->n_slots && perf->slots[slot].scheduler && of.part == WT_PERF_PART_IDLE,
		.n_regs = (uint8_t)__builtin_popcountll(attr->sample_regs_user),
		.n_read = attr->sample_type & PERF_SAMPLE_READ ? attr->read_format & PERF_FORMAT_LOST ? 2 : 1
							       : 0,
	};
	uint64_t id;

	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0)
		return -1;
	return wt_perf_ids_add(&perf->ids, id, entry);
}

static int fail_open(const struct wt_perf *perf, const struct wt_perf_ring *ring, uint32_t slot,
		     struct wt_err *err)
{
	const char *name = slot < perf->n_slots ? perf->slots[slot].name : "process records";
	int e = errno;
	char what[320];

	snprintf(what, sizeof(what), "event '%.200s' on CPU %u", name, ring->cpu);
	errno = e;
	return wt_perf_fail_open(perf, what, err);
}

int wt_perf_open_event(struct wt_perf *perf, struct wt_perf_ring *ring, struct perf_event_attr attr,
		       struct wt_perf_fd of, pid_t pid, int group, struct wt_err *err)
{
	uint32_t slot = of.slot;
	int fd;

	attr.wakeup_watermark = wt_perf_watermark(perf, ring);
	fd = wt_perf_open_retry(perf, &attr, pid, ring->cpu, group);
	if (fd < 0 && errno == ESRCH && pid > 0)
		return 1;
	if (fd < 0)
		return fail_open(perf, ring, slot, err);
	if (wt_perf_is_filtered(perf, slot) && wt_perf_bpf_attach(perf->bpf, fd) < 0) {
		fail_open(perf, ring, slot, err);
		close(fd);
		return -1;
	}
	if (ring->n_fds && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[0].fd) < 0) {
		fail_open(perf, ring, slot, err);
		close(fd);
		return -1;
	}
	if (register_id(perf, fd, of, &attr) < 0 ||
	    wt_perf_ring_add_fd(ring, (struct wt_perf_fd){fd, slot, of.part}) < 0) {
		close(fd);
		return wt_fail_nomem(err);
	}
	if (ring->n_fds == 1 && wt_perf_ring_map(ring, err) < 0)
		return -1;
	wt_perf_copies_add(perf, ring, fd, slot);
	return 0;
}
