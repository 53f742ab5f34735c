/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds directories of users with an invalid entry: an entry of the wrong kind, or of another user.
 *
 * Sessions continue without such an entry. Only directories are opened, nothing is made, and links are not
 * followed. Nothing here keeps state; any thread.
 */
#ifndef TRACECORE_ENABLE_PARTS_H
#define TRACECORE_ENABLE_PARTS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/** The number of directories wtrace-UID below base that have such a part. Only a limited number of
 * directories is examined, because every user can fill base. ret (PATH_MAX bytes) gets the path of the
 * first such part, and *uid the user whose directory contains it. Both are untouched when there is none. */
uint32_t wt_parts_odd(const char *base, char *ret, uid_t *uid);

#endif
