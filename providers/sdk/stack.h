/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The calling thread's stack, by unwind tables where sessions have published them and by frame pointers
 * elsewhere (STACKS.md).
 */
#ifndef PROVIDERS_SDK_STACK_H
#define PROVIDERS_SDK_STACK_H

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

/** Walks from a living frame: its own return address is the innermost entry. Reads only inside the thread's
 * stack, whose bounds the first call of a thread finds (system calls), and what wt_sdk_find_module says; a
 * chain that leaves them ends there. On an alternate signal stack, or any other the thread did not start on,
 * only the innermost address is given. Async-signal-safe, keeps errno. Returns the bytes of *ret in use. */
uint32_t wt_sdk_walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret);

#endif
