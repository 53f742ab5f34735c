/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Computes the places of a table's parts from its header, for writer and reader. Pure.
 */
#ifndef TRACECORE_STACKWALK_TABLE_LAYOUT_H
#define TRACECORE_STACKWALK_TABLE_LAYOUT_H

#include "tracecore/abi/wt_unwind.h"

/** Byte offsets from the start of the table. Sums of 32-bit counts: they cannot overflow. */
struct wt_unwind_layout {
	uint64_t pages, starts, ids, rules;
	uint64_t end; /**< bytes of the table */
};

static inline uint64_t wt_unwind_align(uint64_t at)
{
	return (at + WT_ABI_UNWIND_ALIGN - 1) & ~(uint64_t)(WT_ABI_UNWIND_ALIGN - 1);
}

static inline struct wt_unwind_layout wt_unwind_layout(const struct wt_abi_unwind *header)
{
	uint64_t id_size = header->flags & WT_ABI_UNWIND_WIDE ? sizeof(uint32_t) : sizeof(uint16_t);
	struct wt_unwind_layout l;

	l.pages = wt_unwind_align(sizeof(*header));
	l.starts = wt_unwind_align(l.pages + ((uint64_t)header->n_pages + 1) * sizeof(uint32_t));
	l.ids = wt_unwind_align(l.starts + (uint64_t)header->n_rows * sizeof(uint16_t));
	l.rules = wt_unwind_align(l.ids + header->n_rows * id_size);
	l.end = l.rules + (uint64_t)header->n_rules * sizeof(struct wt_abi_unwind_rule);
	return l;
}

#endif
