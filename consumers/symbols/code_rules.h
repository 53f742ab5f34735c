/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Unwind rules for generated code, as its program reports them: call frame information (.eh_frame) of one
 * piece of code, and the rule of an address in it.
 *
 * All of it is the claim of another program. The functions of a piece count from the first of them, which
 * begins where the piece does: where they say that they lie, before anybody has loaded them, means nothing.
 * One thread.
 */
#ifndef CONSUMERS_SYMBOLS_CODE_RULES_H
#define CONSUMERS_SYMBOLS_CODE_RULES_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/stackwalk/table_writer.h"

/** Longer information of one piece, bytes, and one of more functions is left alone: each byte may be a row,
 * and a row takes microseconds. */
#define WT_CODE_RULES_PIECE     (UINT32_C(8) << 10)
#define WT_CODE_RULES_FUNCTIONS 16

/** The rules of a piece's first bytes; len 0: there are none. */
struct wt_code_span {
	uint64_t at;
	uint32_t len;
};

/** Zeroed has none. */
struct wt_code_rules {
	struct wt_unwind_writer writer; /**< spans lie one behind the other in it */
	struct wt_buf last;             /**< information that was added last, which many pieces share */
	struct wt_code_span last_span;
};

/** Adds a piece's information. Without any that makes sense, or without memory, the span is empty. */
struct wt_code_span wt_code_rules_add(struct wt_code_rules *rules, struct wt_cursor eh_frame);
/** The rule so many bytes from the start of the piece; NULL: none is known. Valid until the next piece is
 * added. */
const struct wt_abi_unwind_rule *wt_code_rules_find(const struct wt_code_rules *rules,
						    struct wt_code_span span, uint64_t offset);
uint64_t wt_code_rules_bytes(const struct wt_code_rules *rules);
void wt_code_rules_deinit(struct wt_code_rules *rules);

#endif
