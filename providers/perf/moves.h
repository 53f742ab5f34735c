/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The programs that report memory that is moved, or written to from outside (bpf/moves.h), loaded and
 * attached: to functions of the kernel that nothing else calls, so that others' system calls cost no more,
 * or, where the kernel takes none there (CONFIG_KPROBES) or WTRACE_BPF=no-probes is in the environment, to
 * the tracepoints of the lock on tables of mappings, which costs every such lock some time.
 *
 * They are optional (bpf_object.h).
 */
#ifndef PROVIDERS_PERF_MOVES_H
#define PROVIDERS_PERF_MOVES_H

#include <stdint.h>

#include "providers/perf/bpf/moves.h"
#include "tracecore/base/err.h"

struct wt_bpf_object;

/** On failure *ret is NULL and err gives the reason. wt_bpf_close closes it. */
int wt_moves_open(struct wt_bpf_object **ret, struct wt_err *err);
/** Sets the event "bpf-output" of a CPU that gets the records; -1: none. On failure errno gives the reason.
 */
int wt_moves_set_output(const struct wt_bpf_object *moves, uint32_t cpu, int fd);

#endif
