/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Source lines from DWARF: address to file and line.
 *
 * Where all line tables are of DWARF 5 they are all that is read (line_table.h). Otherwise, through libdw,
 * compilation units are found by their own address ranges (not .debug_aranges, which not all compilers
 * write); a unit's line table is decoded at the first address that falls into it and kept, until the tables
 * kept exceed a bound: ascending addresses decode each once whatever the bound. A file that is cut meanwhile
 * has no lines from then on. One thread.
 *
 * Files are mapped, so their size does not matter, except that compressed debug sections have to be expanded:
 * a file whose needed sections expand to more than a bound has no lines.
 */
#ifndef CONSUMERS_SYMBOLS_LINES_H
#define CONSUMERS_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct wt_lines;

struct wt_line {
	const char *file; /**< path, joined with the compilation directory; valid until the next find */
	uint32_t line;    /**< 0: code without a line */
};

struct wt_buf;
struct wt_line_table;

/** Reads the file behind fd, which stays the caller's. NULL when it has no line information or memory is
 * out. */
struct wt_lines *wt_lines_open(int fd, uint64_t max_bytes, uint64_t max_expanded);
/** Takes over a table whose sections are in memory that cannot be truncated; NULL when memory is out, and the
 * table stays the caller's. */
struct wt_lines *wt_lines_of_table(const struct wt_line_table *table);
/** Appends what wt_line_table_reopen needs to have the same lines without the file: the sequences, and the
 * sections. False: they take more than max_bytes, the file was cut, or more than its line tables is needed.
 */
bool wt_lines_put_table(struct wt_lines *lines, uint64_t max_bytes, struct wt_buf *sequences,
			struct wt_buf *line, struct wt_buf *line_str);
bool wt_lines_find(struct wt_lines *lines, uint64_t address, struct wt_line *ret);
/** Memory held, as far as it is known: libdw does not report its allocations. */
uint64_t wt_lines_bytes(const struct wt_lines *lines);
void wt_lines_close(struct wt_lines *lines);

#endif
