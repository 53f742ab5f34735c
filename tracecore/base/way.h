/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Ways to files that lead through no file system of another user's program (FUSE).
 *
 * A user can mount one over any directory or file of his own, with fusermount, and where root has allowed it
 * (user_allow_other) everybody reaches it. Whoever asks it for anything may wait for ever. So the last name
 * of a path is held (O_PATH), and is asked only when its mount is that of the directory above, or the
 * kernel's, or one that the caller or root has made. What is held is not replaced by a later mount. Without
 * /proc mounts are not known, and everything is asked. Any thread; async-signal-safe.
 */
#ifndef TRACECORE_BASE_WAY_H
#define TRACECORE_BASE_WAY_H

#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/** Opens what is at the path, with O_PATH and without following a link there. Directories above the last
 * name are trusted; for root, in /run/user those above the user's. -1: errno; EXDEV: another user's program
 * is in the way, and *by (may be NULL) is who mounted it, or WT_MOUNT_NOBODY. */
int wt_way_open(const char *path, uid_t *by);
/** As lstat of the path, with the errors of wt_way_open. */
int wt_way_stat(const char *path, struct stat *ret, uid_t *by);

/** True where names in a directory of the owner have to be reached without leaving its mount: root looks for
 * what belongs to another user. The owner's own programs take plain calls, which a sandbox is more likely to
 * allow. */
static inline bool wt_way_is_due(uid_t owner)
{
	return owner && !geteuid();
}
/** As openat of what exists, without leaving the mount of dir. -1: errno; EXDEV: something is mounted there.
 * Linux before 5.6 does not know how: there it is openat. */
int wt_way_below(int dir, const char *name, int flags);
/** As fstatat of dir/name itself, with the errors of wt_way_below. */
int wt_way_stat_below(int dir, const char *name, struct stat *ret);

#endif
