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

/** A stack in the form of records. */
struct wt_sdk_stack {
	uint16_t n;
	uint8_t status; /**< enum wt_stack_status */
	/** The frames that a signal interrupted, as index + 1, ascending; 0: no more. All others, including
	 * the innermost, are return addresses. */
	uint8_t interrupted[5];
	uint64_t pc[WT_SDK_FRAMES];
};

/** The frame of a function, where a walk begins. */
struct wt_sdk_frame {
	const uintptr_t *record; /**< its frame pointer: {the caller's, the return address} */
	uintptr_t sp;            /**< the caller's stack pointer at the return; 0: unknown */
};

/** The frame of the function that contains the macro. */
#if defined(__clang__) && defined(__aarch64__)
/* clang's built-in does not know the size of the frame there. */
#define WT_SDK_HERE ((struct wt_sdk_frame){(const uintptr_t *)__builtin_frame_address(0), 0})
#else
#define WT_SDK_HERE                                                           \
	((struct wt_sdk_frame){(const uintptr_t *)__builtin_frame_address(0), \
			       (uintptr_t)__builtin_dwarf_cfa()})
#endif

/** Most bytes of stack that a walk takes, including the system calls of its first steps through a module, and
 * some for a signal that comes in the meantime. */
#define WT_SDK_WALK_ROOM 10240u

/** True when the caller is on the stack its thread was started on, and that much of it is left. A thread's
 * first call finds the stack (system calls). Where the stack cannot be found, and on any other stack, the
 * answer is false. Takes less than 400 bytes of stack. Async-signal-safe, keeps errno. */
bool wt_sdk_can_walk(struct wt_sdk_frame frame);

/** Walks from a live frame, after wt_sdk_can_walk() in the same function: its own return address is the
 * innermost entry. Reads only inside the thread's stack and the data of wt_sdk_find_module; a chain that
 * leaves them ends there. Async-signal-safe, keeps errno. Returns the bytes of *ret in use. */
uint32_t wt_sdk_walk(struct wt_sdk_frame frame, struct wt_sdk_stack *ret);

/** A stack of only its innermost entry, TRUNCATED, in the form of records. */
struct wt_sdk_innermost {
	uint16_t n;
	uint8_t status;
	uint8_t interrupted[5];
	uint64_t pc;
};

/** Makes the stack where wt_sdk_can_walk() returns false. Returns the bytes of *ret. */
uint32_t wt_sdk_innermost(struct wt_sdk_frame frame, struct wt_sdk_innermost *ret);

#endif
