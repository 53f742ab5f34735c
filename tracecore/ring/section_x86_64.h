/* SPDX-License-Identifier: MIT */
/** @file The sections for x86-64. Empty elsewhere. Included by section.h. */
#ifndef TRACECORE_RING_SECTION_X86_64_H
#define TRACECORE_RING_SECTION_X86_64_H
#if defined(__x86_64__)

#include "tracecore/ring/section.h"

/* The descriptor, then its publication. Labels: 1 start, 2 after the commit, 4 the abort handler. The
 * signature stands before label 4. */
#define WT_SECTION_BEGIN                     \
	".pushsection __rseq_cs, \"aw\"\n\t" \
	".balign 32\n"                       \
	"3:\n\t"                             \
	".long 0, 0\n\t"                     \
	".quad 1f, 2f - 1f, 4f\n\t"          \
	".popsection\n\t"                    \
	"leaq 3b(%%rip), %%rax\n\t"          \
	"movq %%rax, 8(%[rseq])\n"           \
	"1:\n\t"                             \
	"cmpl %[cpu], 4(%[rseq])\n\t"        \
	"jne %l[aborted]\n\t"
#define WT_SECTION_END                            \
	"2:\n\t"                                  \
	".pushsection __rseq_failure, \"ax\"\n\t" \
	".byte 0x0f, 0xb9, 0x3d\n\t"              \
	".long 0x53053053\n"                      \
	"4:\n\t"                                  \
	"jmp %l[aborted]\n\t"                     \
	".popsection\n\t"

/* Copies one piece of ecx bytes from rsi to rdi: 16 bytes at a time, then the rest: the length modulo 16
 * is still in its low bits. Jumps to `done`, or falls through to it. */
/* clang-format off */
#define WT_SECTION_COPY_PIECE(done) \
	"jmp 71f\n" \
	"7:\n\t" \
	"movups (%%rsi), %%xmm0\n\t" \
	"movups %%xmm0, (%%rdi)\n\t" \
	"addq $16, %%rsi\n\t" \
	"addq $16, %%rdi\n" \
	"71:\n\t" \
	"subl $16, %%ecx\n\t" \
	"jae 7b\n\t" \
	"testb $8, %%cl\n\t" \
	"je 81f\n\t" \
	"movq (%%rsi), %%rax\n\t" \
	"movq %%rax, (%%rdi)\n\t" \
	"addq $8, %%rsi\n\t" \
	"addq $8, %%rdi\n" \
	"81:\n\t" \
	"testb $7, %%cl\n\t" \
	"je " done "\n\t" \
	"testb $4, %%cl\n\t" \
	"je 82f\n\t" \
	"movl (%%rsi), %%eax\n\t" \
	"movl %%eax, (%%rdi)\n\t" \
	"addq $4, %%rsi\n\t" \
	"addq $4, %%rdi\n" \
	"82:\n\t" \
	"testb $2, %%cl\n\t" \
	"je 83f\n\t" \
	"movzwl (%%rsi), %%eax\n\t" \
	"movw %%ax, (%%rdi)\n\t" \
	"addq $2, %%rsi\n\t" \
	"addq $2, %%rdi\n" \
	"83:\n\t" \
	"testb $1, %%cl\n\t" \
	"je " done "\n\t" \
	"movzbl (%%rsi), %%eax\n\t" \
	"movb %%al, (%%rdi)\n\t" \
	"incq %%rdi\n\t"
/* Copies all pieces of the record to the memory after the header at dst. 6: the next piece; 9: no more. */
#define WT_SECTION_COPY_PIECES \
	"leaq 32(%[dst]), %%rdi\n\t" \
	"movq 32(%[record]), %%r8\n" \
	"6:\n\t" \
	"cmpq 40(%[record]), %%r8\n\t" \
	"je 9f\n\t" \
	"movq 0(%%r8), %%rsi\n\t" \
	"movl 8(%%r8), %%ecx\n\t" \
	"addq $16, %%r8\n\t" \
	WT_SECTION_COPY_PIECE("6b") \
	"jmp 6b\n" \
	"9:\n\t"
/* The checks on which everything depends. The closed word follows head. head is in a register: in an
 * inlining function with too few registers, gcc 12 may put the address of a memory operand into a register
 * that the instructions clobber. */
#define WT_SECTION_CHECKS \
	"cmpq $0, 8(%[head])\n\t" \
	"jne %l[closed]\n\t" \
	"cmpq %[expect], 0(%[head])\n\t" \
	"jne %l[changed]\n\t"
#define WT_SECTION_READ_TICK \
	"rdtsc\n\t" \
	"shlq $32, %%rdx\n\t" \
	"orq %%rax, %%rdx\n"
/* The tick is in rdx. */
#define WT_SECTION_COPY_HEADER \
	"movq %%rdx, 16(%[dst])\n\t" \
	"movq 0(%[record]), %%rax\n\t" \
	"movq %%rax, 0(%[dst])\n\t" \
	"movq 8(%[record]), %%rax\n\t" \
	"movq %%rax, 8(%[dst])\n\t" \
	"movq 24(%[record]), %%rax\n\t" \
	"movq %%rax, 24(%[dst])\n\t"
/* Stores the header from the places where the compiler has its words. */
#define WT_SECTION_STORE_HEADER \
	"movq %%rdx, 16(%[dst])\n\t" \
	"movq %[size_provider], %%rax\n\t" \
	"movq %%rax, 0(%[dst])\n\t" \
	"movq %[event_cpu], %%rax\n\t" \
	"movq %%rax, 8(%[dst])\n\t" \
	"movq %[pid_tid], %%rax\n\t" \
	"movq %%rax, 24(%[dst])\n\t"
/* clang-format on */

static inline struct wt_rseq *wt_section_rseq(ptrdiff_t offset)
{
	char *self;

	__asm__("movq %%fs:0, %0" : "=r"(self));
	return (struct wt_rseq *)(void *)(self + offset);
}

static inline uint64_t wt_section_tick(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline void wt_section_end(struct wt_rseq *rseq)
{
	__atomic_store_n(&rseq->rseq_cs, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** head: &ring->head. A plain store commits: x86 stores become visible in order. */
static inline __attribute__((always_inline)) enum wt_section_result wt_section_write(
	struct wt_rseq *rseq, uint32_t cpu, uint64_t *head, uint64_t expect, uint64_t commit, uint8_t *dst,
	const struct wt_section_record *record)
{
	/* clang-format off */
	__asm__ volatile goto(
		WT_SECTION_BEGIN
		WT_SECTION_CHECKS
		WT_RING_INJECT_ASM(1)
		"movq 16(%[record]), %%rdx\n\t"
		"testq %%rdx, %%rdx\n\t"
		"jne 5f\n\t"
		WT_SECTION_READ_TICK
		"5:\n\t"
		WT_SECTION_COPY_HEADER
		WT_RING_INJECT_ASM(2)
		WT_SECTION_COPY_PIECES
		WT_RING_INJECT_ASM(3)
		"movq %[commit], 0(%[head])\n"
		WT_SECTION_END
		:
		: [rseq] "r"(rseq), [cpu] "r"(cpu), [head] "r"(head), [expect] "r"(expect), [commit] "r"(commit),
		  [dst] "r"(dst), [record] "r"(record)
		: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "xmm0"
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
 * counter's. Words are taken from where the compiler has them, because every event pays for each
 * instruction here. */
static inline __attribute__((always_inline)) enum wt_section_result wt_section_write_one(
	struct wt_rseq *rseq, uint32_t cpu, uint64_t *head, uint64_t expect, uint64_t commit, uint8_t *dst,
	struct wt_section_record *record, const void *p, uint32_t len)
{
	uint64_t size_provider = record->size_provider, event_cpu = record->event_cpu,
		 pid_tid = record->pid_tid;

	/* Operands are values, not memory whose address would need a register: see WT_SECTION_CHECKS. */
	__asm__("" : "+r"(p));
	__asm__("" : "+r"(len));
	__asm__("" : "+r"(pid_tid));
	__asm__("" : "+r"(size_provider));
	__asm__("" : "+r"(event_cpu));
	/* clang-format off */
	__asm__ volatile goto(
		WT_SECTION_BEGIN
		WT_SECTION_CHECKS
		WT_RING_INJECT_ASM(1)
		WT_SECTION_READ_TICK
		WT_SECTION_STORE_HEADER
		WT_RING_INJECT_ASM(2)
		"movq %[p], %%rsi\n\t"
		"movl %[len], %%ecx\n\t"
		"leaq 32(%[dst]), %%rdi\n\t"
		WT_SECTION_COPY_PIECE("9f")
		"9:\n\t"
		WT_RING_INJECT_ASM(3)
		"movq %[commit], 0(%[head])\n"
		WT_SECTION_END
		:
		: [rseq] "r"(rseq), [cpu] "r"(cpu), [head] "r"(head), [expect] "r"(expect), [commit] "r"(commit),
		  [dst] "r"(dst), [size_provider] "rm"(size_provider),
		  [event_cpu] "rm"(event_cpu), [pid_tid] "rm"(pid_tid), [p] "rm"(p), [len] "rm"(len)
		: "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "xmm0"
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

static inline enum wt_section_result wt_section_store(struct wt_rseq *rseq, uint32_t cpu,
						      const uint64_t *closed_word, const uint64_t *word,
						      uint64_t expect, uint64_t *to, uint64_t value)
{
	/* clang-format off */
	__asm__ volatile goto(
		WT_SECTION_BEGIN
		"cmpq $0, (%[closed_word])\n\t"
		"jne %l[closed]\n\t"
		"cmpq %[expect], (%[word])\n\t"
		"jne %l[changed]\n\t"
		"movq %[value], (%[to])\n"
		WT_SECTION_END
		:
		: [rseq] "r"(rseq), [cpu] "r"(cpu), [closed_word] "r"(closed_word), [word] "r"(word),
		  [expect] "r"(expect), [to] "r"(to), [value] "r"(value)
		: "memory", "cc", "rax"
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
#undef WT_SECTION_COPY_PIECE
#undef WT_SECTION_COPY_PIECES
#undef WT_SECTION_CHECKS
#undef WT_SECTION_READ_TICK
#undef WT_SECTION_COPY_HEADER
#undef WT_SECTION_STORE_HEADER
#endif
#endif
