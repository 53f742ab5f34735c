/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/inline_store.c
// Covers: tracecore/logfmt/format/inlined.c
/* Any bytes as the kept inlined functions of an image: a byte that says how many rows there are, rows,
 * chains. */
#include <stdint.h>
#include <stdlib.h>

#include "consumers/symbols/inline_store.h"
#include "tracecore/logfmt/format/inlined.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written anew of a chain is its whole calls. */
static void ask(const struct wt_inline_rows *rows, uint64_t address)
{
	struct wt_log_symbol symbol = {0}, again = {0};
	struct wt_cursor chain, at;
	struct wt_log_inlined call;
	struct wt_buf copy = {0};

	if (!wt_inline_rows_find(rows, address, &chain) || wt_cur_left(&chain) > UINT16_MAX)
		return;
	symbol.inlined = wt_str_of(chain.pos, wt_cur_left(&chain));
	at = wt_log_inlined_begin(&symbol);
	for (uint32_t i = 0; i < wt_log_inlined_count(&symbol); i++)
		if (!wt_log_inlined_next(&at, &call) || !wt_log_inlined_put(&copy, &call))
			abort();
	again.inlined = wt_str_of(copy.data, copy.len);
	if (wt_log_inlined_count(&again) != wt_log_inlined_count(&symbol))
		abort();
	wt_buf_deinit(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_cursor all = wt_cursor(data, size), parts;
	struct wt_inline_rows rows;
	size_t bytes = (size_t)wt_cur_u8(&all) * WT_INLINE_ROW;

	parts = wt_cur_sub(&all, bytes < wt_cur_left(&all) ? bytes : wt_cur_left(&all));
	if (!wt_inline_rows_of(parts, all, &rows))
		return 0;
	ask(&rows, 0);
	ask(&rows, UINT64_MAX);
	while (wt_cur_left(&parts)) {
		struct wt_cursor row = wt_cur_sub(&parts, WT_INLINE_ROW);

		ask(&rows, wt_cur_u64(&row));
	}
	return 0;
}
