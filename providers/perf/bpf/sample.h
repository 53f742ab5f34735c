/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the program on sampling events (sample.bpf.c) and the recorder say to each other.
 *
 * The program runs in the interrupt that takes a sample, in front of the sample. It may drop it (filter), and
 * it copies on: where a user stack goes on behind the kernel's own copy, all of it goes into the sample's
 * ring, in pieces directly in front of the sample. Pages that cannot be read (most were never written) are
 * left out. On a stack for signals (sigaltstack) that is what is left of it, and then the stack that was
 * interrupted, wherever that lies. A piece is the raw data of a PERF_RECORD_SAMPLE of the event
 * "bpf-output": a struct wt_bpf_piece and its bytes.
 *
 * Who writes what: settings the recorder only but for what is marked, through a mapping all its processes
 * share; the program reads.
 */
#ifndef PROVIDERS_PERF_BPF_SAMPLE_H
#define PROVIDERS_PERF_BPF_SAMPLE_H

enum {
	WT_BPF_PAGE = 4096,
	WT_BPF_PIECE_BYTES = 6 * WT_BPF_PAGE, /**< of the stack in one piece */
	WT_BPF_COPY_MOST = 1 << 20,           /**< of one stack */
	WT_BPF_THREADS = 1 << 16,             /**< a power of two */
	WT_BPF_PROCESSES = 1 << 14,           /**< that can be filtered for at a time */
};

/** What the map `processes` says of a process. Who it makes is as it is. */
enum wt_bpf_process {
	WT_BPF_FROM_EXEC = 0, /**< not sampled before it becomes another program */
	WT_BPF_NOW = 1,
	WT_BPF_ENDING = 2, /**< its threads have ended; the kernel still works for it */
};

/** What the program reads of a mark (enum wt_stack_mark in tracecore/event.h). */
enum { WT_BPF_MARK_DEEP = 1, WT_BPF_MARK_WHOLE = 255 };

/** Where copying ended, in the last piece. */
enum wt_bpf_end {
	WT_BPF_MORE = 0,  /**< another piece follows */
	WT_BPF_STACK_END, /**< the mapping that holds the stack ends */
	WT_BPF_LIMIT,     /**< as much as may be copied, or nobody could tell where the stack ends */
};

struct wt_bpf_piece {
	unsigned long long regs;    /**< wt_bpf_hash of the user registers */
	unsigned long long sp;      /**< user stack pointer */
	unsigned long long address; /**< of the piece's first byte */
	unsigned int size;          /**< bytes behind this struct */
	unsigned int number;        /**< from 0 */
	unsigned int end;           /**< enum wt_bpf_end */
	unsigned int zero;
};

struct wt_bpf_settings {
	unsigned int filter;     /**< 1: samples of processes outside the map `processes` are dropped */
	unsigned int unfollowed; /**< processes that found no place in `processes`; the program writes it */
	unsigned int copy_on; /**< 1: stacks that may be deeper than copy_from are copied on, by the marks */
	unsigned int copy_from; /**< bytes from the stack pointer the kernel copies itself */
	unsigned int copy_most; /**< bytes of one stack at most; WT_BPF_COPY_MOST */
	/** By the last bits of the thread id: enum wt_stack_mark. Who shares them is copied in vain, or cut
	 * once more. */
	unsigned char marks[WT_BPF_THREADS];
};

/** Of n words: tells sets of registers apart. */
static inline unsigned long long wt_bpf_hash(const unsigned long long *words, unsigned int n)
{
	unsigned long long hash = 0xcbf29ce484222325ULL;

	for (unsigned int i = 0; i < n; i++) {
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	return hash;
}

#endif
