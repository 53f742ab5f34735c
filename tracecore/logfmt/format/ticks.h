/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Times as ticks of the clock behind them: the encoding TICKS of LOGFORMAT.md, the writing side.
 *
 * Many counters step slower than nanoseconds: in steps of 10 ns, of 40 ns. The nanoseconds then say no more
 * than the number of the step, in three to five bits more for each time, and no general compressor finds
 * that. How long a step is, nobody tells: it is found from short gaps between times, and made exact from
 * long ones.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_TICKS_H
#define TRACECORE_LOGFMT_FORMAT_TICKS_H

#include "tracecore/logfmt/format/keys.h"

/** Appends a column of n times that never fall, as ticks; false: nothing was appended, no such clock is
 * behind them. What is learned of the clock is kept in scratch->keys, which must be there, for the next
 * block. */
bool wt_log_put_ticks(struct wt_buf *out, uint16_t id, const uint64_t *times, uint32_t n,
		      struct wt_log_column_scratch *scratch);

#endif
