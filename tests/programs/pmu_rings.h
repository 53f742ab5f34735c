/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Rings the scripted PMU (tests/vm/pmu/law.h) at the place in the program where this is written: a macro with
 * the system call in it, since samples of an inlined function would be shown as that function's.
 */
#ifndef TESTS_PROGRAMS_PMU_RINGS_H
#define TESTS_PROGRAMS_PMU_RINGS_H

#include <sys/syscall.h>

#include "tests/vm/pmu/law.h"

#define RING_DEVICE "/dev/scripted_pmu"

/** Writes an array of struct scripted_ring to the device; ret: long, the bytes it took, all or none (below
 * 0). */
#ifdef __x86_64__
#define RING_HERE(device, rings, ret)                                                                \
	__asm__ volatile("syscall"                                                                   \
			 : "=a"(ret)                                                                 \
			 : "0"((long)SYS_write), "D"((long)(device)), "S"(rings), "d"(sizeof(rings)) \
			 : "rcx", "r11", "memory")
#else
#define RING_HERE(device, rings, ret)                                                                   \
	__asm__ volatile("mov x8, %1\n\tmov x0, %2\n\tmov x1, %3\n\tmov x2, %4\n\tsvc #0\n\tmov %0, x0" \
			 : "=r"(ret)                                                                    \
			 : "r"((long)SYS_write), "r"((long)(device)), "r"(rings), "r"(sizeof(rings))    \
			 : "x0", "x1", "x2", "x8", "memory")
#endif

#endif
