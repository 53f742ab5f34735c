// SPDX-License-Identifier: MIT
/* The programs at the beginnings and ends of processes. lives.h describes their records. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/lives.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

enum { BPF_RB_NO_WAKEUP = 1 };

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, WT_BPF_LIFE_RING);
} ring SEC(".maps");

/* Number of records that found no room. */
unsigned long long lost;

struct room {
	struct wt_bpf_life head;
	__u8 args[WT_BPF_LIFE_ARGS];
};

/* Room for a record. One for each CPU is enough, because the kernel runs no such program inside another. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct room);
} rooms SEC(".maps");

static unsigned int pid_inside(const struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	int nr = 0;

	if (pid)
		bpf_probe_read_kernel(&nr, sizeof(nr),
				      (const char *)__builtin_preserve_access_index(&pid->numbers) +
					      level * sizeof(struct upid));
	return nr;
}

static void put_head(struct wt_bpf_life *head, const struct task_struct *task, __u32 kind)
{
	head->time = bpf_ktime_get_ns();
	head->cgroup = bpf_get_current_cgroup_id();
	head->kind = kind;
	head->pid = bpf_get_current_pid_tgid() >> 32;
	head->inside_pid = pid_inside(task);
	head->mount_namespace = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
	head->status = head->all_args = head->args = head->file_len = 0;
}

static void put_record(struct room *room, __u64 size)
{
	if (bpf_ringbuf_output(&ring, room, size, BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&lost, 1);
}

SEC("tp_btf/sched_process_exec") int life_begins(unsigned long long *ctx)
{
	const struct task_struct *task = (void *)ctx[0];
	const struct linux_binprm *binary = (void *)ctx[2];
	struct room *room;
	__u64 from, n;
	__u32 zero = 0;
	long len;

	room = bpf_map_lookup_elem(&rooms, &zero);
	if (!room)
		return 0;
	put_head(&room->head, task, WT_BPF_LIFE_EXEC);
	len = bpf_probe_read_kernel_str(room->head.file, sizeof(room->head.file),
					BPF_CORE_READ(binary, filename));
	room->head.file_len = len > 0 ? len : 0;
	from = BPF_CORE_READ(task, mm, arg_start);
	n = BPF_CORE_READ(task, mm, arg_end) - from;
	room->head.all_args = n;
	if (n > WT_BPF_LIFE_ARGS)
		n = WT_BPF_LIFE_ARGS;
	if (bpf_probe_read_user(room->args, n, (const void *)from))
		n = 0;
	room->head.args = n;
	put_record(room, sizeof(room->head) + n);
	return 0;
}

SEC("tp_btf/sched_process_exit") int life_ends(unsigned long long *ctx)
{
	const struct task_struct *task = (void *)ctx[0];
	struct room *room;
	__u32 zero = 0;

	if (task->signal->live.counter)
		return 0;
	room = bpf_map_lookup_elem(&rooms, &zero);
	if (!room)
		return 0;
	put_head(&room->head, task->group_leader, WT_BPF_LIFE_EXIT);
	room->head.status = task->signal->flags & SIGNAL_GROUP_EXIT ? task->signal->group_exit_code
								    : task->group_leader->exit_code;
	put_record(room, sizeof(room->head) - sizeof(room->head.file));
	return 0;
}

char permission[] SEC("license") = "Dual MIT/GPL";
