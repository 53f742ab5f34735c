// SPDX-License-Identifier: MIT
#include "providers/perf/moves.h"

#include "providers/perf/bpf_object.h"

WT_BPF_EMBED(moves_object, "moves.bpf.o");

static const char *const programs[] = {"memory_moves", "memory_written", "memory_poked"};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

int wt_moves_open(struct wt_bpf_object **ret, struct wt_err *err)
{
	return wt_bpf_start(ret, moves_object, programs, N_PROGRAMS, err);
}

int wt_moves_set_output(const struct wt_bpf_object *moves, uint32_t cpu, int fd)
{
	return wt_bpf_set_output(wt_bpf_map(moves, "outputs"), cpu, fd);
}
