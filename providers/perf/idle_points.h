/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The programs that report switches and wakes of idle threads (bpf/idle_points.h), loaded and attached.
 *
 * They are optional (bpf_object.h).
 */
#ifndef PROVIDERS_PERF_IDLE_POINTS_H
#define PROVIDERS_PERF_IDLE_POINTS_H

#include "providers/perf/bpf/idle_points.h"
#include "providers/perf/bpf_object.h"

/** On failure *ret is NULL and err gives the reason, in words that follow "without BPF: ". wt_bpf_close
 * closes it. */
int wt_idle_points_open(struct wt_bpf_object **ret, struct wt_err *err);
/** Sets the event "bpf-output" of a CPU that gets the records; -1: none, and the count begins anew. On
 * failure errno gives the reason. */
int wt_idle_points_set_output(const struct wt_bpf_object *points, enum wt_bpf_idle_what what, uint32_t cpu,
			      int fd);
/** Returns the number of events of a CPU while its output was enabled: written or lost. */
uint64_t wt_idle_points_count(const struct wt_bpf_object *points, enum wt_bpf_idle_what what, uint32_t cpu);

#endif
