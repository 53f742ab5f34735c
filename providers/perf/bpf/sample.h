/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The interface between the program on sampling events (sample.bpf.c) and the recorder.
 *
 * The program runs in the interrupt that takes a sample, in front of the sample. It may drop the sample
 * (filter), and it copies on: where a user stack continues behind the kernel's own copy, the rest goes into
 * the sample's ring, in pieces directly in front of the sample. Pages that cannot be read (most were never
 * written) are left out. On a stack for signals (sigaltstack) the rest is the remainder of that stack,
 * followed by the interrupted stack, wherever that lies. While a thread executes another program or returns
 * from a signal, the kernel changes its registers one by one: a sample then may have some of both kinds, or
 * those of a program that is gone. The program says so by a piece without bytes. A piece is the raw data of a
 * PERF_RECORD_SAMPLE of the event "bpf-output": a struct wt_bpf_piece and its bytes.
 *
 * Writers: only the recorder writes settings, except for marked fields, through a mapping that all its
 * processes share; the program reads them.
 */
#ifndef PROVIDERS_PERF_BPF_SAMPLE_H
#define PROVIDERS_PERF_BPF_SAMPLE_H

enum {
	WT_BPF_PAGE = 4096,
	WT_BPF_PIECE_BYTES = 6 * WT_BPF_PAGE, /**< most bytes of the stack in one piece */
	WT_BPF_COPY_MOST = 1 << 20,           /**< of one stack */
	WT_BPF_THREADS = 1 << 16,             /**< a power of two */
	WT_BPF_PROCESSES = 1 << 14,           /**< number that can be filtered for at a time */
};

/** The value of a process in the map `processes`. Its children get the same value. */
enum wt_bpf_process {
	WT_BPF_FROM_EXEC = 0, /**< not sampled until it begins another program */
	WT_BPF_NOW = 1,
	WT_BPF_ENDING = 2, /**< its threads have ended; the kernel still works for it */
};

/** The program's use of a mark (enum wt_stack_mark in tracecore/event.h). */
enum { WT_BPF_MARK_DEEP = 1, WT_BPF_MARK_WHOLE = 255 };

/** The place where copying ended, in the last piece. */
enum wt_bpf_end {
	WT_BPF_MORE = 0,  /**< another piece follows */
	WT_BPF_STACK_END, /**< the mapping that holds the stack ends */
	WT_BPF_LIMIT,     /**< the limit of copying was reached, or the stack's end could not be found */
	WT_BPF_CHANGING,  /**< nothing is copied: the kernel is about to change the registers */
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
	unsigned int unfollowed; /**< number of processes that found no place in `processes`; the program
				    writes it */
	unsigned int copy_on; /**< 1: stacks that may be deeper than copy_from are copied on, according to the
				 marks */
	unsigned int copy_from; /**< bytes from the stack pointer that the kernel copies itself */
	unsigned int copy_most; /**< most bytes of one stack; WT_BPF_COPY_MOST */
	/** enum wt_stack_mark by the last bits of the thread id. Threads that share an entry are copied
	 * needlessly, or cut once more. */
	unsigned char marks[WT_BPF_THREADS];
};

/** Hash over n words: distinguishes sets of registers. */
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
