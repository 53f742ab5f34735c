/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Tells which kinds of events are samples, and which stand for time or work without a sample.
 */
#ifndef CONSUMERS_MODEL_SAMPLE_H
#define CONSUMERS_MODEL_SAMPLE_H

#include "tracecore/logfmt/read/reader.h"

/** True when the kind is a span of CPU time without a sample. */
bool wt_view_is_unsampled(const struct wt_log_segment *segment, uint32_t kind);
/** True when the kind is a sample; a span without one counts as a sample. */
bool wt_view_is_sample(const struct wt_log_segment *segment, uint32_t kind);

#endif
