/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Loads a compiled BPF object into the kernel. Not in a build without BPF.
 */
#ifndef PROVIDERS_PERF_BPF_LOAD_H
#define PROVIDERS_PERF_BPF_LOAD_H

#include "tracecore/base/err.h"

struct bpf_object;

/** A compiled object, between two symbols. In static memory. */
struct wt_bpf_bytes {
	const char *start, *end;
};

/** Returns the loaded object without the program named `without` (NULL: with all). NULL: err gives the
 * reason, in words that follow "without BPF: ". Fails with WTRACE_BPF=0 in the environment. The caller
 * closes it (bpf_object__close). */
struct bpf_object *wt_bpf_load(struct wt_bpf_bytes bytes, const char *without, struct wt_err *err);

#endif
