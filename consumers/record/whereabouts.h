/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Reads from /proc the program and surroundings of a process: path, command line, control group, container,
 * pid inside. Meanwhile the process may have begun another program, or ended.
 *
 * The container is the id or name in the control group's path, in the form of docker, podman, lxc,
 * systemd-nspawn and similar programs; otherwise "mnt:NUMBER" where the process's mount namespace is not the
 * caller's own.
 */
#ifndef CONSUMERS_RECORD_WHEREABOUTS_H
#define CONSUMERS_RECORD_WHEREABOUTS_H

#include "consumers/record/cgroup_id.h"
#include "tracecore/base/buf.h"
#include "tracecore/kernel_events.h"
#include "tracecore/lives.h"

/** Room for the strings of the last answer. Zeroed is empty. */
struct wt_whereabouts {
	struct wt_buf exe, command_line, cgroup, container;
	struct wt_cgroup_ids cgroups;
	uint64_t own_namespace; /**< number of the caller's mount namespace; 0: not asked for yet */
};
void wt_whereabouts_deinit(struct wt_whereabouts *where);

/** Fills exe, command_line, caught, cgroup, container and inside_pid of *ret, whose pid and name are given.
 * life: more facts about the exec; NULL: none. Fields that cannot be found out stay empty. */
void wt_whereabouts_of(struct wt_whereabouts *where, const struct wt_life *life, struct wt_proc_payload *ret);

/** The path of the control group from the text of /proc/PID/cgroup: that of version 2, or the longest where
 * that is the root. Points into the text. */
struct wt_str wt_cgroup_path(struct wt_str text);
/** The container a control group's path names, into out; nothing where it names none. */
void wt_cgroup_container(struct wt_str path, struct wt_buf *out);
/** The last pid of the line "NSpid:" of /proc/PID/status; 0: there is none. */
uint32_t wt_status_inside_pid(struct wt_str text);

#endif
