/* SPDX-License-Identifier: MIT */
#include "consumers/export/duration.h"

#include <math.h>

void wt_duration_text(double ns, struct wt_buf *out)
{
	static const struct {
		double least, unit; /* least: the smallest ns that are rounded to a whole unit */
		const char *name;
	} units[] = {{999995000, 1e9, "s"}, {999995, 1e6, "ms"}, {999.995, 1e3, "us"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (fabs(ns) >= units[i].least) {
			wt_buf_printf(out, "%.2f %s", ns / units[i].unit, units[i].name);
			return;
		}
	wt_buf_printf(out, ns == floor(ns) ? "%.0f ns" : "%.2f ns", ns);
}
