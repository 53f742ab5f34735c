/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Facts about a process that come from the kernel alone and that the process cannot choose.
 */
#ifndef TRACECORE_BASE_PROC_H
#define TRACECORE_BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>

/** The process's real user id; UINT32_MAX: the process has ended or may not be seen. The owner of /proc/PID
 * would not do: it is root for each process that cannot be dumped. */
uint32_t wt_proc_uid(uint32_t pid);
/** True when the process runs or waits for nothing but a CPU. */
bool wt_proc_is_runnable(uint32_t pid);

#endif
