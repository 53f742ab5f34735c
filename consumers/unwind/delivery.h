/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A signal that the kernel is about to deliver when a sample is taken (UNWIND.md section 1).
 *
 * The kernel writes the signal's frame below the interrupted code's stack and then changes the thread's
 * registers one by one: the stack pointer first, the instruction pointer after it. In between, the registers
 * are those of the interrupted code and the stack pointer is the handler's. The frame shows that: it has the
 * interrupted registers, and they still are the thread's.
 */
#ifndef CONSUMERS_UNWIND_DELIVERY_H
#define CONSUMERS_UNWIND_DELIVERY_H

#include <stdbool.h>

#include "tracecore/event.h"

/** True when a dump that was made while the thread was in the kernel may have been made in between. */
bool wt_delivery_is_midway(const struct wt_stack_dump *dump);

#endif
