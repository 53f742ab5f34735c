// SPDX-License-Identifier: MIT
/* The programs of moves.bpf.c for kernels that take none on their functions: they run when a thread has
 * locked the table of mappings (mmap_lock), and report what its system call is about to do there. The call
 * tells less than the function: that executable memory is moved is not known, nor which memory, so what is
 * reported is a write to where it goes. It changes nothing where the process has no text of a file.
 *
 * Two writes of a process to its own memory through /proc/self/mem are not reported: by a ring (io_uring)
 * that the file is registered with, and by a descriptor that another thread exchanges before the lock. */
#include "providers/perf/bpf/kernel.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "providers/perf/bpf/moves_output.h"

/* linux/mman.h, linux/ptrace.h, linux/magic.h, linux/fs.h (MAX_RW_COUNT), linux/sched.h */
enum { MREMAP_FIXED = 2, MREMAP_DONTUNMAP = 4 };
enum { PTRACE_POKETEXT = 4, PTRACE_POKEDATA = 5 };
enum { PROC_SUPER_MAGIC = 0x9fa0, MOST_WRITTEN = 0x7ffff000, PF_IO_WORKER = 0x10 };
#define ALL_MEMORY (1ull << 62)

/* ---- the system call of this thread ---- */

enum what { OTHER, MREMAP, PTRACE, WRITE, PWRITE, WRITEV, PWRITEV, IO_URING };

#if defined(__TARGET_ARCH_arm64)
enum {
	NR_MREMAP = 216,
	NR_PTRACE = 117,
	NR_WRITE = 64,
	NR_WRITEV = 66,
	NR_PWRITE = 68,
	NR_PWRITEV = 70,
	NR_PWRITEV2 = 287
};
enum { NR_PWRITEV_32 = 362, NR_PWRITEV2_32 = 393 };

static int is_compat(const struct task_struct *task)
{
	return task->thread_info.flags & 1 << 22; /* TIF_32BIT */
}
#else
enum {
	NR_MREMAP = 25,
	NR_PTRACE = 101,
	NR_WRITE = 1,
	NR_WRITEV = 20,
	NR_PWRITE = 18,
	NR_PWRITEV = 296,
	NR_PWRITEV2 = 328
};
enum { NR_PWRITEV_32 = 334, NR_PWRITEV2_32 = 379 };

static int is_compat(const struct task_struct *task)
{
	return task->thread_info.status & 2; /* TS_COMPAT */
}
#endif
/* Of both architectures. */
enum {
	NR_IO_URING_ENTER = 426,
	NR_MREMAP_32 = 163,
	NR_PTRACE_32 = 26,
	NR_WRITE_32 = 4,
	NR_WRITEV_32 = 146,
	NR_PWRITE_32 = 181
};

static enum what of_32(__u32 number)
{
	switch (number) {
	case NR_MREMAP_32:
		return MREMAP;
	case NR_PTRACE_32:
		return PTRACE;
	case NR_WRITE_32:
		return WRITE;
	case NR_WRITEV_32:
		return WRITEV;
	/* Positions are in two registers. */
	case NR_PWRITE_32:
	case NR_PWRITEV_32:
	case NR_PWRITEV2_32:
		return PWRITEV;
	case NR_IO_URING_ENTER:
		return IO_URING;
	}
	return OTHER;
}

static enum what of_64(__u32 number)
{
	switch (number) {
	case NR_MREMAP:
		return MREMAP;
	case NR_PTRACE:
		return PTRACE;
	case NR_WRITE:
		return WRITE;
	case NR_WRITEV:
		return WRITEV;
	case NR_PWRITE:
		return PWRITE;
	case NR_PWRITEV:
	case NR_PWRITEV2:
		return PWRITEV;
	case NR_IO_URING_ENTER:
		return IO_URING;
	}
	return OTHER;
}

/* What the thread does, and its arguments from the first on. */
struct call {
	enum what what;
	__u64 argument[5];
};

#if defined(__TARGET_ARCH_arm64)
static int read_arguments(struct call *call, const struct pt_regs *at, int compat)
{
	return bpf_probe_read_kernel(call->argument, sizeof(call->argument), at->regs);
}
#else
static int read_arguments(struct call *call, const struct pt_regs *at, int compat)
{
	struct pt_regs regs;

	if (bpf_probe_read_kernel(&regs, sizeof(regs), at))
		return -1;
	/* What is above in a register of a 32-bit call, int 0x80 of a 64-bit program has left there. */
	call->argument[0] = compat ? (__u32)regs.bx : regs.di;
	call->argument[1] = compat ? (__u32)regs.cx : regs.si;
	call->argument[2] = compat ? (__u32)regs.dx : regs.dx;
	call->argument[3] = compat ? (__u32)regs.si : regs.r10;
	call->argument[4] = compat ? (__u32)regs.di : regs.r8;
	return 0;
}
#endif

/* Most locks are taken by other calls, and by faults, whose number is none. The kernel looks at 32 bits of
 * the number. */
static void look(const struct task_struct *task, struct call *ret)
{
	const struct pt_regs *at = (const void *)bpf_task_pt_regs((void *)task);
	int compat = is_compat(task);
	CALL_NUMBER number = -1;

	ret->what = OTHER;
	if (task->flags & PF_IO_WORKER) {
		ret->what = IO_URING;
		return;
	}
	if (bpf_probe_read_kernel(&number, sizeof(number), &at->CALL))
		return;
	ret->what = compat ? of_32(number) : of_64(number);
	if (ret->what != OTHER && read_arguments(ret, at, compat))
		ret->what = OTHER;
}

/* ---- /proc/PID/mem ---- */

/* The thread's open file, if it is one of /proc. The kernel's stack would tell for certain who writes, but
 * bpf_find_vma in sample.bpf.c takes the lock, too, within a sample's interrupt, and a stack that is taken
 * then lies over the sample's own. */
static const struct file *proc_file(const struct task_struct *task, __u32 fd)
{
	const struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	const struct file *file = NULL;

	if (!table || fd >= BPF_CORE_READ(table, max_fds) ||
	    bpf_probe_read_kernel(&file, sizeof(file), &files[fd]) || !file ||
	    BPF_CORE_READ(file, f_inode, i_sb, s_magic) != PROC_SUPER_MAGIC)
		return NULL;
	return file;
}

static void report_written(void *ctx, const struct task_struct *task, const struct call *call, __u32 pid)
{
	const struct file *file = proc_file(task, call->argument[0]);
	__u64 size = call->argument[2] < MOST_WRITTEN ? call->argument[2] : MOST_WRITTEN;

	if (!file)
		return;
	if (call->what == WRITE)
		put(ctx, BPF_CORE_READ(file, f_pos), size, pid, WT_BPF_WRITTEN_HERE);
	else if (call->what == PWRITE)
		put(ctx, call->argument[3], size, pid, WT_BPF_WRITTEN_HERE);
	else
		/* Each piece of a vector goes behind the one before. */
		put(ctx, 0, ALL_MEMORY, pid, WT_BPF_WRITTEN_HERE);
}

/* ---- mremap ---- */

/* Only where the caller says where to. */
static void report_moved(void *ctx, const struct call *call, __u32 pid)
{
	if (!(call->argument[3] & (MREMAP_FIXED | MREMAP_DONTUNMAP)))
		return;
	put(ctx, call->argument[4], call->argument[2], pid, WT_BPF_WRITTEN_HERE);
	put(ctx, call->argument[0], 1, pid, WT_BPF_FILE_MOVES);
}

/* (address, info): the kernel has found free memory, and moves there. It may align that within the length. */
SEC("tp_btf/vm_unmapped_area") int place_found(unsigned long long *args)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();
	const struct vm_unmapped_area_info *info = (const void *)args[1];
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	struct call call;

	look(task, &call);
	/* Errors are addresses of the kernel. */
	if (call.what != MREMAP || (long long)args[0] < 0)
		return 0;
	put(args, args[0], BPF_CORE_READ(info, length), pid, WT_BPF_WRITTEN_HERE);
	put(args, call.argument[0], 1, pid, WT_BPF_FILE_MOVES);
	return 0;
}

/* ---- the lock ---- */

static void report(void *ctx, const struct mm_struct *mm, int to_change)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();
	const struct task_struct *owner;
	struct call call;
	__u32 pid;

	look(task, &call);
	if (call.what == OTHER || (call.what == MREMAP) != !!to_change)
		return;
	owner = BPF_CORE_READ(mm, owner);
	pid = mm == task->mm ? bpf_get_current_pid_tgid() >> 32 : owner ? BPF_CORE_READ(owner, tgid) : 0;
	/* None: no process runs in that memory any more. */
	if (!pid)
		return;
	if (call.what == MREMAP)
		report_moved(ctx, &call, pid);
	else if (call.what == IO_URING && mm != task->mm)
		put(ctx, 0, ALL_MEMORY, pid, WT_BPF_WRITTEN_HERE);
	else if (call.what == PTRACE &&
		 (call.argument[0] == PTRACE_POKETEXT || call.argument[0] == PTRACE_POKEDATA))
		put(ctx, call.argument[2], sizeof(__u64), pid, WT_BPF_WRITTEN_HERE);
	else if (call.what >= WRITE && call.what <= PWRITEV)
		report_written(ctx, task, &call, pid);
}

/* (request, descriptor): a thread's ring begins to use one of its open files. */
SEC("raw_tp/io_uring_file_get") int ring_takes_file(struct bpf_raw_tracepoint_args *at)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();

	if (proc_file(task, at->args[1]))
		put(at, 0, ALL_MEMORY, bpf_get_current_pid_tgid() >> 32, WT_BPF_WRITTEN_HERE);
	return 0;
}

/* (mm, write, success), from Linux 6.11 on */
SEC("tp_btf/mmap_lock_acquire_returned") int lock_taken(unsigned long long *args)
{
	if ((__u8)args[2])
		report(args, (const void *)args[0], (__u8)args[1]);
	return 0;
}

/* (mm, path of the memory's group, write, success), before that */
SEC("tp_btf/mmap_lock_acquire_returned") int lock_taken_once(unsigned long long *args)
{
	if ((__u8)args[3])
		report(args, (const void *)args[0], (__u8)args[2]);
	return 0;
}

char permission[] SEC("license") = "Dual MIT/GPL";
