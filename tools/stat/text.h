/* SPDX-License-Identifier: MIT */
/** @file The tables of stat, in wperf's shape. */
#ifndef TOOLS_STAT_TEXT_H
#define TOOLS_STAT_TEXT_H

#include "consumers/stat/found.h"

/** Writes the tables, with the line of the time elapsed. */
void wt_stat_text(const struct wt_stat_found *found, struct wt_buf *out);

#endif
