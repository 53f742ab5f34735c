/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The writing side of the encoding TICKS of LOGFORMAT.md: times as ticks of their clock.
 *
 * Many counters have steps longer than a nanosecond: 10 ns or 40 ns. The nanoseconds then contain no more
 * than the number of the step, but take three to five bits more for each time, and no general compressor
 * finds that. The length of a step is not given anywhere: it is found from short gaps between times, and
 * made exact from long ones.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_TICKS_H
#define TRACECORE_LOGFMT_FORMAT_TICKS_H

#include "tracecore/logfmt/format/keys.h"

/** Appends a column of n times that never fall, as ticks. False: they do not come from such a clock, and
 * nothing was appended. Facts about the clock are kept in scratch->keys, which must be there, for the next
 * block. */
bool wt_log_put_ticks(struct wt_buf *out, uint16_t id, const uint64_t *times, uint32_t n,
		      struct wt_log_column_scratch *scratch);

#endif
