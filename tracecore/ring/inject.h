/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The numbered points of RING.md at which the stress test kills a writer. They are empty in a normal build.
 *
 * With WT_RING_INJECTION a writer that reaches point number wt_ring_inject_at executes an undefined
 * instruction. SIGILL then ends the process: every earlier store is done and no later one.
 */
#ifndef TRACECORE_RING_INJECT_H
#define TRACECORE_RING_INJECT_H

#ifdef WT_RING_INJECTION
/** 0: none. */
extern volatile int wt_ring_inject_at;
#define WT_RING_INJECT(n)                   \
	do {                                \
		if (wt_ring_inject_at == n) \
			WT_RING_DIE();      \
	} while (0)
/** For asm goto; the text may use the scratch registers that the section declares. */
#if defined(__x86_64__)
#define WT_RING_DIE() __asm__ volatile("ud2")
#define WT_RING_INJECT_ASM(n)                        \
	"cmpl $" #n ", wt_ring_inject_at(%%rip)\n\t" \
	"jne 99f\n\t"                                \
	"ud2\n"                                      \
	"99:\n\t"
#else
#define WT_RING_DIE() __asm__ volatile("udf #0")
#define WT_RING_INJECT_ASM(n)                         \
	"adrp x16, wt_ring_inject_at\n\t"             \
	"ldr w16, [x16, :lo12:wt_ring_inject_at]\n\t" \
	"cmp w16, #" #n "\n\t"                        \
	"b.ne 99f\n\t"                                \
	"udf #0\n"                                    \
	"99:\n\t"
#endif
#else
#define WT_RING_INJECT(n)     ((void)0)
#define WT_RING_INJECT_ASM(n) ""
#endif

#endif
