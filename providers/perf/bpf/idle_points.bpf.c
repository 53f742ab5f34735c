// SPDX-License-Identifier: MIT
/* The programs on the scheduler's tracepoints, for idle threads alone. idle_points.h describes their records.
 * Both tracepoints run with interrupts off, so that no program runs inside another. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/idle_points.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

enum { NOT_OPEN = -2 /* ENOENT */, NOT_ENABLED = -95 /* EOPNOTSUPP */ };

#define OUTPUTS(name)                                        \
	struct {                                             \
		__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); \
		__uint(key_size, sizeof(__u32));             \
		__uint(value_size, sizeof(__u32));           \
	} name SEC(".maps")
/* By CPU: events "bpf-output". */
OUTPUTS(switches);
OUTPUTS(wakes);

/* By CPU * WT_BPF_IDLE_WHATS + enum wt_bpf_idle_what: records that were written to an event that was enabled,
 * whether there was room or not. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WT_BPF_IDLE_CPUS *WT_BPF_IDLE_WHATS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

#if defined(__TARGET_ARCH_arm64)
static unsigned int preempt_count(void)
{
	const struct task_struct *task = (void *)bpf_get_current_task_btf();

	return task->thread_info.preempt.count;
}
#else
/* One of the two is there: the first from Linux 6.2 to 6.14. */
extern const struct pcpu_hot pcpu_hot __ksym __weak;
extern const int __preempt_count __ksym __weak;

static unsigned int preempt_count(void)
{
	if (&__preempt_count)
		return *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	if (bpf_core_field_exists(pcpu_hot.preempt_count))
		return ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
	return WT_BPF_NOT_TOLD;
}
#endif

static void count(long written, __u32 what)
{
	__u32 at = bpf_get_smp_processor_id() * WT_BPF_IDLE_WHATS + what;
	__u64 *n;

	if (written == NOT_OPEN || written == NOT_ENABLED)
		return;
	n = bpf_map_lookup_elem(&counts, &at);
	if (n)
		++*n;
}

SEC("tp_btf/sched_switch") int idle_leaves(unsigned long long *ctx)
{
	const struct task_struct *old = (void *)ctx[1], *new = (void *)ctx[2];
	struct wt_bpf_idle_switch record;

	if (old->pid)
		return 0;
	record.new_tid = new->pid;
	record.new_priority = new->prio;
	record.old_priority = old->prio;
	count(bpf_perf_event_output(ctx, &switches, BPF_F_CURRENT_CPU, &record, sizeof(record)),
	      WT_BPF_IDLE_SWITCH);
	return 0;
}

static void put_wake(void *ctx, const struct task_struct *task, unsigned int context)
{
	struct wt_bpf_idle_wake record;

	record.tid = task->pid;
	record.priority = task->prio;
	record.target_cpu = task->thread_info.cpu;
	record.preempt_count = context;
	count(bpf_perf_event_output(ctx, &wakes, BPF_F_CURRENT_CPU, &record, sizeof(record)),
	      WT_BPF_IDLE_WAKE);
}

/* One of these two. The first needs the address of a variable, which not every kernel tells. */

SEC("tp_btf/sched_waking") int idle_wakes(unsigned long long *ctx)
{
	if (!(__u32)bpf_get_current_pid_tgid())
		put_wake(ctx, (void *)ctx[0], preempt_count());
	return 0;
}

SEC("tp_btf/sched_waking") int idle_wakes_somehow(unsigned long long *ctx)
{
	if (!(__u32)bpf_get_current_pid_tgid())
		put_wake(ctx, (void *)ctx[0], WT_BPF_NOT_TOLD);
	return 0;
}

char permission[] SEC("license") = "Dual MIT/GPL";
