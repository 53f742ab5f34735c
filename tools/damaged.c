// SPDX-License-Identifier: MIT
#include "tools/damaged.h"

#include "tracecore/base/diag.h"

void wt_warn_damaged(const struct wt_log_reader *log, const char *path, const char *output)
{
	uint32_t n = wt_log_info(log)->n_damages;

	if (n)
		wt_warn("%s is damaged in %u place%s: unreadable parts are not in the %s (wtrace verify)",
			path, n, n == 1 ? "" : "s", output);
}
