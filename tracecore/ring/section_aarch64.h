/* SPDX-License-Identifier: MIT */
/** @file The sections for arm64. Empty elsewhere. Included by section.h. */
#ifndef TRACECORE_RING_SECTION_AARCH64_H
#define TRACECORE_RING_SECTION_AARCH64_H
#if defined(__aarch64__)

#include "tracecore/ring/section.h"

/* The descriptor, then its publication. Labels: 1 start, 2 after the commit, 4 the abort handler. The
 * signature (a brk) stands before label 4. */
#define WT_SECTION_BEGIN                     \
	".pushsection __rseq_cs, \"aw\"\n\t" \
	".balign 32\n"                       \
	"3:\n\t"                             \
	".long 0, 0\n\t"                     \
	".quad 1f, 2f - 1f, 4f\n\t"          \
	".popsection\n\t"                    \
	"adrp x16, 3b\n\t"                   \
	"add x16, x16, :lo12:3b\n\t"         \
	"str x16, [%[rseq], #8]\n"           \
	"1:\n\t"                             \
	"ldr w16, [%[rseq], #4]\n\t"         \
	"cmp w16, %w[cpu]\n\t"               \
	"b.ne %l[aborted]\n\t"
#define WT_SECTION_END       \
	"2:\n\t"             \
	"b 10f\n\t"          \
	".inst 0xd428bc00\n" \
	"4:\n\t"             \
	"b %l[aborted]\n"    \
	"10:\n\t"

/* Copies the pieces to the memory after the header at dst. 6: the next piece; then 16 bytes at a time,
 * then the rest: the length modulo 16 is still in its low bits. 9: no more. */
/* clang-format off */
#define WT_SECTION_COPY_PIECES \
	"add x11, %[dst], #32\n\t" \
	"ldp x12, x13, [%[record], #32]\n" \
	"6:\n\t" \
	"cmp x12, x13\n\t" \
	"b.eq 9f\n\t" \
	"ldr x14, [x12]\n\t" \
	"ldr w15, [x12, #8]\n\t" \
	"add x12, x12, #16\n\t" \
	"b 71f\n" \
	"7:\n\t" \
	"ldp x9, x10, [x14], #16\n\t" \
	"stp x9, x10, [x11], #16\n" \
	"71:\n\t" \
	"subs w15, w15, #16\n\t" \
	"b.hs 7b\n\t" \
	"tbz w15, #3, 81f\n\t" \
	"ldr x9, [x14], #8\n\t" \
	"str x9, [x11], #8\n" \
	"81:\n\t" \
	"tbz w15, #2, 82f\n\t" \
	"ldr w9, [x14], #4\n\t" \
	"str w9, [x11], #4\n" \
	"82:\n\t" \
	"tbz w15, #1, 83f\n\t" \
	"ldrh w9, [x14], #2\n\t" \
	"strh w9, [x11], #2\n" \
	"83:\n\t" \
	"tbz w15, #0, 6b\n\t" \
	"ldrb w9, [x14], #1\n\t" \
	"strb w9, [x11], #1\n\t" \
	"b 6b\n" \
	"9:\n\t"
/* clang-format on */

static inline struct wt_rseq *wt_section_rseq(ptrdiff_t offset)
{
	char *self;

	__asm__("mrs %0, tpidr_el0" : "=r"(self));
	return (struct wt_rseq *)(void *)(self + offset);
}

/** isb: the counter is read at this place, as in the kernel. */
static inline uint64_t wt_section_tick(void)
{
	uint64_t tick;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(tick)::"memory");
	return tick;
}

static inline void wt_section_end(struct wt_rseq *rseq)
{
	__atomic_store_n(&rseq->rseq_cs, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** head: &ring->head. stlr commits: the record is visible before it. */
static inline __attribute__((always_inline)) enum wt_section_result wt_section_write(
	struct wt_rseq *rseq, uint32_t cpu, uint64_t *head, uint64_t expect, uint64_t commit, uint8_t *dst,
	const struct wt_section_record *record)
{
	/* clang-format off */
	__asm__ volatile goto(
		WT_SECTION_BEGIN
		"ldr x16, [%[head], #8]\n\t"
		"cbnz x16, %l[closed]\n\t"
		"ldr x16, [%[head]]\n\t"
		"cmp x16, %[expect]\n\t"
		"b.ne %l[changed]\n\t"
		WT_RING_INJECT_ASM(1)
		"ldr x17, [%[record], #16]\n\t"
		"cbnz x17, 5f\n\t"
		"isb\n\t"
		"mrs x17, cntvct_el0\n"
		"5:\n\t"
		"ldp x9, x10, [%[record]]\n\t"
		"stp x9, x10, [%[dst]]\n\t"
		"ldr x9, [%[record], #24]\n\t"
		"stp x17, x9, [%[dst], #16]\n\t"
		WT_RING_INJECT_ASM(2)
		WT_SECTION_COPY_PIECES
		WT_RING_INJECT_ASM(3)
		"stlr %[commit], [%[head]]\n"
		WT_SECTION_END
		:
		: [rseq] "r"(rseq), [cpu] "r"(cpu), [head] "r"(head), [expect] "r"(expect), [commit] "r"(commit),
		  [dst] "r"(dst), [record] "r"(record)
		: "memory", "cc", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17"
		: aborted, changed, closed);
	/* clang-format on */
	wt_section_end(rseq);
	return WT_SECTION_DONE;
aborted:
	wt_section_end(rseq);
	return WT_SECTION_ABORTED;
changed:
	wt_section_end(rseq);
	return WT_SECTION_CHANGED;
closed:
	wt_section_end(rseq);
	return WT_SECTION_CLOSED;
}

/** As wt_section_write, for one piece, p[len]; the pieces in record are not used, and the tick is the
 * counter's. */
static inline __attribute__((always_inline)) enum wt_section_result wt_section_write_one(
	struct wt_rseq *rseq, uint32_t cpu, uint64_t *head, uint64_t expect, uint64_t commit, uint8_t *dst,
	struct wt_section_record *record, const void *p, uint32_t len)
{
	struct wt_ring_piece piece = {p, len};

	record->tick = 0;
	record->piece = &piece;
	record->piece_end = &piece + 1;
	return wt_section_write(rseq, cpu, head, expect, commit, dst, record);
}

static inline enum wt_section_result wt_section_store(struct wt_rseq *rseq, uint32_t cpu,
						      const uint64_t *closed_word, const uint64_t *word,
						      uint64_t expect, uint64_t *to, uint64_t value)
{
	/* clang-format off */
	__asm__ volatile goto(
		WT_SECTION_BEGIN
		"ldr x16, [%[closed_word]]\n\t"
		"cbnz x16, %l[closed]\n\t"
		"ldr x16, [%[word]]\n\t"
		"cmp x16, %[expect]\n\t"
		"b.ne %l[changed]\n\t"
		"stlr %[value], [%[to]]\n"
		WT_SECTION_END
		:
		: [rseq] "r"(rseq), [cpu] "r"(cpu), [closed_word] "r"(closed_word), [word] "r"(word),
		  [expect] "r"(expect), [to] "r"(to), [value] "r"(value)
		: "memory", "cc", "x16"
		: aborted, changed, closed);
	/* clang-format on */
	wt_section_end(rseq);
	return WT_SECTION_DONE;
aborted:
	wt_section_end(rseq);
	return WT_SECTION_ABORTED;
changed:
	wt_section_end(rseq);
	return WT_SECTION_CHANGED;
closed:
	wt_section_end(rseq);
	return WT_SECTION_CLOSED;
}

#undef WT_SECTION_BEGIN
#undef WT_SECTION_END
#undef WT_SECTION_COPY_PIECES
#endif
#endif
