// SPDX-License-Identifier: MIT
/* Sampling of CPUs for the sake of some processes: the kernel drops the samples of all others
 * (bpf/sample.h). An event of a thread would begin with a whole period, and would never see a thread that
 * ends before. */
#include "providers/perf/internal.h"

#include <sys/stat.h>

#include "providers/perf/bpf.h"

/* The inode of the machine's own pid namespace: PROC_PID_INIT_INO in linux/proc_ns.h. */
#define MACHINE_PIDS 0xEFFFFFFC

/* True when the pids of our namespace are the machine's, by which the kernel identifies processes. */
bool wt_perf_numbers_are_the_machines(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == MACHINE_PIDS;
}

static int follow(struct wt_perf *perf, struct wt_err *err)
{
	if (!wt_perf_numbers_are_the_machines())
		return wt_fail(err, WT_ERR_UNSUPPORTED, "a container's process ids are its own");
	if (!perf->bpf && wt_perf_bpf_open(&perf->bpf, err) < 0)
		return -1;
	if (wt_perf_bpf_follow(perf->bpf, err) < 0)
		return -1;
	for (size_t i = 0; i < perf->n_pids; i++)
		if (wt_perf_bpf_want(perf->bpf, (uint32_t)perf->pids[i],
				     perf->child ? WT_BPF_FROM_EXEC : WT_BPF_NOW) < 0)
			return wt_fail_errno(err, "its table of processes");
	wt_perf_bpf_settings(perf->bpf)->filter = 1;
	return 0;
}

bool wt_perf_follow(struct wt_perf *perf)
{
	struct wt_err err = WT_ERR_INIT;

	if (!perf->n_pids || !perf->caps.whole_system || perf->follows)
		return perf->follows;
	if (perf->follow_failed)
		return false;
	if (follow(perf, &err) == 0)
		return perf->follows = true;
	perf->follow_failed = true;
	wt_perf_say(perf, true,
		    "without BPF: %.150s; threads are sampled from their start on, and CPU time of short "
		    "threads without samples is reported as unsampled",
		    err.text);
	return false;
}

bool wt_perf_is_filtered(const struct wt_perf *perf, uint32_t slot)
{
	return slot < perf->n_slots && perf->follows && perf->slots[slot].machine &&
	       !perf->slots[slot].counts && !perf->slots[slot].everybodys;
}
