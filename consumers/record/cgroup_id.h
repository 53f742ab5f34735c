/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the path of a control group by its number, for processes that have ended. One thread.
 */
#ifndef CONSUMERS_RECORD_CGROUP_ID_H
#define CONSUMERS_RECORD_CGROUP_ID_H

#include <limits.h>
#include <stdbool.h>

#include "tracecore/base/buf.h"

/** A zeroed struct is valid and has looked at nothing yet. */
struct wt_cgroup_ids {
	bool looked;
	bool only; /**< no process of this machine is in groups of version 1 */
	int fd; /**< root of the mount of version 2; -1: no mount, or only a part of the hierarchy is mounted
		 */
	char at[PATH_MAX];
};
void wt_cgroup_ids_deinit(struct wt_cgroup_ids *ids);

/** Puts the path of the version 2 group with that number into out, in the form of /proc/PID/cgroup. Returns
 * false when the group no longer exists, when the caller may not look it up, or when it is the root of
 * version 2 while processes are in groups of version 1, which have other paths. */
bool wt_cgroup_of_id(struct wt_cgroup_ids *ids, uint64_t id, struct wt_buf *out);

#endif
