/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The functions that were inlined at an address, as a symbol row holds them (LOGFORMAT.md, SYMBOLS).
 *
 * A chain is its calls one behind the other, innermost first: {function counted, file counted, line u32},
 * where file and line are those of the call in the next function outwards. A call that is not whole ends the
 * chain. Functions take constant memory. Any threads.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_INLINED_H
#define TRACECORE_LOGFMT_FORMAT_INLINED_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/logfmt/format/tables.h"

/** Calls of a chain that are read or written; a deeper one loses those further outwards. */
enum { WT_LOG_INLINED_MAX = 64 };

struct wt_log_inlined {
	struct wt_str function; /**< demangled; may be empty */
	struct wt_str file;     /**< of the call; empty: unknown */
	uint32_t line;          /**< of the call; 0: unknown */
};

static inline struct wt_cursor wt_log_inlined_begin(const struct wt_log_symbol *symbol)
{
	return wt_cursor(symbol->inlined.p, symbol->inlined.len);
}

/** The next call outwards; false at the end. */
bool wt_log_inlined_next(struct wt_cursor *chain, struct wt_log_inlined *ret);
/** How many there are. */
uint32_t wt_log_inlined_count(const struct wt_log_symbol *symbol);
/** Appends a call. False, and nothing is appended: the chain would become longer than a row may hold. */
bool wt_log_inlined_put(struct wt_buf *chain, const struct wt_log_inlined *call);

#endif
