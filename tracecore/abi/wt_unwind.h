/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * @file
 * The unwind table of one module: the way from a frame to its caller, for every address of the module's
 * code.
 *
 * The recorder and programs that walk their own stack use one format. A table is one piece of memory:
 * position independent, little-endian, written once and then only read. It can be mapped from a file.
 * tracecore/stackwalk/STACKWALK.md says how it is made and how it is used. Layout, in this order:
 *
 *   header   struct wt_abi_unwind
 *   pages    u32[n_pages + 1]: first row of each page of 2^page_shift code bytes; the last one is n_rows
 *   starts   u16[n_rows]: first byte a row holds for, from the start of its page; ascending, the first is 0
 *   ids      u16[n_rows], or u32[n_rows] with WT_ABI_UNWIND_WIDE: the row's rule
 *   rules    struct wt_abi_unwind_rule[n_rules]; rule 0 says "no data"
 *
 * Each part begins at the first multiple of 64 after the end of the part before it. A reader checks the
 * header once (every part lies inside the size) and each index when it uses it. So no content of the parts
 * can lead it outside.
 */
#ifndef TRACECORE_ABI_WT_UNWIND_H
#define TRACECORE_ABI_WT_UNWIND_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#define WT_ABI_UNWIND_MAGIC   0x57555457u /* "WTUW" */
#define WT_ABI_UNWIND_VERSION 1u
/** Alignment of the parts, bytes. */
#define WT_ABI_UNWIND_ALIGN     64u
#define WT_ABI_UNWIND_MIN_SHIFT 6u
#define WT_ABI_UNWIND_MAX_SHIFT 16u
/** The largest distance in code bytes between the first and the last address of a table. */
#define WT_ABI_UNWIND_MAX_SPAN (1ull << 32)

enum wt_abi_unwind_machine {
	WT_ABI_UNWIND_X86_64 = 62, /**< ELF's numbers */
	WT_ABI_UNWIND_AARCH64 = 183,
};

enum wt_abi_unwind_flag {
	WT_ABI_UNWIND_WIDE = 1, /**< ids have 32 bits */
	WT_ABI_UNWIND_FP = 2,   /**< code without a row is taken to keep frame pointers: Go, or a module
				 * without any data, which was probably compiled that way */
};

struct wt_abi_unwind {
	uint32_t magic;
	uint16_t version;
	uint16_t machine;  /**< enum wt_abi_unwind_machine */
	uint64_t size;     /**< bytes of the whole table */
	uint64_t checksum; /**< over everything after this field (STACKWALK.md) */
	uint64_t base;     /**< link-time address of the first page */
	uint32_t n_pages;
	uint32_t n_rows; /**< includes rows that only repeat a rule at the start of a page */
	uint32_t n_rules;
	uint32_t n_repeats; /**< rows that only repeat a rule at the start of a page */
	uint8_t page_shift; /**< WT_ABI_UNWIND_MIN_SHIFT to WT_ABI_UNWIND_MAX_SHIFT */
	uint8_t flags;      /**< enum wt_abi_unwind_flag; unknown bits: another version */
	uint8_t key_len;    /**< bytes of key in use */
	uint8_t n_loads;    /**< of load in use */
	uint32_t n_fdes;    /**< functions described */
	uint32_t n_refused; /**< functions whose description could not be read: their rows say "no data" */
	uint32_t n_inexact; /**< rows in which a register had to be given up */
	uint8_t key[32];    /**< identifies the module: its build id, or the identity of its file */
	/** The first executable segments of the file, by offset: their places in the file and their
	 * link-time addresses. A mapping of file offset o is code at address + (o - offset), with the last
	 * segment that begins at or before the end of o's page. */
	struct wt_abi_unwind_load {
		uint64_t offset, address;
	} load[2];
};

/** The source of the caller's stack pointer (CFA). */
enum wt_abi_unwind_cfa {
	WT_ABI_CFA_NONE = 0,       /**< no data for these addresses */
	WT_ABI_CFA_REG = 1,        /**< reg + offset */
	WT_ABI_CFA_DEREF = 2,      /**< 8 bytes at (reg + offset), + 8 * offset2 */
	WT_ABI_CFA_SIGCONTEXT = 3, /**< a signal trampoline: all registers lie in the kernel's struct
				    * sigcontext, whose general registers start at reg + offset */
};

enum wt_abi_unwind_rule_flag {
	WT_ABI_RULE_END = 1,      /**< the outermost frame: it has no caller */
	WT_ABI_RULE_FROM_REG = 2, /**< slots count from reg instead of from the CFA; on x86-64 the slot of
				   * the return address still counts from the CFA */
	WT_ABI_RULE_ODD = 4,      /**< some slot is neither SAME nor an offset */
	WT_ABI_RULE_FROM_FP = 8,  /**< as FROM_REG, from rbp or x29 */
	WT_ABI_RULE_TWICE = 16,   /**< after a system call that returns twice: an interrupted frame whose
				   * rax or x0 is 0 belongs to the new thread and has no caller */
	WT_ABI_RULE_BELOW =
		32, /**< x86-64: a move put a register at its place. A place below the stack pointer is in
		     * the red zone; then the slot does not have the register's value */
};

/** Registers that a rule can restore: x86-64 rbx rbp r12 r13 r14 r15 and the return address; arm64 x19 to
 * x30. */
#define WT_ABI_UNWIND_SLOTS 12

/** Values of a slot. Every value above WT_ABI_SLOT_REG_LAST is an offset in units of 8 bytes. */
#define WT_ABI_SLOT_SAME     (-32768) /* the register still holds the caller's value */
#define WT_ABI_SLOT_GONE     (-32767) /* the caller's value is not known */
#define WT_ABI_SLOT_REG      (-32766) /* + n: the caller's value is in register n of this frame */
#define WT_ABI_SLOT_REG_LAST (-32766 + 31)

/** Unused slots and fields are 0, so that equal rules have equal bytes. */
struct wt_abi_unwind_rule {
	uint8_t cfa;    /**< enum wt_abi_unwind_cfa */
	uint8_t reg;    /**< DWARF number, 0 to 31 (arm64: 31 is sp) */
	uint8_t flags;  /**< enum wt_abi_unwind_rule_flag */
	int8_t offset2; /**< units of 8 bytes */
	int32_t offset; /**< bytes */
	int16_t slot[WT_ABI_UNWIND_SLOTS];
};

#ifndef __KERNEL__
static_assert(sizeof(struct wt_abi_unwind) == 128, "table header");
static_assert(offsetof(struct wt_abi_unwind, size) == 8, "table header");
static_assert(offsetof(struct wt_abi_unwind, n_pages) == 32, "table header");
static_assert(offsetof(struct wt_abi_unwind, key) == 64, "table header");
static_assert(offsetof(struct wt_abi_unwind, load) == 96, "table header");
static_assert(sizeof(struct wt_abi_unwind_rule) == 32, "unwind rule");
static_assert(offsetof(struct wt_abi_unwind_rule, slot) == 8, "unwind rule");
#endif

#endif
