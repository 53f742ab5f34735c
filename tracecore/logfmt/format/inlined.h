/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The functions that were inlined at an address, in the form of a symbol row (LOGFORMAT.md, SYMBOLS).
 *
 * A chain is a sequence of calls, innermost first: {function counted, file counted, line u32}. file and
 * line are those of the call in the next function outwards. An incomplete call ends the chain. Functions
 * take constant memory. Any threads.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_INLINED_H
#define TRACECORE_LOGFMT_FORMAT_INLINED_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/logfmt/format/tables.h"

/** The most calls of a chain that are read or written. A deeper chain loses its outermost calls. */
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

/** Gives the next call outwards; false at the end. */
bool wt_log_inlined_next(struct wt_cursor *chain, struct wt_log_inlined *ret);
/** The number of calls in the list. */
uint32_t wt_log_inlined_count(const struct wt_log_symbol *symbol);
/** Appends a call. False, and nothing is appended, when the chain would become longer than a row may hold. */
bool wt_log_inlined_put(struct wt_buf *chain, const struct wt_log_inlined *call);

#endif
