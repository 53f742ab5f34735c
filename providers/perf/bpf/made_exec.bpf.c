// SPDX-License-Identifier: MIT
/* The program at mprotect. made_exec.h describes its records. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/made_exec.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

enum { BPF_RB_NO_WAKEUP = 1, PROT_EXEC = 4, USERS = 1024 };

/* linux/mm.h: unchanged from Linux 5.8 to 6.18. */
#define VM_SHARED    0x00000008UL
#define VM_ACCOUNT   0x00100000UL
#define VM_NORESERVE 0x00200000UL

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, WT_BPF_MADE_EXEC_RING);
} ring SEC(".maps");

struct turn {
	__u64 number;
	__u64 told;
};

/* By user id. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, USERS);
	__type(key, __u32);
	__type(value, struct turn);
} turns SEC(".maps");

/* By process id: the time when a record of the process was left out. Entries are never evicted. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WT_BPF_MADE_EXEC_PROCESSES);
	__type(key, __u32);
	__type(value, __u64);
} left_out SEC(".maps");

struct wt_bpf_made_exec_counts counts;

static int may_tell(__u64 time)
{
	__u32 user = bpf_get_current_uid_gid();
	struct turn first = {time >> WT_BPF_MADE_EXEC_TURN, 1}, *turn = bpf_map_lookup_elem(&turns, &user);

	if (!user)
		return 1;
	if (turn && turn->number == first.number)
		return __sync_fetch_and_add(&turn->told, 1) < WT_BPF_MADE_EXEC_SHARE;
	bpf_map_update_elem(&turns, &user, &first, BPF_ANY);
	return 1;
}

static void leave_out(__u32 pid, __u64 time)
{
	if (bpf_map_update_elem(&left_out, &pid, &time, BPF_ANY))
		__sync_fetch_and_add(&counts.lost, 1);
	else
		__sync_fetch_and_add(&counts.left_out, 1);
}

/* True for private memory of a file that could be written to and has pages of its own. */
static int was_written(const struct vm_area_struct *vma)
{
	unsigned long flags = BPF_CORE_READ(vma, vm_flags);

	return !(flags & VM_SHARED) && flags & (VM_ACCOUNT | VM_NORESERVE) && BPF_CORE_READ(vma, vm_file) &&
	       BPF_CORE_READ(vma, anon_vma);
}

static int tell(const struct vm_area_struct *vma, unsigned long prot)
{
	struct wt_bpf_made_exec made = {0};

	if (!(prot & PROT_EXEC) || !was_written(vma))
		return 0;
	__sync_fetch_and_add(&counts.begun, 1);
	made.time = bpf_ktime_get_ns();
	made.pid = bpf_get_current_pid_tgid() >> 32;
	made.start = BPF_CORE_READ(vma, vm_start);
	made.end = BPF_CORE_READ(vma, vm_end);
	if (!may_tell(made.time))
		leave_out(made.pid, made.time);
	else if (bpf_ringbuf_output(&ring, &made, sizeof(made), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&counts.lost, 1);
	return 0;
}

/* security_file_mprotect(vma, prot as requested, prot) is called for each mapping that mprotect changes,
 * while the process's mappings are locked. A kernel has the first of these two ways, or only the second
 * (arm64 before Linux 6.4). */
SEC("fentry/security_file_mprotect") int made_exec(unsigned long long *ctx)
{
	return tell((const void *)ctx[0], ctx[2]);
}

SEC("kprobe/security_file_mprotect") int made_exec_by_probe(struct pt_regs *ctx)
{
#if defined(__TARGET_ARCH_arm64)
	return tell((const void *)ctx->regs[0], ctx->regs[2]);
#else
	return tell((const void *)ctx->di, ctx->dx);
#endif
}

char permission[] SEC("license") = "Dual MIT/GPL";
