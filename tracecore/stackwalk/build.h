/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a module's unwind table from its call frame information (STACKWALK.md section 3).
 *
 * It works on bytes in memory (elf_module.h reads them from files). Hostile bytes give fewer rows, but
 * never wrong memory accesses. The work is linear in their size. One thread per call; no global state.
 */
#ifndef TRACECORE_STACKWALK_BUILD_H
#define TRACECORE_STACKWALK_BUILD_H

#include "tracecore/stackwalk/cfi.h"
#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

/** The revision of the code that makes tables. Tables of another revision are made again. Raise it with
 * every change that gives other tables for the same bytes, or that asks more before a file is believed. */
#define WT_UNWIND_REVISION 6u

/** Executable bytes of a module. */
struct wt_unwind_code {
	uint64_t start, end;  /**< link-time */
	const uint8_t *bytes; /**< borrowed; NULL: not available, then nothing is decoded */
};

/** Code that linkers and start files make without unwind data. */
enum wt_unwind_stub_kind {
	WT_UNWIND_STUB_LEAF,  /**< .plt.sec, .plt.got. arm64: takes no stack. x86-64: as PLT */
	WT_UNWIND_STUB_PLT,   /**< .plt. x86-64: entries that are known by their bytes. arm64: a header of 32
			       * bytes that pushes, entries that do not */
	WT_UNWIND_STUB_FRAME, /**< x86-64 .init and .fini: `sub $8,%rsp` ... `add $8,%rsp; ret` */
};

struct wt_unwind_stub {
	uint64_t start, end; /**< link-time */
	enum wt_unwind_stub_kind kind;
};

struct wt_unwind_input {
	uint32_t machine;                  /**< enum wt_abi_unwind_machine */
	struct wt_cfi_section eh_frame;    /**< len 0: none */
	struct wt_cfi_section debug_frame; /**< len 0: none; used where .eh_frame has no description */
	const struct wt_unwind_code *code; /**< ascending, not overlapping; functions outside are left out */
	size_t n_code;
	const struct wt_unwind_stub *stubs; /**< ascending, apart */
	size_t n_stubs;
	uint64_t entry; /**< link-time address at which the kernel starts the module; 0: none */
	struct wt_unwind_key key;
	struct wt_abi_unwind_load load[2]; /**< as in the table's header */
	uint8_t n_loads;
	bool is_go; /**< its code keeps frame pointers and needs no unwind data */
};

/** Makes the table. A module without any data gives a table without rows. -1: no memory, or WT_ERR_LIMIT
 * when the code spans more than WT_ABI_UNWIND_MAX_SPAN. */
int wt_unwind_build(const struct wt_unwind_input *input, struct wt_unwind_table *ret, struct wt_err *err);

#endif
