/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the file below a file on an overlay.
 *
 * A file on an overlay has its content in a file of a layer. Who maps it maps that file: the kernel then
 * refuses a lease on the file of the layer while there is a writer, but not one on the overlay's file. The
 * layers are those that the mount names, as far as the caller sees them: in a container it mostly does not.
 */
#ifndef TRACECORE_BASE_OVERLAY_H
#define TRACECORE_BASE_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

/** fd: any descriptor. */
bool wt_is_on_overlay(int fd);
/** fd: any descriptor of a file on an overlay. Returns a descriptor of the file below (O_PATH), owned by the
 * caller, which has its size, mode and times to the nanosecond and its place in the layer; -1: not found. */
int wt_overlay_below(int fd);
/** As above, for who must not wait: uses only what the kernel has in memory. mount: a line of the caller's
 * own mountinfo, of the overlay that the file is on; of a file that another mount namespace reaches, any line
 * of that overlay. */
int wt_overlay_below_cached(int fd, const char *mount);

#endif
