/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The kernel's types for the BPF programs: only the few fields they read. The offset of a field is found
 * when a program is loaded, from the running kernel's description of its own types (CO-RE).
 */
#ifndef PROVIDERS_PERF_BPF_KERNEL_H
#define PROVIDERS_PERF_BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16, __le16;
typedef __u32 __be32, __le32, __wsum;
typedef __u64 __be64, __le64;

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_EXIST = 2, BPF_F_NO_PREALLOC = 1 };
#define BPF_F_CURRENT_CPU 0xffffffffULL

enum { ENOSPC = 28 };

/* linux/sched.h: this task never runs in user space. */
#define PF_KTHREAD 0x00200000

#ifdef __bpf__
#define KERNEL_TYPE __attribute__((preserve_access_index))
#else
#define KERNEL_TYPE
#endif

struct thread_info {
	unsigned long flags;
	unsigned int cpu;
#if defined(__TARGET_ARCH_arm64)
	struct {
		unsigned int count;
	} preempt;
#else
	unsigned int status;
#endif
} KERNEL_TYPE;

/* Of a CPU, on x86-64. */
struct pcpu_hot {
	int preempt_count;
} KERNEL_TYPE;

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	int pid, tgid, prio;
	struct task_struct *real_parent;
	struct signal_struct *signal;
	unsigned long sas_ss_sp; /* the stack for signals (sigaltstack); size 0: none */
	unsigned long sas_ss_size;
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	struct files_struct *files;
	int exit_code;
	unsigned long nvcsw, nivcsw; /* how often it has left a CPU */
} KERNEL_TYPE;

/* State shared by the threads of a process. */
struct signal_struct {
	struct {
		int counter;
	} live; /* number of threads that have not ended */
	unsigned int flags;
	int group_exit_code;
} KERNEL_TYPE;

/* linux/sched/signal.h: the whole process is ending, with group_exit_code. */
#define SIGNAL_GROUP_EXIT 0x00000004

struct mm_struct {
	unsigned long arg_start, arg_end;
	struct task_struct *owner;
} KERNEL_TYPE;

/* Open files of a thread. */
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} KERNEL_TYPE;

struct files_struct {
	struct fdtable *fdt;
} KERNEL_TYPE;

struct super_block {
	unsigned long s_magic;
} KERNEL_TYPE;

struct inode {
	struct super_block *i_sb;
} KERNEL_TYPE;

struct file {
	struct inode *f_inode;
	long long f_pos;
} KERNEL_TYPE;

/* Wanted memory. */
struct vm_unmapped_area_info {
	unsigned long length;
} KERNEL_TYPE;

/* A process id in one namespace; equal on all kernels. */
struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
} KERNEL_TYPE;

struct ns_common {
	unsigned int inum;
} KERNEL_TYPE;

struct mnt_namespace {
	struct ns_common ns;
} KERNEL_TYPE;

struct nsproxy {
	struct mnt_namespace *mnt_ns;
} KERNEL_TYPE;

struct linux_binprm {
	const char *filename;
} KERNEL_TYPE;

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags;
	struct anon_vma *anon_vma; /* of its pages that are not the file's; NULL: there were never any */
	struct file *vm_file;
} KERNEL_TYPE;

/* The layout of registers at the top of a thread's kernel stack: an interface, equal on all kernels. */
#if defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31], sp, pc, pstate, orig_x0;
	__s32 syscallno;
};
#define CALL        syscallno
#define CALL_NUMBER __s32
enum { NR_RT_SIGRETURN = 139, NR_EXECVE = 221, NR_EXECVEAT = 281 };
#else
struct pt_regs {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp,
		ss;
};
#define CALL        orig_ax
#define CALL_NUMBER __s64
enum { NR_RT_SIGRETURN = 15, NR_EXECVE = 59, NR_EXECVEAT = 322 };
#endif

/* In the kernel's frame on the stack of a signal: bytes from the description of the stack for signals
 * (uc_stack of struct ucontext) to the interrupted stack pointer. */
#if defined(__TARGET_ARCH_arm64)
enum { CONTEXT_SP = 416 };
#else
enum { CONTEXT_SP = 144 };
#endif

/* The argument of a program on a raw tracepoint; equal on all kernels. */
struct bpf_raw_tracepoint_args {
	__u64 args[2];
};

/* The argument of a program on a perf event; only its address matters. */
struct bpf_perf_event_data;

#endif
