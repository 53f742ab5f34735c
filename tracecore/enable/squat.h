/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Handles directory names that another user has taken, in places where every user may make directories.
 *
 * Sessions of root take root's names back, in one step. An old entry that cannot be removed stays under
 * another name. Other users cannot do this: they use a directory below /run/user/UID, which only root makes
 * for them, and root's sessions look there for users whose name is taken. Once that directory exists, all
 * processes use it, whether or not the name is still taken. It is removed when the user's last login ends.
 * Nothing here keeps state; any thread.
 */
#ifndef TRACECORE_ENABLE_SQUAT_H
#define TRACECORE_ENABLE_SQUAT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** True when there is an entry that is not a directory of owner, or another user's program serves a file
 * system there (way.h). *by gets the user, or WT_MOUNT_NOBODY. */
bool wt_squat_is_taken(const char *path, uid_t owner, uid_t *by);
/** For root: replaces any entry at path with a new, empty directory of that mode. File systems of other
 * users' programs are unmounted there. 0, or -1 with errno. */
int wt_squat_take_back(const char *path, mode_t mode);
/** Bytes of the longest path below that is written into ret. */
#define WT_SQUAT_PATH 64

/** Writes the directory that owner uses instead of `path` into ret (WT_SQUAT_PATH bytes): `wtrace-spool` for
 * a path below /var/tmp, else `wtrace`, below /run/user/UID. False when there is no /run/user/UID for owner.
 */
bool wt_squat_instead(const char *path, uid_t owner, char *ret);
/** As wt_squat_instead; false also when that directory does not exist. When it exists it is used. */
bool wt_squat_is_left(const char *path, uid_t owner, char *ret);

#endif
