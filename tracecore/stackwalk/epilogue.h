/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Prologues and epilogues whose unwind data is missing or wrong.
 *
 * clang before 16 describes prologues only: behind `ldp x29, x30, [sp], #16` its rows still say that the
 * frame stands. Where a function returns (or jumps to another one) under such a row, the instructions before
 * it are read backwards, and the rows they need are put in. Instructions are decoded, never guessed: what is
 * not known ends the search, and an epilogue that does not undo exactly what the row says is left alone.
 *
 * The same compiler tells of a prologue at its end only, or, when another instruction comes first, at its
 * start. The instructions between two rows at the start of a function are followed, and when they come to
 * what the second row says, the rows in between are put in.
 *
 * gcc on x86-64 describes the end of a realigned frame as if rbp were still the frame's behind `pop %rbp` or
 * `leave`; the two instructions that follow, `lea -8(%r10),%rsp; ret`, get the rows they need.
 */
#ifndef TRACECORE_STACKWALK_EPILOGUE_H
#define TRACECORE_STACKWALK_EPILOGUE_H

#include "tracecore/stackwalk/table_writer.h"

/** Mends the rows of the arm64 function at link-time address `start`, whose rows begin at index `first` of
 * the writer. code: its `len` bytes. */
int wt_epilogue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err);
int wt_prologue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err);
/** The same for x86-64. */
int wt_epilogue_mend_realigned(struct wt_unwind_writer *writer, size_t first, uint64_t start,
			       const uint8_t *code, uint64_t len, struct wt_err *err);

#endif
