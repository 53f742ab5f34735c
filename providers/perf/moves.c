// SPDX-License-Identifier: MIT
#include "providers/perf/moves.h"

#include <stdlib.h>
#include <string.h>

#include "providers/perf/bpf_object.h"

WT_BPF_EMBED(moves_object, "moves.bpf.o");
WT_BPF_EMBED(mm_locks_object, "mm_locks.bpf.o");

/* On functions of the kernel. */
static const char *const probes[] = {"memory_moves", "memory_written", "memory_poked"};
enum { N_PROBES = sizeof(probes) / sizeof(probes[0]) };

/* The tracepoint of the lock has four arguments or three: a program on the fourth is refused where there is
 * none. */
static const char *const on_lock[] = {"lock_taken_once", "lock_taken"};

static int open_locks(struct wt_bpf_object **ret, struct wt_err *err)
{
	struct wt_err no_rings = WT_ERR_INIT;
	int which = 0;

	if (wt_bpf_open(ret, mm_locks_object, on_lock[1], err) < 0) {
		which = 1;
		if (wt_bpf_open(ret, mm_locks_object, on_lock[0], err) < 0)
			return -1;
	}
	if (wt_bpf_run(*ret, "place_found", err) == 0 && wt_bpf_run(*ret, on_lock[which], err) == 0) {
		/* A kernel without rings has no such place. */
		wt_bpf_run(*ret, "ring_takes_file", &no_rings);
		return 0;
	}
	wt_bpf_close(*ret);
	*ret = NULL;
	return -1;
}

int wt_moves_open(struct wt_bpf_object **ret, struct wt_err *err)
{
	const char *wanted = secure_getenv("WTRACE_BPF");

	if ((!wanted || strcmp(wanted, "no-probes")) &&
	    wt_bpf_start(ret, moves_object, probes, N_PROBES, err) == 0)
		return 0;
	return open_locks(ret, err);
}

int wt_moves_set_output(const struct wt_bpf_object *moves, uint32_t cpu, int fd)
{
	return wt_bpf_set_output(wt_bpf_map(moves, "outputs"), cpu, fd);
}
