/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/standing.h"

static const uint64_t nobody_looked;
static const struct wt_standing_entry nowhere = {&nobody_looked, UINT64_MAX};

const struct wt_standing_entry *wt_standing_entry = &nowhere;
unsigned wt_standing_at_first;
unsigned wt_standing_told;
bool (*wt_has_stack)(void);
