/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ways to files of other users that lead through no file system that is a program (FUSE).
 *
 * A user can mount one over any directory or file of his own, with fusermount, and where root has allowed it
 * (user_allow_other) root reaches it. Whoever asks it for anything may wait for ever. What is opened here is
 * held before it is examined, so that a mount that comes later changes nothing. Any thread;
 * async-signal-safe.
 */
#ifndef TRACECORE_BASE_WALK_H
#define TRACECORE_BASE_WALK_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/** True where these ways have to be taken: root looks for what belongs to another user. Everybody else takes
 * the plain ones, which a sandbox is more likely to allow. */
static inline bool wt_walk_is_due(uid_t owner)
{
	return owner && !geteuid();
}

/** Opens what is at the path, with O_PATH and without following a link there. Directories above the last
 * name are trusted, in /run/user those above the user's. -1: errno; EXDEV: a file system that is a program is
 * in the way. */
int wt_walk_open(const char *path);
/** As lstat of the path, with the errors of wt_walk_open. */
int wt_walk_stat(const char *path, struct stat *ret);
/** As openat of what exists, without leaving the mount of dir. -1: errno; EXDEV: something is mounted there.
 * Linux before 5.6 does not know how: there it is openat. */
int wt_walk_below(int dir, const char *name, int flags);
/** As fstatat of dir/name itself, with the errors of wt_walk_below. */
int wt_walk_stat_below(int dir, const char *name, struct stat *ret);

#endif
