/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The BPF program on sampling events (bpf/sample.h), loaded and attached. It is optional (bpf_object.h).
 */
#ifndef PROVIDERS_PERF_BPF_H
#define PROVIDERS_PERF_BPF_H

#include <stdint.h>

#include "providers/perf/bpf/sample.h"
#include "tracecore/base/err.h"

struct wt_perf_bpf;

/** Loads the program. On failure *ret is NULL and err gives the reason, in words that follow "without BPF: ".
 */
int wt_perf_bpf_open(struct wt_perf_bpf **ret, struct wt_err *err);
/** May be NULL. */
void wt_perf_bpf_close(struct wt_perf_bpf *bpf);

/** The settings that the program reads; they may be changed at any time, in any of the session's processes.
 */
struct wt_bpf_settings *wt_perf_bpf_settings(struct wt_perf_bpf *bpf);

/** Runs the program on each sample of a sampling event, and of events that inherit from it. -1: errno. */
int wt_perf_bpf_attach(const struct wt_perf_bpf *bpf, int fd);
/** Keeps the map `processes` up to date as processes fork, begin other programs and end, from now on until
 * bpf is closed in all processes that have it. */
int wt_perf_bpf_follow(struct wt_perf_bpf *bpf, struct wt_err *err);
/** Enters a process by its pid in the machine's namespace. -1: errno. */
int wt_perf_bpf_want(const struct wt_perf_bpf *bpf, uint32_t pid, enum wt_bpf_process how);
/** Sets the output of the program on a CPU: an event "bpf-output" of that CPU; -1: none. Call that before the
 * event is closed, because the map keeps it alive. -1: errno. */
int wt_perf_bpf_set_output(const struct wt_perf_bpf *bpf, uint32_t cpu, int fd);

#endif
