/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A table of functions as bytes of a file, looked up where they lie: nothing is copied, so that a table of
 * which little is asked costs little.
 *
 *   rows, ascending, WT_NAME_ROW bytes each: {u64 start less a base, u32 size, u32 from the function's
 *            start, u32 name}, all little-endian
 *   names, each with a zero behind it
 *
 * Rows that make no sense lead to no name or a wrong one, never outside the bytes. Functions take constant
 * memory. Any threads.
 */
#ifndef CONSUMERS_SYMBOLS_NAME_ROWS_H
#define CONSUMERS_SYMBOLS_NAME_ROWS_H

#include "consumers/symbols/symtab.h"
#include "tracecore/base/cursor.h"

/** Bytes. */
#define WT_NAME_ROW 20

/** Zeroed is an empty table. */
struct wt_name_rows {
	const uint8_t *rows; /**< borrowed, n of WT_NAME_ROW bytes */
	const char *names;   /**< borrowed; the last of names_len bytes is zero */
	size_t n, names_len;
	uint64_t base; /**< what starts are counted from */
};

/** Appends spans [from, to) of a table: their rows to one buffer, their names to another. */
void wt_name_rows_put(const struct wt_symtab *table, size_t from, size_t to, uint64_t base,
		      struct wt_buf *rows, struct wt_buf *names);
/** The table of such rows and names, whose bytes must stay. False: they are not whole rows, or the names have
 * no end. */
bool wt_name_rows_of(struct wt_cursor rows, struct wt_cursor names, uint64_t base, struct wt_name_rows *ret);
/** As wt_symtab_find. */
bool wt_name_rows_find(const struct wt_name_rows *rows, uint64_t address, struct wt_symtab_hit *ret);

/** The names to look functions up in: one of both is NULL. */
struct wt_names {
	const struct wt_symtab *table;
	const struct wt_name_rows *rows;
};

static inline bool wt_names_find(const struct wt_names *names, uint64_t address, struct wt_symtab_hit *ret)
{
	return names->rows ? wt_name_rows_find(names->rows, address, ret)
			   : wt_symtab_find(names->table, address, ret);
}

#endif
