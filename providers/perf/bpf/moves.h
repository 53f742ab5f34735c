/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the programs on mremap and on writes from outside (moves.bpf.c) write: memory whose code may be
 * another from now on. No record of the kernel tells of either.
 */
#ifndef PROVIDERS_PERF_BPF_MOVES_H
#define PROVIDERS_PERF_BPF_MOVES_H

enum {
	WT_BPF_MOVED_HERE = 1,   /* executable memory is about to be moved there (mremap) */
	WT_BPF_WRITTEN_HERE = 2, /* somebody is about to write there, whatever the rights of the memory are
				    (ptrace, /proc/PID/mem) */
	WT_BPF_FILE_MOVES = 3    /* a process is about to move its private memory of a file from there */
};

struct wt_bpf_move {
	unsigned long long from, to; /* addresses, [from, to) */
	unsigned int pid;            /* whose memory it is */
	unsigned int what;
};

#endif
