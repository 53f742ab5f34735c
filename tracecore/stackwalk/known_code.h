/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Code that no call frame information describes and that is known by its bytes: signal trampolines, where
 * programs and their loader begin, where threads do, what crtbegin.o brings into every file, trampolines that
 * CPython makes.
 *
 * Only whole pieces are known, byte by byte but for the operands that a linker fills in. Nothing is guessed.
 */
#ifndef TRACECORE_STACKWALK_KNOWN_CODE_H
#define TRACECORE_STACKWALK_KNOWN_CODE_H

#include <stddef.h>

#include "tracecore/abi/wt_unwind.h"

/** Rows of one piece, at most. */
#define WT_KNOWN_ROWS 3

struct wt_known_code {
	uint16_t machine;  /**< enum wt_abi_unwind_machine */
	const char *bytes; /**< as hexadecimal digits; ".." is any byte */
	uint32_t back;     /**< bytes before it that belong to it: a handler returns to its first byte, which
			    * is looked up at pc - 1 */
	/** Each holds from its byte on, up to the next one or the end. */
	struct wt_known_row {
		uint32_t from;
		struct wt_abi_unwind_rule rule;
	} rows[WT_KNOWN_ROWS];
	uint8_t n_rows;
	const char *before; /**< bytes that must stand before it; NULL: any */
};

/** The piece that begins first in the code, *at bytes from its start; NULL: none. ahead: bytes before the
 * code that can be read too. */
const struct wt_known_code *wt_known_code_find(uint32_t machine, const uint8_t *code, uint64_t len,
					       uint64_t ahead, uint64_t *at);
/** Bytes of a piece. */
uint32_t wt_known_code_len(const struct wt_known_code *known);

/** The code is one that a stack's first function returns to, at its first byte: a function without caller. */
bool wt_known_root(uint32_t machine, const uint8_t *code, uint64_t len);
/** Bytes it looks at. */
#define WT_KNOWN_ROOT 26

/** How many bytes from a file's entry point on are its start and nothing else: they have no caller. 0: that
 * is not known. */
uint32_t wt_known_entry(uint32_t machine, const uint8_t *code, uint64_t len);

#endif
