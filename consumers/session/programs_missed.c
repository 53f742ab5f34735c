// SPDX-License-Identifier: MIT
/* Turns programs' losses that they could count in no ring into lost events. */
#include "consumers/session/programs_impl.h"

/* Interval of asking programs: one small read for each provider. */
#define ASK_NS WT_NSEC

static int on_missed(void *ctx, uint32_t provider, uint64_t n, struct wt_err *err)
{
	struct wt_programs_directory *directory = ctx;

	return wt_rings_miss(directory->rings, provider, n, err);
}

int wt_programs_tell_missed(struct wt_programs *programs, bool now, struct wt_err *err)
{
	uint64_t time = wt_clock_now();
	int rc;

	if (!now && time - programs->last_missed < ASK_NS)
		return 0;
	programs->last_missed = time;
	if (wt_programs_tell_room(programs, time, err))
		return -1;
	for (size_t i = 0; i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];

		if (!directory->rings || (!now && wt_allowance_is_spent(directory->allowance)))
			continue;
		wt_allowance_begin(directory->allowance);
		rc = wt_control_missed(directory->control, on_missed, directory, err);
		wt_allowance_end(directory->allowance);
		if (rc < 0)
			return -1;
		if (!rc)
			wt_rings_looked_for_missed(directory->rings);
	}
	return 0;
}
