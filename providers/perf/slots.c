// SPDX-License-Identifier: MIT
/* The events that were asked for. */
#include "providers/perf/internal.h"

#include <string.h>

#include "tracecore/base/grow.h"

struct wt_perf_slot *wt_perf_add_slot(struct wt_perf *perf, const char *provider, const char *name)
{
	struct wt_perf_slot *slot;

	if (wt_grow_one(&perf->slots, perf->n_slots, NULL))
		return NULL;
	slot = &perf->slots[perf->n_slots];
	*slot = (struct wt_perf_slot){
		.provider = strdup(provider), .name = strdup(name), .machine = !perf->n_pids};
	perf->n_slots++;
	return slot->provider && slot->name ? slot : NULL;
}
