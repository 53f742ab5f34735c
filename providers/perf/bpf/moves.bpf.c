// SPDX-License-Identifier: MIT
/* The programs on moved memory and on writes from outside. moves.h describes their records. They run before
 * the kernel does it, so that no sample of such code comes before its record. */
#include "providers/perf/bpf/kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "providers/perf/bpf/moves_output.h"

/* linux/mm.h and linux/mm_types.h */
enum { VM_EXEC = 4, VM_SHARED = 8, FOLL_WRITE = 1 };

/* Arguments of a function of the kernel: the calling conventions of the architectures. */
#if defined(__TARGET_ARCH_arm64)
#define FIRST  regs[0]
#define SECOND regs[1]
#define THIRD  regs[2]
#define FOURTH regs[3]
#define FIFTH  regs[4]
#else
#define FIRST  di
#define SECOND si
#define THIRD  dx
#define FOURTH cx
#define FIFTH  r8
#endif

/* copy_vma(&vma, address, size, ...): of mremap alone, once it knows where the memory goes. */
SEC("kprobe/copy_vma") int memory_moves(struct pt_regs *ctx)
{
	struct vm_area_struct *vma = NULL;
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 flags;

	bpf_probe_read_kernel(&vma, sizeof(vma), (void *)ctx->FIRST);
	flags = BPF_CORE_READ(vma, vm_flags);
	if (flags & VM_EXEC)
		put(ctx, ctx->SECOND, ctx->THIRD, pid, WT_BPF_MOVED_HERE);
	if (!(flags & VM_SHARED) && BPF_CORE_READ(vma, vm_file))
		put(ctx, BPF_CORE_READ(vma, vm_start), 1, pid, WT_BPF_FILE_MOVES);
	return 0;
}

/* access_remote_vm(mm, address, bytes, n, flags): of /proc/PID/mem. */
SEC("kprobe/access_remote_vm") int memory_written(struct pt_regs *ctx)
{
	const struct mm_struct *mm = (void *)ctx->FIRST;
	/* None: no process runs in that memory any more (mm_update_next_owner in kernel/exit.c). */
	const struct task_struct *owner = BPF_CORE_READ(mm, owner);

	if (owner && ctx->FIFTH & FOLL_WRITE)
		put(ctx, ctx->SECOND, (__u32)ctx->FOURTH, BPF_CORE_READ(owner, tgid), WT_BPF_WRITTEN_HERE);
	return 0;
}

/* ptrace_access_vm(task, address, bytes, n, flags) */
SEC("kprobe/ptrace_access_vm") int memory_poked(struct pt_regs *ctx)
{
	const struct task_struct *task = (void *)ctx->FIRST;

	if (ctx->FIFTH & FOLL_WRITE)
		put(ctx, ctx->SECOND, (__u32)ctx->FOURTH, BPF_CORE_READ(task, tgid), WT_BPF_WRITTEN_HERE);
	return 0;
}

char permission[] SEC("license") = "Dual MIT/GPL";
