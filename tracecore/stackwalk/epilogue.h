/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Prologues and epilogues whose unwind data is missing or wrong.
 *
 * clang before 16 describes prologues only: after `ldp x29, x30, [sp], #16` its rows still describe the
 * frame as present. Where a function returns (or jumps to another one) under such a row, the instructions
 * before that place are read backwards, and the rows that they need are inserted. Instructions are decoded,
 * never guessed: an unknown instruction ends the search, and an epilogue that does not exactly undo the
 * row's frame is left alone.
 *
 * clang before 16 describes a prologue at its end only or, when another instruction comes first, at its
 * start. The instructions between two rows at the start of a function are followed. When they lead to the
 * state of the second row, the rows in between are inserted.
 *
 * gcc on x86-64 describes the end of a realigned frame as if rbp still belonged to the frame after `pop
 * %rbp` or `leave`. The next two instructions, `lea -8(%r10),%rsp; ret`, get the rows that they need.
 */
#ifndef TRACECORE_STACKWALK_EPILOGUE_H
#define TRACECORE_STACKWALK_EPILOGUE_H

#include "tracecore/stackwalk/table_writer.h"

/** Corrects the rows of the arm64 function at link-time address `start`, whose rows begin at index `first` of
 * the writer. code: its `len` bytes. */
int wt_epilogue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err);
int wt_prologue_mend(struct wt_unwind_writer *writer, size_t first, uint64_t start, const uint8_t *code,
		     uint64_t len, struct wt_err *err);
/** Corrects the rows of a realigned frame of an x86-64 function; arguments as wt_epilogue_mend. */
int wt_epilogue_mend_realigned(struct wt_unwind_writer *writer, size_t first, uint64_t start,
			       const uint8_t *code, uint64_t len, struct wt_err *err);

#endif
