// SPDX-License-Identifier: MIT
/* Lists the threads of programs with their user registers, as the kernel saved them. task_regs.h describes
 * the records. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/task_regs.h"

#include <bpf/bpf_helpers.h>

struct bpf_iter_meta {
	struct seq_file *seq;
} KERNEL_TYPE;

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
} KERNEL_TYPE;

_Static_assert(sizeof(struct pt_regs) <= WT_BPF_REGS_WORDS * sizeof(__u64), "registers");

/* The count comes first: registers of a later wait have a higher one. */
SEC("iter/task") int registers(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wt_bpf_task_regs to = {};

	if (!task || task->flags & PF_KTHREAD)
		return 0;
	to.pid = task->tgid;
	to.tid = task->pid;
	to.switches = task->nvcsw + task->nivcsw;
	if (bpf_probe_read_kernel(to.words, sizeof(struct pt_regs), (const void *)bpf_task_pt_regs(task)))
		return 0;
	bpf_seq_write(ctx->meta->seq, &to, sizeof(to));
	return 0;
}

char permission[] SEC("license") = "Dual MIT/GPL";
