/* SPDX-License-Identifier: MIT */
/**
 * @file
 * For the programs on moved memory: where their records go (moves.h).
 */
#ifndef PROVIDERS_PERF_BPF_MOVES_OUTPUT_H
#define PROVIDERS_PERF_BPF_MOVES_OUTPUT_H

#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/moves.h"

#include <bpf/bpf_helpers.h>

/* By CPU: events "bpf-output". */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outputs SEC(".maps");

static inline void put(void *ctx, __u64 from, __u64 size, __u32 pid, __u32 what)
{
	const struct wt_bpf_move record = {.from = from, .to = from + size, .pid = pid, .what = what};

	bpf_perf_event_output(ctx, &outputs, BPF_F_CURRENT_CPU, (void *)&record, sizeof(record));
}

#endif
