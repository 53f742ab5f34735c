/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Records of the programs at the beginnings and ends of processes (lives.bpf.c) for the recorder.
 *
 * They run in the task that calls exec, or ends, and put one record each into a ring: a struct wt_bpf_life,
 * and for an exec the arguments behind it as they lie in memory, each ended by a zero. Records that find no
 * room are counted.
 */
#ifndef PROVIDERS_PERF_BPF_LIVES_H
#define PROVIDERS_PERF_BPF_LIVES_H

enum {
	WT_BPF_LIFE_FILE = 256,  /**< most bytes of the file's name, with its zero */
	WT_BPF_LIFE_ARGS = 4096, /**< of the arguments */
	WT_BPF_LIFE_RING = 1 << 20,
};

enum wt_bpf_life_kind { WT_BPF_LIFE_EXEC = 1, WT_BPF_LIFE_EXIT = 2 };

struct wt_bpf_life {
	unsigned long long time;   /**< CLOCK_MONOTONIC, ns */
	unsigned long long cgroup; /**< id of the control group (version 2) */
	unsigned int kind;         /**< enum wt_bpf_life_kind */
	unsigned int pid;          /**< of the machine */
	unsigned int inside_pid;   /**< in its own pid namespace */
	unsigned int mount_namespace;
	unsigned int status;   /**< in the form of wait(2) */
	unsigned int all_args; /**< bytes of all arguments */
	unsigned int args;     /**< bytes of them behind this struct */
	unsigned int file_len; /**< bytes of `file`, its zero included */
	char file[WT_BPF_LIFE_FILE];
};

#endif
