// SPDX-License-Identifier: MIT
#include "providers/perf/idle_points.h"

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/embed.h"

WT_EMBED(wt_idle_points_object, WT_BPF_IDLE_POINTS);

/* For wakes there are two: where the first is refused, the second does. */
static const char *const wakers[] = {"idle_wakes", "idle_wakes_somehow"};

struct wt_idle_points {
	struct bpf_object *object;                 /* owned */
	struct bpf_link *links[WT_BPF_IDLE_WHATS]; /* owned */
	int outputs[WT_BPF_IDLE_WHATS], counts;    /* descriptors of the object's maps */
};

static int attach(struct wt_idle_points *points, enum wt_bpf_idle_what what, const char *name,
		  struct wt_err *err)
{
	struct bpf_program *program = bpf_object__find_program_by_name(points->object, name);

	points->links[what] = program ? bpf_program__attach(program) : NULL;
	return points->links[what] ? 0 : wt_fail_errno(err, "idle threads cannot be watched");
}

static int load(struct wt_idle_points *points, struct wt_err *err)
{
	const struct wt_bpf_bytes bytes = {wt_idle_points_object, wt_idle_points_object_end};
	int waker = 0;

	points->object = wt_bpf_load(bytes, wakers[1], err);
	if (!points->object) {
		points->object = wt_bpf_load(bytes, wakers[0], err);
		waker = 1;
	}
	if (!points->object)
		return -1;
	points->outputs[WT_BPF_IDLE_SWITCH] = bpf_object__find_map_fd_by_name(points->object, "switches");
	points->outputs[WT_BPF_IDLE_WAKE] = bpf_object__find_map_fd_by_name(points->object, "wakes");
	points->counts = bpf_object__find_map_fd_by_name(points->object, "counts");
	if (attach(points, WT_BPF_IDLE_SWITCH, "idle_leaves", err) < 0)
		return -1;
	return attach(points, WT_BPF_IDLE_WAKE, wakers[waker], err);
}

int wt_idle_points_open(struct wt_idle_points **ret, struct wt_err *err)
{
	struct wt_idle_points *points = calloc(1, sizeof(*points));

	*ret = NULL;
	if (!points)
		return wt_fail_nomem(err);
	if (load(points, err) < 0) {
		wt_idle_points_close(points);
		return -1;
	}
	*ret = points;
	return 0;
}

void wt_idle_points_close(struct wt_idle_points *points)
{
	if (!points)
		return;
	for (int what = 0; what < WT_BPF_IDLE_WHATS; what++)
		bpf_link__destroy(points->links[what]);
	bpf_object__close(points->object);
	free(points);
}

static uint32_t place_of(enum wt_bpf_idle_what what, uint32_t cpu)
{
	return cpu * WT_BPF_IDLE_WHATS + what;
}

int wt_idle_points_set_output(const struct wt_idle_points *points, enum wt_bpf_idle_what what, uint32_t cpu,
			      int fd)
{
	const uint32_t place = place_of(what, cpu);
	const uint64_t none = 0;
	int ret = fd < 0 ? bpf_map_delete_elem(points->outputs[what], &cpu)
			 : bpf_map_update_elem(points->outputs[what], &cpu, &fd, BPF_ANY);

	if (fd < 0)
		bpf_map_update_elem(points->counts, &place, &none, BPF_ANY);
	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : 0;
}

uint64_t wt_idle_points_count(const struct wt_idle_points *points, enum wt_bpf_idle_what what, uint32_t cpu)
{
	const uint32_t place = place_of(what, cpu);
	uint64_t ret = 0;

	bpf_map_lookup_elem(points->counts, &place, &ret);
	return ret;
}

#else

#include <errno.h>
#include <stddef.h>

int wt_idle_points_open(struct wt_idle_points **ret, struct wt_err *err)
{
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

void wt_idle_points_close(struct wt_idle_points *points)
{
	(void)points;
}

int wt_idle_points_set_output(const struct wt_idle_points *points, enum wt_bpf_idle_what what, uint32_t cpu,
			      int fd)
{
	(void)points;
	(void)what;
	(void)cpu;
	(void)fd;
	errno = ENOSYS;
	return -1;
}

uint64_t wt_idle_points_count(const struct wt_idle_points *points, enum wt_bpf_idle_what what, uint32_t cpu)
{
	(void)points;
	(void)what;
	(void)cpu;
	return 0;
}

#endif
