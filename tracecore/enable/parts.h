/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Directories of users in which something stands that is not what it must be: another kind of thing, or
 * another's.
 *
 * Sessions leave out what such a part would have reported to them. Nothing is opened but directories, nothing
 * is made, and links are not followed. Nothing here keeps state; any thread.
 */
#ifndef TRACECORE_ENABLE_PARTS_H
#define TRACECORE_ENABLE_PARTS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/** How many directories wtrace-UID below base have such a part, of the first that are looked at (base is
 * anybody's to fill). ret (PATH_MAX bytes) gets the path of the first part and *uid whose directory it is in;
 * untouched when there is none. */
uint32_t wt_parts_odd(const char *base, char *ret, uid_t *uid);

#endif
