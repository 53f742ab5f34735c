// SPDX-License-Identifier: MIT
#define WT_WALK_OWN_STACK /* before walk_core.h */
#include "providers/sdk/stack.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "providers/sdk/modules.h"
#include "providers/sdk/thread.h"
#include "tracecore/base/high_fd.h"
#include "tracecore/base/quiet.h"
#include "tracecore/ring/standing.h"

/* enum wt_stack_status of tracecore/event.h, which programs do not see. */
enum {
	STATUS_FP = 1,
	STATUS_COMPLETE = 2,
	STATUS_TRUNCATED = 3,
	STATUS_NO_DATA = 8,
	STATUS_BAD_MEMORY = 9,
	STATUS_DEPTH = 10,
	STATUS_RECURSION = 11,
};

/* The main thread's stack grows; without a limit this much of it counts. */
#define UNLIMITED_STACK ((uintptr_t)1 << 30)

/** A line of /proc/self/maps being read, without a buffer for the line: only its two addresses matter. */
struct maps {
	uintptr_t value[2]; /**< low, end */
	unsigned field;     /**< 0, 1: reading that address; 2: behind them */
};

/* Takes one character; true when both addresses of a line are there. */
static bool maps_take(struct maps *maps, char c)
{
	unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;

	if (c == '\n') {
		*maps = (struct maps){{0, 0}, 0};
		return false;
	}
	if (maps->field == 2)
		return false;
	if (digit < 16) {
		maps->value[maps->field] = maps->value[maps->field] << 4 | digit;
		return false;
	}
	return ++maps->field == 2;
}

/* The mapping that holds the address. */
static bool find_mapping(uintptr_t address, struct maps *ret)
{
	char buffer[512];
	ssize_t n;
	int fd = wt_high_fd(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
	struct maps maps = {{0, 0}, 0};
	bool found = false;

	if (fd < 0)
		return false;
	while (!found && (n = read(fd, buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < n && !found; i++) {
			found = maps_take(&maps, buffer[i]) && maps.value[0] <= address &&
				address < maps.value[1];
			if (found)
				*ret = maps;
		}
	close(fd);
	return found;
}

static uintptr_t stack_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= UNLIMITED_STACK)
		return UNLIMITED_STACK;
	return (uintptr_t)limit.rlim_cur;
}

/* A thread made by libpthread has its control block at the top of its stack, in the same mapping; what lies
 * above is not stack. The main thread's is elsewhere, and its mapping grows downwards up to the limit. */
static void find_bounds(struct wt_sdk_thread *thread, uintptr_t sp)
{
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();
	struct maps maps;
	stack_t alternate;

	if (sigaltstack(NULL, &alternate) || alternate.ss_flags & SS_ONSTACK)
		return; /* this is not the thread's own stack: ask again later */
	if (!find_mapping(sp, &maps)) {
		thread->stack_known = 2;
		return;
	}
	thread->stack_low = maps.value[0];
	thread->stack_end = maps.value[1];
	if (sp < self && self < maps.value[1])
		thread->stack_end = self;
	else if (maps.value[1] > stack_limit())
		thread->stack_low = maps.value[1] - stack_limit();
	__atomic_signal_fence(__ATOMIC_RELEASE);
	thread->stack_known = 1;
}

static void know_bounds(struct wt_sdk_thread *thread, uintptr_t sp)
{
	struct wt_quiet quiet;

	if (!wt_may_call())
		return;
	quiet = wt_quiet_begin();
	find_bounds(thread, sp);
	wt_quiet_end(&quiet);
}

/* A frame record: the caller's frame pointer and the return address, on x86-64 and on arm64. */
static bool inside(const struct wt_sdk_thread *thread, uintptr_t frame)
{
	return frame >= thread->stack_low && frame < thread->stack_end &&
	       thread->stack_end - frame >= 2 * sizeof(uintptr_t) && frame % sizeof(uintptr_t) == 0;
}

#if defined(__aarch64__)
#define MACHINE wt_walk_aarch64

/* Return addresses may be signed: the bits above the address space are not part of them. */
static uint64_t address_of(uintptr_t pc)
{
	return pc & ((UINT64_C(1) << 48) - 1);
}
#else
#define MACHINE wt_walk_x86_64

static uint64_t address_of(uintptr_t pc)
{
	return pc;
}
#endif

/* From the frame record at fp outwards; the innermost entry is there already. */
static uint8_t walk_by_pointers(const struct wt_sdk_thread *thread, uintptr_t fp, uint64_t *pc, unsigned *n)
{
	const uintptr_t *record = (const uintptr_t *)fp;

	/* Callers lie above their callees: a chain that does not climb is no chain. */
	while (record[0] > fp && inside(thread, record[0])) {
		fp = record[0];
		record = (const uintptr_t *)fp;
		if (!record[1])
			break;
		if (*n == WT_SDK_FRAMES)
			return STATUS_TRUNCATED;
		pc[(*n)++] = address_of(record[1]);
	}
	return STATUS_FP;
}

/* A walk in which frame pointers were followed may lack frames, however it ended. */
static uint8_t status_of(const struct wt_walk_result *walk)
{
	static const uint8_t by_tables[] = {
		[WT_WALK_COMPLETE] = STATUS_COMPLETE,     [WT_WALK_COMPLETED] = STATUS_COMPLETE,
		[WT_WALK_TRUNCATED] = STATUS_BAD_MEMORY,  [WT_WALK_NO_DATA] = STATUS_NO_DATA,
		[WT_WALK_BAD_MEMORY] = STATUS_BAD_MEMORY, [WT_WALK_DEPTH] = STATUS_DEPTH,
		[WT_WALK_RECURSION] = STATUS_RECURSION,
	};
	bool cut = walk->status == WT_WALK_DEPTH || walk->status == WT_WALK_RECURSION;

	if (walk->n_fp)
		return cut ? STATUS_TRUNCATED : STATUS_FP;
	return by_tables[walk->status];
}

static void mark_interrupted(const struct wt_walk_result *walk, struct wt_sdk_stack *ret)
{
	unsigned n = 0;

	for (uint32_t word = 0; word * 64 < walk->n; word++)
		for (uint64_t left = walk->exact[word]; left && n < sizeof(ret->interrupted);
		     left &= left - 1) {
			uint32_t frame = word * 64 + (uint32_t)__builtin_ctzll(left);

			if (frame < walk->n)
				ret->interrupted[n++] = (uint8_t)(frame + 1);
		}
}

static unsigned walk_by_tables(const struct wt_sdk_thread *thread, const struct wt_sdk_frame *frame,
			       struct wt_sdk_stack *ret)
{
	struct wt_walk_regs regs; /* a walk from a caller reads three of them */
	struct wt_walk_result walk;
	const struct wt_walk_input in = {
		.regs = &regs,
		.window = (const uint8_t *)frame->sp,
		.window_at = frame->sp,
		.window_size = thread->stack_end - frame->sp,
		.find = wt_sdk_find_module,
		.cache = &wt_sdk_walk_cache,
		.options = WT_WALK_WHOLE_STACK | WT_WALK_FROM_CALLER | WT_WALK_ASK,
		.max = WT_SDK_FRAMES,
		.pc = ret->pc,
	};

	regs.pc = address_of(frame->record[1]);
	regs.r[MACHINE.sp] = frame->sp;
	regs.r[MACHINE.fp] = frame->record[0];
	wt_walk_run(&in, &walk, &MACHINE);
	ret->status = status_of(&walk);
	mark_interrupted(&walk, ret);
	return walk.n;
}

uint32_t wt_sdk_walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret)
{
	struct wt_sdk_thread *thread = &wt_sdk_thread;
	uintptr_t fp = (uintptr_t)frame.record;
	unsigned n = 1;

	if (!thread->stack_known)
		know_bounds(thread, fp);
	*(uint64_t *)ret = 0;
	ret->pc[0] = address_of(frame.record[1]);
	ret->status = STATUS_TRUNCATED;
	if (thread->stack_known == 1 && inside(thread, fp)) {
		if (frame.sp > fp && frame.sp <= thread->stack_end && wt_sdk_modules_known())
			n = walk_by_tables(thread, &frame, ret);
		else
			ret->status = walk_by_pointers(thread, fp, ret->pc, &n);
	}
	ret->n = (uint16_t)n;
	return (uint32_t)(offsetof(struct wt_sdk_stack, pc) + n * sizeof(ret->pc[0]));
}
