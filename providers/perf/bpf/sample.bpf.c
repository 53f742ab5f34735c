// SPDX-License-Identifier: MIT
/* The program on sampling events: filters, copies on. sample.h says what it reads and what it writes. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/sample.h"

#include <bpf/bpf_helpers.h>

struct wt_bpf_settings settings;

/* Processes that are sampled when settings.filter is set: by process id; enum wt_bpf_process. Made at once:
 * kernels before Linux 6.1 want that of maps that are read in interrupts. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WT_BPF_PROCESSES);
	__type(key, __u32);
	__type(value, __u8);
} processes SEC(".maps");

/* By CPU, an event "bpf-output" whose records go into the ring of the CPU's samples. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outputs SEC(".maps");

/* Where a piece is made. One a CPU is enough: the kernel runs no program inside another. The counts are here
 * and not in `copy`: of what lies in a map the verifier knows no value, so it goes through a loop a few times
 * and not once for each value (24 ms to load it, not 150). */
struct room {
	struct wt_bpf_piece head;
	__u8 data[WT_BPF_PIECE_BYTES];
	__u32 filled;  /* bytes of data */
	__u32 missing; /* pages that could not be read, one behind the other */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct room);
} rooms SEC(".maps");

/* False: the sample is of a process that was not asked for. */
static int is_wanted(void)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	const __u8 *known;

	if (!settings.filter)
		return 1;
	known = bpf_map_lookup_elem(&processes, &process);
	return known && *known != WT_BPF_FROM_EXEC;
}

/* Those that follow processes; attached where samples are filtered. */

SEC("tp_btf/sched_process_fork") int forked(unsigned long long *ctx)
{
	const struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	__u32 from = parent->tgid, to = child->tgid;
	const __u8 *known = from == to ? 0 : bpf_map_lookup_elem(&processes, &from);
	__u8 value;

	if (!known) {
		/* The number may be that of one that is not quite gone. */
		if (from != to)
			bpf_map_delete_elem(&processes, &to);
		return 0;
	}
	value = *known;
	if (bpf_map_update_elem(&processes, &to, &value, BPF_ANY))
		__sync_fetch_and_add(&settings.unfollowed, 1);
	return 0;
}

SEC("tp_btf/sched_process_exec") int executed(unsigned long long *ctx)
{
	const struct task_struct *task = (void *)ctx[0];
	__u32 process = task->tgid;
	__u8 *known = bpf_map_lookup_elem(&processes, &process);

	if (known)
		*known = WT_BPF_NOW;
	return 0;
}

SEC("tp_btf/sched_process_exit") int exited(unsigned long long *ctx)
{
	const struct task_struct *task = (void *)ctx[0];
	__u32 process = task->tgid;
	__u8 *known = bpf_map_lookup_elem(&processes, &process);

	if (!known || task->signal->live.counter)
		return 0;
	if (*known == WT_BPF_NOW)
		*known = WT_BPF_ENDING;
	else
		bpf_map_delete_elem(&processes, &process);
	return 0;
}

SEC("tp_btf/sched_process_free") int freed(unsigned long long *ctx)
{
	const struct task_struct *task = (void *)ctx[0];
	__u32 process = task->tgid;
	const __u8 *known = task->pid == task->tgid ? bpf_map_lookup_elem(&processes, &process) : 0;

	if (known && *known == WT_BPF_ENDING)
		bpf_map_delete_elem(&processes, &process);
	return 0;
}

/* Pages of the kernel's copy at most, and one. */
enum { LOOKS = 17 };

/* Pages in a row that cannot be read, and may lie in a stack whose end is not known. */
enum { MISSING_MOST = 64 };

struct copy {
	struct bpf_perf_event_data *ctx;
	struct room *room;
	__u64 next, stop; /* addresses */
	__s32 failed;     /* negative errno: a piece could not be written */
	__u32 knows_stop; /* what cannot be read before it has not been written yet, or is not in memory */
};

/* Writes the piece that is in the room; end: enum wt_bpf_end. */
static int put_piece(struct copy *copy, __u32 end)
{
	struct room *room = copy->room;
	__u32 size = room->filled;

	if (size > WT_BPF_PIECE_BYTES)
		return -1;
	room->head.size = size;
	room->head.end = end;
	copy->failed = bpf_perf_event_output(copy->ctx, &outputs, BPF_F_CURRENT_CPU, room,
					     sizeof(room->head) + size);
	if (copy->failed < 0)
		return -1;
	room->head.number++;
	copy->room->filled = 0;
	return 0;
}

/* Copies up to the next page. 1: that was all. */
static long copy_page(__u32 i, struct copy *copy)
{
	__u64 n = WT_BPF_PAGE - (copy->next & (WT_BPF_PAGE - 1));
	__u32 at = copy->room->filled;

	if (copy->next >= copy->stop)
		return 1;
	if (n > copy->stop - copy->next)
		n = copy->stop - copy->next;
	if (at > WT_BPF_PIECE_BYTES - WT_BPF_PAGE) {
		if (put_piece(copy, WT_BPF_MORE) < 0)
			return 1;
		at = 0;
	}
	if (!at)
		copy->room->head.address = copy->next;
	if (n > WT_BPF_PAGE)
		return 1;
	if (!bpf_probe_read_user(copy->room->data + at, n, (const void *)copy->next)) {
		copy->room->filled = at + n;
		copy->room->missing = 0;
	} else if ((!copy->knows_stop && ++copy->room->missing > MISSING_MOST) ||
		   (at && put_piece(copy, WT_BPF_MORE) < 0)) {
		return 1;
	}
	copy->next += n;
	return 0;
}

static long end_of_stack(struct task_struct *task, struct vm_area_struct *vma, __u64 *end)
{
	*end = vma->vm_end;
	return 0;
}

static __u64 hash_of(const struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_arm64)
	return wt_bpf_hash(regs->regs, 33);
#else
	__u64 words[] = {regs->ax,  regs->bx,  regs->cx,  regs->dx,  regs->si, regs->di,
			 regs->bp,  regs->sp,  regs->ip,  regs->r8,  regs->r9, regs->r10,
			 regs->r11, regs->r12, regs->r13, regs->r14, regs->r15};

	return wt_bpf_hash(words, sizeof(words) / sizeof(words[0]));
#endif
}

static __u64 sp_of(const struct pt_regs *regs)
{
	return regs->sp;
}

struct look {
	__u64 at, end;
	__u32 hole;
};

static long look_at_page(__u32 i, struct look *look)
{
	char byte;

	if (look->at >= look->end)
		return 1;
	look->hole = bpf_probe_read_user(&byte, 1, (const void *)look->at) != 0;
	look->at = (look->at | (WT_BPF_PAGE - 1)) + 1;
	return look->hole;
}

/* Of a thread not known yet: its stack is larger than the kernel's copy, which ends at the first page that
 * was never written, too. One that seems to have no end is copied once it was cut. */
static int may_be_cut(__u64 sp, __u64 end)
{
	struct look look = {.at = sp, .end = end};

	if (end > sp + settings.copy_from)
		return end <= sp + settings.copy_most;
	bpf_loop(LOOKS, look_at_page, &look, 0);
	return look.hole;
}

/* ---- stacks for signals ---- */

/* Words that are looked through at a time, and times: kernels put the frame of the first signal at the top.
 */
enum { WORDS = 512, PAGES_OF_FRAME = 4 };

struct other {
	struct room *room; /* with the page `from`, and two words more */
	__u64 at, size;    /* the stack for signals */
	__u64 from;
	__u64 sp; /* found: of who was interrupted on another stack; 0: not yet */
};

static int is_inside(const struct other *other, __u64 sp)
{
	return sp - other->at - 1 < other->size;
}

/* The last word first: the first signal's frame is the highest. */
static long look_at_word(__u32 i, struct other *other)
{
	const __u64 *words = (const __u64 *)other->room->data;
	__u32 n = WORDS - 1 - (i & (WORDS - 1));
	__u64 sp;

	if (words[n] != other->at || words[n + 2] != other->size)
		return 0;
	if (bpf_probe_read_user(&sp, sizeof(sp), (const void *)(other->from + n * 8 + CONTEXT_SP)) ||
	    is_inside(other, sp))
		return 0;
	other->sp = sp;
	return 1;
}

/* Page by page: the one below the frame may never have been written. Whatever is found only says what is
 * copied: the walk finds its way by itself. */
static void find_interrupted(struct other *other)
{
	__u64 *words = (__u64 *)other->room->data;

	other->from = ((other->at + other->size - 1) & ~(WT_BPF_PAGE - 1ULL)) + WT_BPF_PAGE;
	for (__u32 i = 0; i < PAGES_OF_FRAME && !other->sp; i++) {
		/* What lies behind a page's last words. */
		words[WORDS] = i ? words[0] : 0;
		words[WORDS + 1] = i ? words[1] : 0;
		other->from -= WT_BPF_PAGE;
		if (!bpf_probe_read_user(words, WT_BPF_PAGE, (const void *)other->from))
			bpf_loop(WORDS, look_at_word, other, 0);
	}
}

/* ---- one sample ---- */

static void copy_to(struct copy *copy, __u64 from, __u64 stop)
{
	copy->next = from;
	copy->stop = stop;
	copy->room->missing = 0;
	bpf_loop(WT_BPF_COPY_MOST / WT_BPF_PAGE + 2, copy_page, copy, 0);
}

/* From the stack for signals, and on where it was entered from. Returns where that ends. */
static __u64 copy_both(struct copy *copy, struct task_struct *task, struct other *other)
{
	__u64 end = ~0ULL, from = copy->next, stop = other->at + other->size, left = settings.copy_most;

	if (stop - from > left)
		stop = from + left;
	copy->knows_stop = 1;
	copy_to(copy, from, stop);
	if (copy->failed < 0 || (copy->room->filled && put_piece(copy, WT_BPF_MORE) < 0))
		return end;
	other->room = copy->room;
	find_interrupted(other);
	if (!other->sp)
		return end;
	left -= stop - from;
	copy->knows_stop = !bpf_find_vma(task, other->sp, end_of_stack, &end, 0);
	copy_to(copy, other->sp, end - other->sp < left ? end : other->sp + left);
	return end;
}

/* -1: no room in the ring. The kernel counts that as lost, so the sample has to go. Whatever else goes wrong,
 * the sample stays as cut as it is. */
static int copy_on(struct bpf_perf_event_data *ctx, struct task_struct *task, __u8 mark)
{
	struct other other = {.at = task->sas_ss_sp, .size = task->sas_ss_size};
	struct copy copy = {.ctx = ctx};
	struct pt_regs regs;
	__u64 end = ~0ULL, sp;
	__u32 zero = 0;

	if (task->flags & PF_KTHREAD)
		return 0;
	if (bpf_probe_read_kernel(&regs, sizeof(regs), (const void *)bpf_task_pt_regs(task)))
		return 0;
	sp = sp_of(&regs);
	/* Where somebody changes mappings nobody can tell: then many pages that cannot be read are the end.
	 */
	if (!is_inside(&other, sp)) {
		copy.knows_stop = !bpf_find_vma(task, sp, end_of_stack, &end, 0);
		if (mark != WT_BPF_MARK_DEEP && copy.knows_stop && !may_be_cut(sp, end))
			return 0;
	}
	copy.room = bpf_map_lookup_elem(&rooms, &zero);
	if (!copy.room)
		return 0;
	copy.room->head = (struct wt_bpf_piece){.regs = hash_of(&regs), .sp = sp, .address = sp};
	copy.room->filled = 0;
	copy.next = sp;
	if (is_inside(&other, sp))
		end = copy_both(&copy, task, &other);
	else
		copy_to(&copy, sp, end - sp < settings.copy_most ? end : sp + settings.copy_most);
	if (copy.failed >= 0)
		put_piece(&copy, copy.next == end ? WT_BPF_STACK_END : WT_BPF_LIMIT);
	return copy.failed == -ENOSPC ? -1 : 0;
}

SEC("perf_event") int sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u8 mark;

	if (!is_wanted())
		return 0;
	mark = settings.marks[(__u32)bpf_get_current_pid_tgid() & (WT_BPF_THREADS - 1)];
	if (settings.copy_on && mark != WT_BPF_MARK_WHOLE)
		return copy_on(ctx, task, mark) == 0;
	return 1;
}

char permission[] SEC("license") = "Dual MIT/GPL";
