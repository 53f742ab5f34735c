/* SPDX-License-Identifier: MIT */
/** Notes about names in --where that no event in the log has. */
#ifndef TOOLS_NEAR_MISSES_H
#define TOOLS_NEAR_MISSES_H

#include "consumers/analysis/filter.h"

int wt_note_near_misses(const struct wt_view_filter *filter, struct wt_err *err);

#endif
