/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Proves that a thread has waited all the time since a switch: from the kernel's count of its switches and
 * from the place where it is now (UNWIND.md section 4).
 */
#ifndef CONSUMERS_UNWIND_STAY_H
#define CONSUMERS_UNWIND_STAY_H

#include "consumers/record/user_stack.h"

/** True when memory that was read from the thread's process before this call is that of the wait in the dump:
 * the thread has not run since. It must be the process that the task names. direct: as in wt_thread_place. */
bool wt_stay_is_proved(const struct wt_unwind_task *task, const struct wt_stack_dump *dump, bool direct);
/** Asks the kernel for the count of a thread of which it is not known, for its later waits. */
void wt_stay_ask(const struct wt_unwind_task *task, bool direct);

#endif
