// SPDX-License-Identifier: MIT
#include "tools/near_misses.h"

#include "consumers/analysis/near_miss.h"
#include "tracecore/base/diag.h"

static void say(void *ctx, const char *line)
{
	(void)ctx;
	wt_note("%s", line);
}

int wt_note_near_misses(const struct wt_view_filter *filter, struct wt_err *err)
{
	return wt_view_near_misses(filter, say, NULL, err);
}
