// SPDX-License-Identifier: MIT
#include "providers/perf/idle_points.h"

#include <errno.h>

WT_BPF_EMBED(idle_points_object, "idle_points.bpf.o");

/* For wakes there are two: where the first is refused, the second does. */
static const char *const wakers[] = {"idle_wakes", "idle_wakes_somehow"};
static const char *const outputs[WT_BPF_IDLE_WHATS] = {
	[WT_BPF_IDLE_SWITCH] = "switches",
	[WT_BPF_IDLE_WAKE] = "wakes",
};

int wt_idle_points_open(struct wt_bpf_object **ret, struct wt_err *err)
{
	int waker = 0;

	if (wt_bpf_open(ret, idle_points_object, wakers[1], err) < 0) {
		waker = 1;
		if (wt_bpf_open(ret, idle_points_object, wakers[0], err) < 0)
			return -1;
	}
	if (wt_bpf_run(*ret, "idle_leaves", err) == 0 && wt_bpf_run(*ret, wakers[waker], err) == 0)
		return 0;
	wt_bpf_close(*ret);
	*ret = NULL;
	return -1;
}

static uint32_t place_of(enum wt_bpf_idle_what what, uint32_t cpu)
{
	return cpu * WT_BPF_IDLE_WHATS + what;
}

int wt_idle_points_set_output(const struct wt_bpf_object *points, enum wt_bpf_idle_what what, uint32_t cpu,
			      int fd)
{
	const uint32_t place = place_of(what, cpu);
	const uint64_t none = 0;

	if (fd < 0)
		wt_bpf_map_set(wt_bpf_map(points, "counts"), &place, &none);
	return wt_bpf_set_output(wt_bpf_map(points, outputs[what]), cpu, fd);
}

uint64_t wt_idle_points_count(const struct wt_bpf_object *points, enum wt_bpf_idle_what what, uint32_t cpu)
{
	const uint32_t place = place_of(what, cpu);
	uint64_t ret = 0;

	wt_bpf_map_get(wt_bpf_map(points, "counts"), &place, &ret);
	return ret;
}
