/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reading .eh_frame and .debug_frame: which functions are described, and by which bytes.
 *
 * The bytes are another program's: everything is read through the checked cursor, and a record that makes no
 * sense is left out and counted. Not thread safe per object; no global state.
 */
#ifndef TRACECORE_STACKWALK_CFI_H
#define TRACECORE_STACKWALK_CFI_H

#include "tracecore/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A section as it is in memory or in the file, not compressed. */
struct wt_cfi_section {
	const uint8_t *bytes; /**< borrowed */
	size_t len;
	uint64_t address;   /**< link-time */
	uint64_t data_base; /**< what DW_EH_PE_datarel counts from; 0 when nobody knows */
	bool debug;         /**< .debug_frame */
};

/** What functions have in common. */
struct wt_cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;        /**< DWARF number of the return address's column */
	uint8_t encoding;       /**< DW_EH_PE_* of addresses */
	bool augmented;         /**< FDEs have augmentation data */
	bool signal;            /**< a signal trampoline: callers of it were interrupted, not calling */
	const uint8_t *program; /**< initial instructions, in the section */
	size_t program_len;
};

/** One function, or a part of one. */
struct wt_cfi_fde {
	uint64_t start, end; /**< link-time addresses, start < end */
	uint32_t cie;        /**< index */
	uint32_t program_len;
	const uint8_t *program; /**< in the section */
};

/** Everything a module says; zeroed is empty. Borrows the sections' bytes. */
struct wt_cfi {
	struct wt_cfi_cie *cies; /**< owned */
	size_t n_cies, cap_cies;
	struct wt_cfi_fde *fdes; /**< owned */
	size_t n_fdes, cap_fdes;
	size_t n_refused; /**< records left out */
};

/** Most functions read from one module; further ones are refused. */
#define WT_CFI_MAX_FDES (1u << 24)

/** Adds the functions of a section. -1 only when memory is out. */
int wt_cfi_read(struct wt_cfi *cfi, const struct wt_cfi_section *section, struct wt_err *err);
/** Sorts by address; those added first stay first among equals. */
int wt_cfi_sort(struct wt_cfi *cfi, struct wt_err *err);
void wt_cfi_deinit(struct wt_cfi *cfi);

/** Where .eh_frame_hdr says .eh_frame is (link-time address); false when it does not. */
bool wt_cfi_eh_frame_address(const uint8_t *hdr, size_t len, uint64_t hdr_address, uint64_t *ret);

#endif
