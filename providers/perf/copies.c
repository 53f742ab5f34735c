// SPDX-License-Identifier: MIT
/* The program on sampling events and its outputs, one for each ring. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert((int)WT_BPF_MARK_DEEP == (int)WT_STACK_MARK_DEEP &&
		       (int)WT_BPF_MARK_WHOLE == (int)WT_STACK_MARK_WHOLE,
	       "marks");

/* One copy may fill this part of a ring: a quarter. */
enum { SHARE = 4 };

static uint64_t ring_bytes(const struct wt_perf *perf)
{
	return perf->sample_pages * wt_perf_page_size();
}

void wt_perf_copies_init(struct wt_perf *perf)
{
	struct wt_err why = WT_ERR_INIT;
	bool any = false;

	for (size_t i = 0; i < perf->n_slots; i++)
		any = any || wt_perf_is_copied_on(&perf->slots[i]);
	if (!any)
		return;
	if (!perf->bpf && wt_perf_bpf_open(&perf->bpf, &why) < 0) {
		wt_perf_say(perf, false,
			    "without BPF: %.100s; callers of stacks deeper than the copy are cut or "
			    "probable, not "
			    "proved",
			    why.text);
		return;
	}
	perf->settings = wt_perf_bpf_settings(perf->bpf);
	perf->settings->copy_on = 1;
	perf->marks = wt_perf_numbers_are_the_machines() ? perf->settings->marks : NULL;
	for (size_t i = 0; i < perf->n_slots; i++)
		perf->slots[i].attr.sample_stack_user = wt_perf_dump_bytes(
			perf, &perf->slots[i], perf->slots[i].attr.sample_stack_user);
}

static void say_sizes(struct wt_perf *perf, uint32_t kernel_bytes)
{
	uint64_t most = ring_bytes(perf) / SHARE;

	perf->settings->copy_from = kernel_bytes;
	perf->settings->copy_most = most < WT_BPF_COPY_MOST ? (uint32_t)most : WT_BPF_COPY_MOST;
}

/* Opens an event that only the program writes, into the ring of the CPU's samples. -1: failed. */
static int open_output(struct wt_perf *perf, const struct wt_perf_ring *ring)
{
	struct perf_event_attr attr;
	int fd;

	wt_perf_attr_init(perf, &attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.inherit = attr.disabled = attr.enable_on_exec = 0;
	attr.watermark = 1;
	attr.wakeup_watermark = wt_perf_watermark(perf, ring);
	fd = wt_perf_sys_open(&attr, -1, (int)ring->cpu, -1);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[0].fd) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void add_output(struct wt_perf *perf, struct wt_perf_ring *ring)
{
	const struct wt_perf_id entry = {.slot = WT_PERF_SLOT_COPY, .raw = true};
	int fd = open_output(perf, ring);
	uint64_t id;

	if (fd < 0)
		return;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) < 0 || wt_perf_ids_add(&perf->ids, id, entry) < 0 ||
	    wt_perf_bpf_set_output(perf->bpf, ring->cpu, fd) < 0 ||
	    wt_perf_ring_add_fd(ring, (struct wt_perf_fd){fd, WT_PERF_SLOT_COPY, 0}) < 0) {
		wt_perf_bpf_set_output(perf->bpf, ring->cpu, -1);
		close(fd);
		return;
	}
	ring->copies = true;
}

static void say_refused(struct wt_perf *perf, const char *what)
{
	int why = errno;

	if (!perf->copy_refused)
		wt_perf_say(perf, true,
			    "without BPF on some CPUs: the kernel refuses %s (%s); callers of stacks deeper "
			    "than the copy are cut or probable there, not proved",
			    what, strerror(why));
	perf->copy_refused = true;
}

void wt_perf_copies_add(struct wt_perf *perf, struct wt_perf_ring *ring, int fd, uint32_t slot)
{
	if (!perf->settings || slot >= perf->n_slots || !wt_perf_is_copied_on(&perf->slots[slot]))
		return;
	say_sizes(perf, perf->slots[slot].attr.sample_stack_user);
	if (!ring->copies)
		add_output(perf, ring);
	if (!ring->copies)
		say_refused(perf, "an event that it writes");
	/* Filtered events have the program already, and an event can have only one. */
	else if (!wt_perf_is_filtered(perf, slot) && wt_perf_bpf_attach(perf->bpf, fd) < 0)
		say_refused(perf, "the program on a sampling event");
}

void wt_perf_copies_remove(struct wt_perf *perf, struct wt_perf_ring *ring)
{
	if (perf->bpf && ring->copies)
		wt_perf_bpf_set_output(perf->bpf, ring->cpu, -1);
	ring->copies = false;
}
