/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Turns code into the text of its instructions, by an installed disassembler: objdump of binutils, as a
 * child process that gets the bytes of the code and nothing else, or libLLVM, which is loaded with the
 * first code. Neither is needed to build or to run anything else.
 *
 * Both write AT&T syntax for x86-64. Addresses that code jumps to are written as 0xHEX. One thread.
 */
#ifndef CONSUMERS_DISASM_DISASM_H
#define CONSUMERS_DISASM_DISASM_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

enum wt_disasm_arch { WT_DISASM_X86_64, WT_DISASM_ARM64 };

/** The most bytes of one piece of code. */
#define WT_DISASM_MOST (UINT32_C(4) << 20)

struct wt_disasm_line {
	uint64_t address;
	uint32_t size;   /**< bytes */
	uint32_t text;   /**< offset in texts; zero-ended */
	uint64_t target; /**< the address that it jumps to or calls; valid when has_target */
	bool has_target;
	bool jumps; /**< it may be followed by another instruction than the next one; false for calls */
};

/** Zeroed is empty. */
struct wt_disasm_text {
	struct wt_disasm_line *lines; /**< by address; owned */
	uint32_t n, cap;
	struct wt_buf texts;
};

struct wt_disasm;

/** name: "objdump", "llvm"; NULL: the first of these that is installed. WT_ERR_NOTFOUND with the package to
 * install when there is none, WT_ERR_USAGE for another name. */
int wt_disasm_create(const char *name, enum wt_disasm_arch arch, struct wt_disasm **ret, struct wt_err *err);
void wt_disasm_destroy(struct wt_disasm *disasm);

/** Disassembles n bytes that lie at the address; *ret is emptied first. Invalid bytes become an instruction
 * with the text (bad), or .inst and the word. -1: the disassembler failed. */
int wt_disasm_run(struct wt_disasm *disasm, const uint8_t *bytes, uint32_t n, uint64_t address,
		  struct wt_disasm_text *ret, struct wt_err *err);

static inline const char *wt_disasm_line_text(const struct wt_disasm_text *text, uint32_t i)
{
	return (const char *)text->texts.data + text->lines[i].text;
}

void wt_disasm_text_deinit(struct wt_disasm_text *text);

#endif
