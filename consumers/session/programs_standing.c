// SPDX-License-Identifier: MIT
/* Publishes the rights of restricted programs, and makes rings for them. */
#include "consumers/session/programs_impl.h"

/* Interval of looking at processes. */
#define LOOK_NS (WT_NSEC / 20)

static bool is_bound(void *ctx, uint32_t pid)
{
	return wt_control_is_bound(ctx, pid);
}

static void look(struct wt_programs_directory *directory)
{
	struct wt_ring_spec spec;

	wt_control_look(directory->control);
	if (!wt_control_has_bound(directory->control))
		return;
	wt_control_spec(directory->control, &spec);
	wt_rings_ready(directory->rings, &spec, directory->programs->n_cpus, is_bound, directory->control);
}

void wt_programs_look_at_processes(struct wt_programs_directory *directory)
{
	if (directory->beacon || !directory->rings || wt_allowance_is_spent(directory->allowance))
		return;
	wt_allowance_begin(directory->allowance);
	look(directory);
	wt_allowance_end(directory->allowance);
}

void wt_programs_look_at_all_processes(struct wt_programs *programs)
{
	uint64_t now = wt_clock_now();

	if (now - programs->last_processes < LOOK_NS)
		return;
	programs->last_processes = now;
	for (size_t i = 0; i < programs->n_directories; i++)
		wt_programs_look_at_processes(programs->directories[i]);
}
