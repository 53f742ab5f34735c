// SPDX-License-Identifier: MIT
/* The program on sampling events: filters samples and copies stacks on. sample.h describes its settings and
 * its output. */
#include "providers/perf/bpf/kernel.h"
#include "providers/perf/bpf/sample.h"

#include <bpf/bpf_helpers.h>

struct wt_bpf_settings settings;

/* Processes that are sampled when settings.filter is set: by process id; enum wt_bpf_process. Allocated at
 * once, because kernels before Linux 6.1 require that of maps used in interrupts. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WT_BPF_PROCESSES);
	__type(key, __u32);
	__type(value, __u8);
} processes SEC(".maps");

/* By CPU: an event "bpf-output" whose records go into the ring of the CPU's samples. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} outputs SEC(".maps");

/* Room for a piece. One for each CPU is enough, because the kernel runs no such program inside another. The
 * counts are here and not in `copy`: the verifier does not track values in a map, so it walks a loop a few
 * times and not once for each value (24 ms to load the program, not 150). */
struct room {
	struct wt_bpf_piece head;
	__u8 data[WT_BPF_PIECE_BYTES];
	__u32 filled;  /* bytes of data */
	__u32 missing; /* consecutive pages that could not be read */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct room);
} rooms SEC(".maps");

/* Returns false when the sample is of a process that was not requested. */
static int is_wanted(void)
{
	__u32 process = bpf_get_current_pid_tgid() >> 32;
	const __u8 *known;

	if (!settings.filter)
		return 1;
	known = bpf_map_lookup_elem(&processes, &process);
	return known && *known != WT_BPF_FROM_EXEC;
}

/* Programs that follow processes; attached where samples are filtered. */

SEC("tp_btf/sched_process_fork") int forked(unsigned long long *ctx)
{
	const struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	__u32 from = parent->tgid, to = child->tgid;
	const __u8 *known = from == to ? 0 : bpf_map_lookup_elem(&processes, &from);
	__u8 value;

	if (!known) {
		/* The pid may also be that of a process that has not quite ended. */
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

/* Most pages of the kernel's copy, and one. */
enum { LOOKS = 17 };

/* Most consecutive unreadable pages in a stack whose end is not known, and most bytes of its copy: other
 * memory may follow it directly, like the code of a library. */
enum { MISSING_MOST = 64, ENDLESS_MOST = 256 << 10 };

struct copy {
	struct bpf_perf_event_data *ctx;
	struct room *room;
	__u64 next, stop; /* addresses */
	__s32 failed;     /* negative errno: a piece could not be written */
	__u32 knows_stop; /* missing pages before this address were never written, or are not in memory */
};

/* Writes the piece in the room; end: enum wt_bpf_end. */
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

/* Copies up to the next page. Returns 1 when all is copied. */
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
	/* The verifier of Linux 6.1 has to see the bound on the register that is passed. */
	__asm__ volatile("" : "+r"(n));
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

/* True for an unknown thread whose stack is larger than the kernel's copy. That copy also ends at the first
 * page that was never written. A stack that seems to have no end, or whose end cannot be found, is copied
 * only after it was cut once. */
static int may_be_cut(__u64 sp, __u64 end)
{
	struct look look = {.at = sp, .end = end};

	if (end > sp + settings.copy_from)
		return end <= sp + settings.copy_most;
	bpf_loop(LOOKS, look_at_page, &look, 0);
	return look.hole;
}

/* ---- stacks for signals ---- */

/* Words that are searched at a time, and number of searches: kernels put the frame of the first signal at
 * the top. */
enum { WORDS = 512, PAGES_OF_FRAME = 4 };

struct other {
	struct room *room; /* with the page at `from`, and two words more */
	__u64 at, size;    /* the stack for signals */
	__u64 from;
	__u64 sp; /* result: stack pointer of the code interrupted on another stack; 0: not found yet */
};

static int is_inside(const struct other *other, __u64 sp)
{
	return sp - other->at - 1 < other->size;
}

/* Looks at the last word first, because the first signal's frame is the highest. */
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

/* Goes page by page: the page below the frame may never have been written. The result only decides what is
 * copied; the walk finds its way by itself. */
static void find_interrupted(struct other *other)
{
	__u64 *words = (__u64 *)other->room->data;

	other->from = ((other->at + other->size - 1) & ~(WT_BPF_PAGE - 1ULL)) + WT_BPF_PAGE;
	for (__u32 i = 0; i < PAGES_OF_FRAME && !other->sp; i++) {
		/* The words behind a page's last words. */
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

/* Copies from the stack for signals, and on from the place where it was entered. Returns the end of the
 * latter. */
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

/* In a system call that gives the thread other registers. */
static int is_changing(struct task_struct *task)
{
	const struct pt_regs *regs = (const void *)bpf_task_pt_regs(task);
	CALL_NUMBER number = 0;

	if (task->flags & PF_KTHREAD || bpf_probe_read_kernel(&number, sizeof(number), &regs->CALL))
		return 0;
	return number == NR_EXECVE || number == NR_EXECVEAT || number == NR_RT_SIGRETURN;
}

/* Returns -1 when the ring has no room: the kernel counts the piece as lost, so the sample has to be
 * dropped. After any other failure the sample stays, cut as it is. changing: says only that the registers are
 * being changed. One function for both: kernels before 6.13 allow 512 bytes for all variables. */
static int copy_on(struct bpf_perf_event_data *ctx, struct task_struct *task, __u8 mark, int changing)
{
	struct other other = {.at = task->sas_ss_sp, .size = task->sas_ss_size};
	struct copy copy = {.ctx = ctx};
	struct pt_regs regs;
	__u64 end = ~0ULL, sp;
	__u32 zero = 0, most = settings.copy_most;

	if (task->flags & PF_KTHREAD)
		return 0;
	if (bpf_probe_read_kernel(&regs, sizeof(regs), (const void *)bpf_task_pt_regs(task)))
		return 0;
	sp = sp_of(&regs);
	/* While another thread changes mappings, and for a second sample in one interrupt, they cannot be
	 * looked up; then many unreadable pages count as the end. */
	if (!changing && !is_inside(&other, sp)) {
		copy.knows_stop = !bpf_find_vma(task, sp, end_of_stack, &end, 0);
		if (mark != WT_BPF_MARK_DEEP && (!copy.knows_stop || !may_be_cut(sp, end)))
			return 0;
		if (!copy.knows_stop)
			most = ENDLESS_MOST;
	}
	copy.room = bpf_map_lookup_elem(&rooms, &zero);
	if (!copy.room)
		return 0;
	copy.room->head = (struct wt_bpf_piece){.regs = hash_of(&regs), .sp = sp, .address = sp};
	copy.room->filled = 0;
	if (changing) {
		put_piece(&copy, WT_BPF_CHANGING);
		return copy.failed == -ENOSPC ? -1 : 0;
	}
	copy.next = sp;
	if (is_inside(&other, sp))
		end = copy_both(&copy, task, &other);
	else
		copy_to(&copy, sp, end - sp < most ? end : sp + most);
	if (copy.failed >= 0)
		put_piece(&copy, copy.next == end ? WT_BPF_STACK_END : WT_BPF_LIMIT);
	return copy.failed == -ENOSPC ? -1 : 0;
}

SEC("perf_event") int sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	int changing;
	__u8 mark;

	if (!is_wanted())
		return 0;
	changing = settings.copy_on && is_changing(task);
	mark = settings.marks[(__u32)bpf_get_current_pid_tgid() & (WT_BPF_THREADS - 1)];
	if (settings.copy_on && (changing || mark != WT_BPF_MARK_WHOLE))
		return copy_on(ctx, task, mark, changing) == 0;
	return 1;
}

char permission[] SEC("license") = "Dual MIT/GPL";
