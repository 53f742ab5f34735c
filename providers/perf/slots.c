// SPDX-License-Identifier: MIT
/* The requested events, and their stacks. */
#include "providers/perf/internal.h"

#include <string.h>

#include "providers/perf/user_regs.h"
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

void wt_perf_ask_stack(const struct wt_perf *perf, struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (!perf->stack_bytes)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	if (!perf->caps.kernel)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = WT_PERF_REGS->mask;
	attr->sample_stack_user = perf->stack_bytes;
}
