/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A DWARF 5 line number program: its header, with the names of its files, and its rows.
 *
 * Everything is read through cursors over bytes that may be anything: a program ends where it makes no sense.
 * Versions before 5 leave the compilation directory to .debug_info and are not read here, nor are programs
 * whose names lie elsewhere than in .debug_line and .debug_line_str or of machines with several operations
 * per instruction. Nothing is allocated; a row costs constant time. The source of all constants is the DWARF
 * 5 standard, section 6.2 and chapter 7.
 */
#ifndef CONSUMERS_SYMBOLS_LINE_PROGRAM_H
#define CONSUMERS_SYMBOLS_LINE_PROGRAM_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/kernel_events.h"

/** The sections that programs are read from; line_str may be empty. */
struct wt_line_sections {
	struct wt_cursor line, line_str;
};

/** A list of paths in a header: directories or files. */
struct wt_line_paths {
	struct wt_cursor formats; /**< pairs of content and form */
	uint8_t n_formats;
	struct wt_cursor entries;
	uint64_t n;
};

struct wt_line_program {
	struct wt_line_paths directories, files;
	struct wt_cursor code;   /**< the opcodes */
	const uint8_t *operands; /**< of standard opcodes 1 to opcode_base - 1 */
	uint8_t opcode_base, line_range, step, address_size;
	int8_t line_base;
	bool wide; /**< 64-bit DWARF */
};

/** A row of the table; the state of the machine that makes it. */
struct wt_line_row {
	uint64_t address;
	uint32_t file, line;
	bool end; /**< the first address behind a sequence */
};

/** The next program of section `line`. 0 there is one; 1 the end; -1 one that is not read here, or damage. */
int wt_line_program_next(struct wt_cursor *line, struct wt_line_program *ret);

/** The state a sequence begins in. */
void wt_line_row_init(struct wt_line_row *row);
/** Runs until there is a row. code: where to go on, in the program's; false at its end. After a row with
 * `end` the state is the one a sequence begins in once wt_line_row_init was called. */
bool wt_line_program_row(const struct wt_line_program *program, struct wt_cursor *code,
			 struct wt_line_row *row);

/** Appends the path of a file, joined with its directory and the compilation's where they are relative.
 * False: there is no such file. */
bool wt_line_program_path(const struct wt_line_program *program, const struct wt_line_sections *sections,
			  uint64_t file, struct wt_buf *out);

#endif
