/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names that somebody else has taken: directories are made where everybody may make some.
 *
 * Sessions of root take its names back, in one step, and leave what they found under another one if it
 * cannot be removed. Others cannot: they use a directory below /run/user/UID, which only root makes for them,
 * and root's sessions look there for those whose name is taken. Once that directory is there it is the place
 * for everybody, whether or not the name is still taken: until it is removed, with the user's last login.
 * Nothing here keeps state; any thread.
 */
#ifndef TRACECORE_ENABLE_SQUAT_H
#define TRACECORE_ENABLE_SQUAT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** True when something is there that is no directory of owner; *by gets whose it is. */
bool wt_squat_is_taken(const char *path, uid_t owner, uid_t *by);
/** For root: a new, empty directory of that mode stands at path, whatever was there. 0, or -1 with errno. */
int wt_squat_take_back(const char *path, mode_t mode);
/** The directory of owner in the place of `path`, by what the last part of that begins with, into ret
 * (PATH_MAX bytes). False when there is no place for it. */
bool wt_squat_instead(const char *path, uid_t owner, char *ret);
/** As wt_squat_instead; false also when that directory does not exist. Where it exists it is used. */
bool wt_squat_is_left(const char *path, uid_t owner, char *ret);

#endif
