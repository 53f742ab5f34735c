// SPDX-License-Identifier: MIT
/* What a session knows of programs in tight circumstances: their standing, and rings made ready for them. */
#include "tools/session/user_impl.h"

/* Processes are looked at so often. */
#define LOOK_NS (WT_NSEC / 20)

static bool is_bound(void *ctx, uint32_t pid)
{
	return wt_control_is_bound(ctx, pid);
}

static void look(struct wt_user_folder *folder)
{
	struct wt_ring_spec spec;

	wt_control_look(folder->control);
	if (!wt_control_has_bound(folder->control))
		return;
	wt_control_spec(folder->control, &spec);
	wt_rings_ready(folder->rings, &spec, folder->user->n_cpus, is_bound, folder->control);
}

void wt_user_look_at_processes(struct wt_user_folder *folder)
{
	if (folder->beacon || !folder->rings || wt_allowance_is_spent(folder->allowance))
		return;
	wt_allowance_begin(folder->allowance);
	look(folder);
	wt_allowance_end(folder->allowance);
}

void wt_user_look_at_all_processes(struct wt_user *user)
{
	uint64_t now = wt_clock_now();

	if (now - user->last_processes < LOOK_NS)
		return;
	user->last_processes = now;
	for (size_t i = 0; i < user->n_folders; i++)
		wt_user_look_at_processes(user->folders[i]);
}
