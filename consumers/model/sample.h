/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Which kinds of events are samples: those that stand for time or for work that nobody saw.
 */
#ifndef CONSUMERS_MODEL_SAMPLE_H
#define CONSUMERS_MODEL_SAMPLE_H

#include "tracecore/logfmt/read/reader.h"

/** The kind is a span of CPU time without a sample. */
bool wt_view_is_unsampled(const struct wt_log_segment *segment, uint32_t kind);
/** The kind is a sample; a span without one counts as one. */
bool wt_view_is_sample(const struct wt_log_segment *segment, uint32_t kind);

#endif
