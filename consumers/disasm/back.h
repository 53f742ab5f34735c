/* SPDX-License-Identifier: MIT */
/** @file The functions that a disassembler offers to disasm.c, and parts of the result that it may use. */
#ifndef CONSUMERS_DISASM_BACK_H
#define CONSUMERS_DISASM_BACK_H

#include "consumers/disasm/disasm.h"
#include "tracecore/base/cursor.h"

struct wt_disasm_back {
	const char *name;
	/** *state is the back end's own. False: it is not installed, or not for this architecture. */
	bool (*open)(enum wt_disasm_arch arch, void **state);
	int (*run)(void *state, const uint8_t *bytes, uint32_t n, uint64_t address,
		   struct wt_disasm_text *ret, struct wt_err *err);
	void (*close)(void *state);
};

extern const struct wt_disasm_back wt_disasm_llvm, wt_disasm_objdump;

/** Appends an instruction. In its text, runs of blanks after the mnemonic become single blanks. */
int wt_disasm_put(struct wt_disasm_text *text, uint64_t address, uint32_t size, const char *line, size_t len,
		  struct wt_err *err);
/** Fills target and jumps of a line from its text. */
void wt_disasm_classify(enum wt_disasm_arch arch, const char *text, struct wt_disasm_line *line);

/** Reads the output of objdump for n bytes at the address: lines "HEX:\tTEXT" whose addresses rise within
 * these bytes; other lines are left out. -1: the lines do not begin at the address, or memory is out. */
int wt_objdump_text_read(struct wt_cursor text, uint64_t address, uint32_t n, struct wt_disasm_text *ret,
			 struct wt_err *err);

#endif
