// SPDX-License-Identifier: MIT
#include "providers/perf/life_ring.h"

#include "providers/perf/bpf_object.h"

WT_BPF_EMBED(lives_object, "lives.bpf.o");

static const char *const programs[] = {"life_begins", "life_ends"};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

int wt_bpf_lives_open(struct wt_bpf_object **ret, struct wt_err *err)
{
	return wt_bpf_start(ret, lives_object, programs, N_PROGRAMS, err);
}

int wt_bpf_lives_read(struct wt_bpf_object *lives, wt_bpf_record_fn *fn, void *ctx)
{
	return wt_bpf_drain(lives, "ring", fn, ctx);
}

uint64_t wt_bpf_lives_lost(const struct wt_bpf_object *lives)
{
	const uint32_t zero = 0;
	uint64_t lost = 0;

	wt_bpf_map_get(wt_bpf_map(lives, ".bss"), &zero, &lost);
	return lost;
}
