/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A sorted table of functions: address to name.
 *
 * Filled through a builder in any order, then frozen into spans that do not overlap, so that a lookup is one
 * binary search whatever the input was. Rules, all deterministic:
 *  - Symbols at the same address are aliases; one name is kept: lowest rank, then a sized one, fewest leading
 *    underscores, shortest, first in byte order. Sizes of aliases are shared.
 *  - A sized symbol inside another takes its part; behind it the outer one goes on.
 *  - An open symbol (size unknown) reaches to the next symbol or boundary, at most `size` bytes. Inside a
 *    sized symbol it is a mere label and dropped.
 *
 * One thread.
 */
#ifndef CONSUMERS_SYMBOLS_SYMTAB_H
#define CONSUMERS_SYMBOLS_SYMTAB_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Ranks of a symbol's origin; sums of these, lower is better. */
enum wt_symtab_rank {
	WT_SYMTAB_LOCAL = 1,  /**< not global and not weak */
	WT_SYMTAB_NOTYPE = 2, /**< not marked as a function */
	WT_SYMTAB_PLT = 4,    /**< made up for a stub of the procedure linkage table */
};

enum wt_symtab_flags {
	WT_SYMTAB_OPEN = 1,     /**< size is a bound, not the size */
	WT_SYMTAB_BOUNDARY = 2, /**< no function: ends an open one */
};

/** Longest name taken; longer ones are left out (no compiler writes them). */
#define WT_SYMTAB_NAME_MAX 65535
/** Most symbols taken. */
#define WT_SYMTAB_MAX 20000000

struct wt_symtab_row {
	uint64_t start; /**< address in the image's own address space */
	uint64_t size;  /**< bytes */
	uint32_t name;  /**< offset into the builder's names; set by wt_symtab_add */
	uint8_t rank;
	uint8_t flags;
};

/** Zeroed is a valid empty builder. */
struct wt_symtab_builder {
	struct wt_symtab_row *rows; /**< owned */
	size_t n, cap;
	struct wt_buf names; /**< zero-ended, in order of addition */
	bool failed;         /**< memory ran out */
};

/** A stretch of addresses that belongs to one function. */
struct wt_symtab_span {
	uint64_t start;
	uint32_t size; /**< bytes; what lies beyond 4 GiB is not covered */
	uint32_t back; /**< bytes from the function's start to `start`, at most UINT32_MAX */
	uint32_t name; /**< offset into names */
};

/** Zeroed is a valid empty table. */
struct wt_symtab {
	struct wt_symtab_span *spans; /**< by start; owned */
	size_t n;
	char *names; /**< owned */
	size_t names_len;
};

struct wt_symtab_hit {
	const char *name; /**< zero-ended, belongs to the table; equal symbols have the equal pointer */
	uint32_t offset;  /**< of the address in the function, bytes, at most UINT32_MAX */
	uint32_t left; /**< bytes from the address to the end of the function, or to a function within it */
};

/** Adds a copy of row with a name of len bytes without zeros in it. Rows of no size, empty names (boundaries
 * excepted) and too long ones are left out. */
void wt_symtab_add(struct wt_symtab_builder *builder, const struct wt_symtab_row *row, const char *name,
		   size_t len);
/** True when of two symbols at one address, or that mean the same, a's name is the one to keep. */
bool wt_symtab_is_better(const struct wt_symtab_builder *builder, const struct wt_symtab_row *a,
			 const struct wt_symtab_row *b);
/** Freezes; the builder is empty afterwards whatever the result. */
int wt_symtab_build(struct wt_symtab_builder *builder, struct wt_symtab *ret, struct wt_err *err);

bool wt_symtab_find(const struct wt_symtab *table, uint64_t address, struct wt_symtab_hit *ret);
/** Memory held. */
uint64_t wt_symtab_bytes(const struct wt_symtab *table);
void wt_symtab_deinit(struct wt_symtab *table);

#endif
