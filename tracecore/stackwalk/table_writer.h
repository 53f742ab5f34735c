/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Collects the rows of a module and lays them out as a table (tracecore/abi/wt_unwind.h).
 *
 * Rows come in ascending order. A row that begins inside an earlier range only adds the part after that
 * range. Equal rules are kept once. A row whose rule equals that of the row before it is not kept. One
 * thread.
 */
#ifndef TRACECORE_STACKWALK_TABLE_WRITER_H
#define TRACECORE_STACKWALK_TABLE_WRITER_H

#include "tracecore/abi/wt_unwind.h"
#include "tracecore/base/err.h"

/** A finished table: malloc'd, aligned for anything. Zeroed is none. */
struct wt_unwind_table {
	void *bytes;
	uint64_t size;
};

void wt_unwind_table_deinit(struct wt_unwind_table *table);

struct wt_unwind_writer {
	struct wt_unwind_row {
		uint32_t at; /**< from base */
		uint32_t rule;
	} * rows; /**< owned */
	size_t n_rows, cap_rows;
	struct wt_abi_unwind_rule *rules; /**< owned; rule 0 is "no data" */
	size_t n_rules, cap_rules;
	uint32_t *slots; /**< owned; rule ids by hash, 0: free */
	uint32_t mask;
	uint64_t base;    /**< link-time address from which all rows count */
	uint64_t covered; /**< link-time address: end of the described code, base at first */
	uint32_t n_inexact;
};

/** base: no row is before it. Rows at base + WT_ABI_UNWIND_MAX_SPAN and above are dropped. */
int wt_unwind_writer_init(struct wt_unwind_writer *writer, uint64_t base, struct wt_err *err);
/** [from, to) follows the rule. Addresses between the last row and from have no data. */
int wt_unwind_writer_add(struct wt_unwind_writer *writer, uint64_t from, uint64_t to,
			 const struct wt_abi_unwind_rule *rule, struct wt_err *err);
/** Replaces the rules of [from, to), which lies within the range that was added from row `first` on. */
int wt_unwind_writer_patch(struct wt_unwind_writer *writer, size_t first, uint64_t from, uint64_t to,
			   const struct wt_abi_unwind_rule *rule, struct wt_err *err);
/** The rule in effect at an address that was added from row `first` on; NULL: no data. */
const struct wt_abi_unwind_rule *wt_unwind_writer_rule(const struct wt_unwind_writer *writer, size_t first,
						       uint64_t address);
/** Makes the table of the rows that were added. facts: machine, flags except WT_ABI_UNWIND_WIDE, key, load,
 * n_fdes and n_refused are copied. */
int wt_unwind_writer_finish(struct wt_unwind_writer *writer, const struct wt_abi_unwind *facts,
			    struct wt_unwind_table *ret, struct wt_err *err);
void wt_unwind_writer_deinit(struct wt_unwind_writer *writer);

#endif
