/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The calling thread's stack, by unwind tables where sessions have published them and by frame pointers
 * elsewhere (STACKS.md).
 */
#ifndef PROVIDERS_SDK_STACK_H
#define PROVIDERS_SDK_STACK_H

#include <stdbool.h>
#include <stdint.h>

/** Deepest stack of an event. */
#define WT_SDK_FRAMES 128

/** A stack as records hold it. */
struct wt_sdk_stack {
	uint16_t n;
	uint8_t status; /**< enum wt_stack_status */
	/** Which frames were interrupted by a signal, as index + 1, ascending; 0: no more. All others, the
	 * innermost too, are addresses that are returned to. */
	uint8_t interrupted[5];
	uint64_t pc[WT_SDK_FRAMES];
};

/** The frame of a function, where a walk begins. */
struct wt_sdk_frame {
	const uintptr_t *record; /**< its frame pointer: {the caller's, the return address} */
	uintptr_t sp;            /**< the caller's stack pointer at the return; 0: not known */
};

/** The frame of the function that says it. */
#if defined(__clang__) && defined(__aarch64__)
/* clang's built-in does not know the size of the frame there. */
#define WT_SDK_HERE ((struct wt_sdk_frame){(const uintptr_t *)__builtin_frame_address(0), 0})
#else
#define WT_SDK_HERE                                                           \
	((struct wt_sdk_frame){(const uintptr_t *)__builtin_frame_address(0), \
			       (uintptr_t)__builtin_dwarf_cfa()})
#endif

/** Bytes of stack that a walk takes at most, with the system calls that its first steps through a module
 * make, and some for a signal that comes meanwhile. */
#define WT_SDK_WALK_ROOM 10240u

/** Whether the caller is on the stack its thread was started on, and so much of it is left. The first call of
 * a thread finds where that is (system calls); where that cannot be had, as on any other stack, it says no.
 * Takes less than 400 bytes of stack. Async-signal-safe, keeps errno. */
bool wt_sdk_can_walk(struct wt_sdk_frame frame);

/** Walks from a living frame, after wt_sdk_can_walk() in the same function: its own return address is the
 * innermost entry. Reads only inside the thread's stack and what wt_sdk_find_module says; a chain that leaves
 * them ends there. Async-signal-safe, keeps errno. Returns the bytes of *ret in use. */
uint32_t wt_sdk_walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret);

/** A stack of its innermost entry alone, TRUNCATED, as records hold it. */
struct wt_sdk_innermost {
	uint16_t n;
	uint8_t status;
	uint8_t interrupted[5];
	uint64_t pc;
};

/** The stack where wt_sdk_can_walk() says no. Returns the bytes of *ret. */
uint32_t wt_sdk_innermost(struct wt_sdk_frame frame, struct wt_sdk_innermost *ret);

#endif
