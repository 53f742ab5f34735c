/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Address to file and line from .debug_line alone, when all its programs are of DWARF 5.
 *
 * All programs are run once to find the sequences they are made of; the rows of the sequence asked for last
 * are kept. The compilation units in .debug_info, most of a file's debug information, are not looked at. The
 * sections are borrowed and must not change. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_LINE_TABLE_H
#define CONSUMERS_SYMBOLS_LINE_TABLE_H

#include "consumers/symbols/line_program.h"

struct wt_line_sequence {
	uint64_t low, high;
	size_t program; /**< offset in section line */
	size_t code;    /**< where its opcodes begin, offset in section line */
};

/** Zeroed is a valid empty table. */
struct wt_line_table {
	struct wt_line_sections sections;
	struct wt_line_sequence *sequences; /**< by low, not overlapping; owned */
	size_t n, cap;
	struct wt_line_row *rows; /**< of `current`, by address; owned */
	size_t n_rows, rows_cap;
	const struct wt_line_sequence *current; /**< NULL: none */
	struct wt_line_program program;         /**< of current */
	struct wt_buf path;                     /**< of path_file in current's program */
	uint32_t path_file;
};

/** False, and *ret is empty: the section is not all of what is read here, has no sequences, or memory is out.
 */
bool wt_line_table_open(const struct wt_line_sections *sections, struct wt_line_table *ret);
/** Appends the sequences, WT_LINE_SEQUENCE bytes each: {u64 low, u64 high, u64 program, u64 code}. */
#define WT_LINE_SEQUENCE 32
void wt_line_table_put_sequences(const struct wt_line_table *table, struct wt_buf *out);
/** A table of the same sections from the sequences of one that was open. False, and *ret is empty: they make
 * no sense, or memory is out. */
bool wt_line_table_reopen(const struct wt_line_sections *sections, struct wt_cursor sequences,
			  struct wt_line_table *ret);
/** *file is valid until the next find. False: no line is known. */
bool wt_line_table_find(struct wt_line_table *table, uint64_t address, const char **file, uint32_t *line);
/** Memory held, without the sections. */
uint64_t wt_line_table_bytes(const struct wt_line_table *table);
void wt_line_table_deinit(struct wt_line_table *table);

#endif
