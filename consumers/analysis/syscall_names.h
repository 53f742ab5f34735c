/* SPDX-License-Identifier: MIT */
/** @file Names of system calls by number, on the machines that logs come from. */
#ifndef CONSUMERS_ANALYSIS_SYSCALL_NAMES_H
#define CONSUMERS_ANALYSIS_SYSCALL_NAMES_H

#include <stddef.h>
#include <stdint.h>

/** The name, *len bytes of it (not zero-ended); NULL: not known. machine as of uname(2): "x86_64". */
const char *wt_syscall_name(const char *machine, uint64_t number, size_t *len);

#endif
