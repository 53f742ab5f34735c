/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The running kernel's functions, from the text of /proc/kallsyms.
 *
 * Addresses of modules come from /proc/modules, which is looked for beside the kallsyms file. Lines that make
 * no sense are left out; the number of symbols is bounded by WT_SYMTAB_MAX. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KALLSYMS_H
#define CONSUMERS_SYMBOLS_KALLSYMS_H

#include "consumers/symbols/symtab.h"
#include "tracecore/base/intern.h"

struct wt_kernel_module {
	uint64_t base, size; /**< of its text, at least; base 0 when hidden */
};

struct wt_kallsyms {
	struct wt_symtab table;           /**< by absolute address, modules included */
	uint64_t stext;                   /**< address of _stext; 0 when not there or hidden */
	uint64_t first, last;             /**< functions of the kernel itself start there; last 0: none do */
	uint8_t reason;                   /**< enum wt_unresolved: why the table is empty */
	struct wt_strings module_names;   /**< without brackets; id = index into modules */
	struct wt_kernel_module *modules; /**< owned */
};

/** Reads both files. -1 only when memory is out; else `reason` says what is missing: WT_UNRESOLVED_NO_FILE,
 * or WT_UNRESOLVED_KPTR when all addresses are zero. */
int wt_kallsyms_load(const char *path, struct wt_kallsyms *ret, struct wt_err *err);
/** The module of that name, without brackets; NULL when it is not loaded. */
const struct wt_kernel_module *wt_kallsyms_module(const struct wt_kallsyms *kallsyms, const char *name,
						  size_t len);
uint64_t wt_kallsyms_bytes(const struct wt_kallsyms *kallsyms);
void wt_kallsyms_deinit(struct wt_kallsyms *kallsyms);

#endif
