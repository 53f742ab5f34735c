// SPDX-License-Identifier: MIT
/* The kind of a provider's event, by its id. */
#include "providers/perf/internal.h"

#include <string.h>

uint32_t wt_perf_kind_of(const struct wt_kinds *kinds, const char *provider, uint16_t id)
{
	for (uint32_t i = 0; i < kinds->n; i++)
		if (kinds->kinds[i].event->id == id && !strcmp(kinds->kinds[i].provider->name, provider))
			return i;
	return WT_KIND_NONE;
}
