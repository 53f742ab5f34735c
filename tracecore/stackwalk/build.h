/* SPDX-License-Identifier: MIT */
/**
 * @file
 * From a module's call frame information to its unwind table (STACKWALK.md section 3).
 *
 * Works on bytes that somebody else has read (elf_module.h reads them from files); hostile bytes give fewer
 * rows, never wrong memory accesses, and work that is linear in their size. One thread per call; no global
 * state.
 */
#ifndef TRACECORE_STACKWALK_BUILD_H
#define TRACECORE_STACKWALK_BUILD_H

#include "tracecore/stackwalk/cfi.h"
#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

/** Counts what changed in the tables made of the same bytes: tables of another revision are made anew. Raise
 * it with every change of a rule that users should get. */
#define WT_UNWIND_REVISION 4u

/** Executable bytes of a module. */
struct wt_unwind_code {
	uint64_t start, end;  /**< link-time */
	const uint8_t *bytes; /**< borrowed; NULL: not at hand, then nothing is decoded */
};

/** Code that linkers and start files make without unwind data. */
enum wt_unwind_stub_kind {
	WT_UNWIND_STUB_LEAF,  /**< takes no stack: .plt.sec, .plt.got */
	WT_UNWIND_STUB_PLT,   /**< .plt. x86-64: entries of 16 bytes that push at byte 6, behind a header that
			       * does   too. arm64: a header of 32 bytes that pushes, entries that do not */
	WT_UNWIND_STUB_FRAME, /**< x86-64 .init and .fini: `sub $8,%rsp` ... `add $8,%rsp; ret` */
};

struct wt_unwind_stub {
	uint64_t start, end; /**< link-time */
	enum wt_unwind_stub_kind kind;
};

struct wt_unwind_input {
	uint32_t machine;                  /**< enum wt_abi_unwind_machine */
	struct wt_cfi_section eh_frame;    /**< len 0: none */
	struct wt_cfi_section debug_frame; /**< len 0: none; used where .eh_frame says nothing */
	const struct wt_unwind_code *code; /**< ascending, apart; functions outside are left out */
	size_t n_code;
	const struct wt_unwind_stub *stubs; /**< ascending, apart */
	size_t n_stubs;
	uint64_t entry; /**< link-time address the kernel starts the module at; 0: none */
	struct wt_unwind_key key;
	struct wt_abi_unwind_load load[2]; /**< as in the table's header */
	uint8_t n_loads;
	bool is_go; /**< its code keeps frame pointers and needs no unwind data */
};

/** Makes the table. A module without any data gives a table without rows. -1: memory, or WT_ERR_LIMIT when
 * the code spans more than WT_ABI_UNWIND_MAX_SPAN. */
int wt_unwind_build(const struct wt_unwind_input *input, struct wt_unwind_table *ret, struct wt_err *err);

#endif
