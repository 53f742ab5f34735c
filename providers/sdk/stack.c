// SPDX-License-Identifier: MIT
/* Both before walk_core.h. */
#define WT_WALK_OWN_STACK
#define WT_WALK_MAX 128u
#include "providers/sdk/stack.h"

#include <stddef.h>

#include "providers/sdk/bounds.h"
#include "providers/sdk/modules.h"
#include "providers/sdk/thread.h"

/* enum wt_stack_status of tracecore/event.h, which is not visible to programs. */
enum {
	STATUS_FP = 1,
	STATUS_COMPLETE = 2,
	STATUS_TRUNCATED = 3,
	STATUS_NO_DATA = 8,
	STATUS_BAD_MEMORY = 9,
	STATUS_DEPTH = 10,
	STATUS_RECURSION = 11,
};

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

_Static_assert(WT_SDK_FRAMES <= WT_WALK_MAX, "frames");

/* Walks from the frame record at fp outwards; the innermost entry is stored already. */
static uint8_t walk_by_pointers(const struct wt_sdk_thread *thread, uintptr_t fp, uint64_t *pc, unsigned *n)
{
	const uintptr_t *record = (const uintptr_t *)fp;

	/* Callers lie above their callees, so a chain that does not climb is invalid. */
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

bool wt_sdk_can_walk(struct wt_sdk_frame frame)
{
	struct wt_sdk_thread *thread = &wt_sdk_thread;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!thread->stack_known)
		wt_sdk_find_bounds(thread);
	return thread->stack_known == WT_SDK_STACK_KNOWN && inside(thread, here) &&
	       here - thread->stack_low >= WT_SDK_WALK_ROOM && inside(thread, (uintptr_t)frame.record);
}

uint32_t wt_sdk_innermost(struct wt_sdk_frame frame, struct wt_sdk_innermost *ret)
{
	*ret = (struct wt_sdk_innermost){
		.n = 1, .status = STATUS_TRUNCATED, .pc = address_of(frame.record[1])};
	return sizeof(*ret);
}

uint32_t wt_sdk_walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret)
{
	const struct wt_sdk_thread *thread = &wt_sdk_thread;
	uintptr_t fp = (uintptr_t)frame.record;
	unsigned n = 1;

	*(uint64_t *)ret = 0;
	ret->pc[0] = address_of(frame.record[1]);
	if (frame.sp > fp && frame.sp <= thread->stack_end && wt_sdk_modules_known())
		n = walk_by_tables(thread, &frame, ret);
	else
		ret->status = walk_by_pointers(thread, fp, ret->pc, &n);
	ret->n = (uint16_t)n;
	return (uint32_t)(offsetof(struct wt_sdk_stack, pc) + n * sizeof(ret->pc[0]));
}
