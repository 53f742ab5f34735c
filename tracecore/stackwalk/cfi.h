/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads .eh_frame and .debug_frame: the functions that they describe, and the bytes of each description.
 *
 * The bytes are another program's: everything is read through the checked cursor, and an invalid record is
 * left out and counted. Not thread safe per object; no global state.
 */
#ifndef TRACECORE_STACKWALK_CFI_H
#define TRACECORE_STACKWALK_CFI_H

#include "tracecore/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A section in memory or in the file, not compressed. */
struct wt_cfi_section {
	const uint8_t *bytes; /**< borrowed */
	size_t len;
	uint64_t address;   /**< link-time */
	uint64_t data_base; /**< base of DW_EH_PE_datarel; 0 when it is not known */
	bool debug;         /**< .debug_frame */
};

/** The data that several functions share. */
struct wt_cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;        /**< DWARF number of the return address's column */
	uint8_t encoding;       /**< DW_EH_PE_* of addresses */
	bool augmented;         /**< FDEs have augmentation data */
	bool signal;            /**< a signal trampoline: its callers were interrupted and did not call */
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

/** All call frame information of a module; zeroed is empty. Borrows the sections' bytes. */
struct wt_cfi {
	struct wt_cfi_cie *cies; /**< owned */
	size_t n_cies, cap_cies;
	struct wt_cfi_fde *fdes; /**< owned */
	size_t n_fdes, cap_fdes;
	size_t n_refused; /**< records left out */
};

/** The most functions that are read from one module; further ones are refused. */
#define WT_CFI_MAX_FDES (1u << 24)

/** Adds the functions of a section. -1: no memory. */
int wt_cfi_read(struct wt_cfi *cfi, const struct wt_cfi_section *section, struct wt_err *err);
/** Sorts by address. Functions with equal addresses stay in the order in which they were added. */
int wt_cfi_sort(struct wt_cfi *cfi, struct wt_err *err);
void wt_cfi_deinit(struct wt_cfi *cfi);

/** Gives the address of .eh_frame in .eh_frame_hdr (link-time); false when it has none. */
bool wt_cfi_eh_frame_address(const uint8_t *hdr, size_t len, uint64_t hdr_address, uint64_t *ret);

#endif
