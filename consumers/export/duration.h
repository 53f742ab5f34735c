/* SPDX-License-Identifier: MIT */
/** @file Lengths of time for people: 37 ns, 1.25 ms. */
#ifndef CONSUMERS_EXPORT_DURATION_H
#define CONSUMERS_EXPORT_DURATION_H

#include "tracecore/base/buf.h"

void wt_duration_text(double ns, struct wt_buf *out);

#endif
