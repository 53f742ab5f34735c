/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The programs that report memory that is moved, or written to from outside (bpf/moves.h), loaded and
 * attached to functions of the kernel that nothing else calls: others' system calls cost no more.
 *
 * They are optional: the kernel may have no BPF or no probes on its functions (CONFIG_KPROBES). They run
 * until they are closed in every process that had them before a fork.
 */
#ifndef PROVIDERS_PERF_MOVES_H
#define PROVIDERS_PERF_MOVES_H

#include <stdint.h>

#include "providers/perf/bpf/moves.h"
#include "tracecore/base/err.h"

struct wt_moves;

/** On failure *ret is NULL and err gives the reason. */
int wt_moves_open(struct wt_moves **ret, struct wt_err *err);
/** May be NULL. */
void wt_moves_close(struct wt_moves *moves);
/** Sets the event "bpf-output" of a CPU that gets the records; -1: none. On failure errno gives the reason.
 */
int wt_moves_set_output(const struct wt_moves *moves, uint32_t cpu, int fd);

#endif
