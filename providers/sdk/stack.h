/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The calling thread's stack by frame pointers.
 */
#ifndef PROVIDERS_SDK_STACK_H
#define PROVIDERS_SDK_STACK_H

#include <stdint.h>

/** Deepest stack of an event. */
#define WT_SDK_FRAMES 128

/** A stack as records hold it. */
struct wt_sdk_stack {
	uint16_t n;
	uint8_t status; /**< 1 walked to the end of the chain, 3 cut: enum wt_stack_status */
	uint8_t zero[5];
	uint64_t pc[WT_SDK_FRAMES];
};

/** Walks from the frame whose frame pointer is given (its own return address is the innermost entry). Reads
 * only inside the thread's stack, whose bounds the first call of a thread finds (system calls); a chain that
 * leaves them ends there. On an alternate signal stack, or any other the thread did not start on, only the
 * innermost address is given. Async-signal-safe, keeps errno. Returns the bytes of *ret in use. */
uint32_t wt_sdk_walk(const void *frame, struct wt_sdk_stack *ret);

#endif
