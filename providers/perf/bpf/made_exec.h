/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Records of the program at mprotect (made_exec.bpf.c) for the recorder.
 *
 * It runs in the task that makes private memory of a file executable, before that happens, and puts one
 * struct wt_bpf_made_exec into a ring if the memory could be written to and has pages of its own. Each such
 * call is counted as begun, and then as lost or as left out if no record of it is in the ring. The map
 * `left_out` has the processes of records that were left out.
 */
#ifndef PROVIDERS_PERF_BPF_MADE_EXEC_H
#define PROVIDERS_PERF_BPF_MADE_EXEC_H

enum {
	WT_BPF_MADE_EXEC_RING = 1 << 19,
	/** Records of each user in a turn of 2^27 ns; further records of that user are left out. */
	WT_BPF_MADE_EXEC_SHARE = 512,
	WT_BPF_MADE_EXEC_TURN = 27,
	WT_BPF_MADE_EXEC_PROCESSES = 4096, /**< in `left_out` */
};

struct wt_bpf_made_exec {
	unsigned long long time; /**< CLOCK_MONOTONIC, ns */
	unsigned long long start, end;
	unsigned int pid; /**< of the machine */
	unsigned int zero;
};

/** Counts since the program was loaded; shared with it. When a reader has read as many records as were begun
 * and neither lost nor left out, it has read all that were begun by then. */
struct wt_bpf_made_exec_counts {
	unsigned long long begun;
	unsigned long long lost;     /**< found no room in the ring or in `left_out` */
	unsigned long long left_out; /**< left out because of a user's share */
	unsigned long long received; /**< read from the ring; the readers count */
	unsigned int readers;        /**< processes that have read the ring; the readers count */
	unsigned int zero;
};

#endif
