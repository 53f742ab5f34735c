/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Code that no call frame information describes and that is known by its bytes: signal trampolines, the
 * starts of programs, of their loader and of threads, the code that crtbegin.o brings into every file, and
 * trampolines that CPython makes.
 *
 * Only whole pieces are known, byte by byte except for operands that a linker fills in. Nothing is guessed.
 */
#ifndef TRACECORE_STACKWALK_KNOWN_CODE_H
#define TRACECORE_STACKWALK_KNOWN_CODE_H

#include <stddef.h>

#include "tracecore/abi/wt_unwind.h"

/** The most rows of one piece. */
#define WT_KNOWN_ROWS 3

struct wt_known_code {
	uint16_t machine;  /**< enum wt_abi_unwind_machine */
	const char *bytes; /**< as hexadecimal digits; ".." is any byte */
	uint32_t back;     /**< bytes before it that belong to it: a handler returns to the first byte,
			    * which is looked up at pc - 1 */
	/** Each row holds from its byte to the next row or the end. */
	struct wt_known_row {
		uint32_t from;
		struct wt_abi_unwind_rule rule;
	} rows[WT_KNOWN_ROWS];
	uint8_t n_rows;
	const char *before; /**< bytes that must stand before it; NULL: any */
};

/** Finds the piece that begins first in the code, *at bytes from its start; NULL: none. ahead: the number
 * of bytes before the code that may also be read. */
const struct wt_known_code *wt_known_code_find(uint32_t machine, const uint8_t *code, uint64_t len,
					       uint64_t ahead, uint64_t *at);
/** Bytes of a piece. */
uint32_t wt_known_code_len(const struct wt_known_code *known);

/** True when a stack's first function returns to this code, at its first byte: the function has no caller. */
bool wt_known_root(uint32_t machine, const uint8_t *code, uint64_t len);
/** Bytes it looks at. */
#define WT_KNOWN_ROOT 26

/** x86-64: an entry of a procedure linkage table, as linkers write it. */
struct wt_known_stub {
	const char *bytes; /**< as in struct wt_known_code */
	uint8_t depth;     /**< bytes that lie on the return address when it is entered */
	uint8_t pushed;    /**< byte from which on 8 more lie there; 0: it pushes nothing */
};

/** The entry that begins with the code; NULL: none that is known. */
const struct wt_known_stub *wt_known_stub_find(const uint8_t *code, uint64_t len);
/** Bytes of an entry. */
uint32_t wt_known_stub_len(const struct wt_known_stub *stub);

/** True when the code is that of crti.o and crtn.o for .init or .fini, and nothing else (x86-64). *from: its
 * first byte behind `sub $8,%rsp`. */
bool wt_known_framed(const uint8_t *code, uint64_t len, uint32_t *from);

/** The number of bytes from a file's entry point on that belong to its start code alone and so have no
 * caller. 0: not known. */
uint32_t wt_known_entry(uint32_t machine, const uint8_t *code, uint64_t len);

#endif
