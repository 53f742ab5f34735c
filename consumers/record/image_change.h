/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The time of an image file's last change, read soon after the file was mapped, and whether that change came
 * before the mapping.
 *
 * Devices and inodes are used again: by loop devices, by file systems without a device, by removable drives.
 * A file that is found under them later has another time of change, to the nanosecond. Paths are resolved
 * only in the kernel's memory, and a file is looked at only where the table of mounts says that its file
 * system answers from memory (mounts.h) and is the file system of the mapping: no file system can make the
 * caller wait. Files on other file systems (FUSE, NFS and the like) are not looked at. On an overlay only
 * writers are looked for, in the layer below, where the caller's own mounts have the overlay.
 *
 * A file that a process can write to at that moment (writers.h) may change later without another time, so it
 * counts as not found. Whoever writes later leaves another time, or in a file system in memory a report to
 * the watch (tracecore/base/file_watch.h).
 */
#ifndef CONSUMERS_RECORD_IMAGE_CHANGE_H
#define CONSUMERS_RECORD_IMAGE_CHANGE_H

#include "consumers/record/image_set.h"
#include "consumers/record/mounts.h"

/** Returns the time in the form of struct wt_log_image. The first call looks at the file and keeps the result
 * in the image, with the time of its content and its number of links. */
uint64_t wt_image_change(struct wt_image_entry *image, struct wt_mounts *mounts);

/** Returns whether the file, which was mapped once more at that time (session clock), may differ from the
 * file that was looked at; `past` is set from then on. The file is known to be unchanged when it was looked
 * at after that mapping or has the same time of change now. Where no time of change can be read, nothing
 * else can show it. An image without a file never changes. */
bool wt_image_is_past(struct wt_image_entry *image, uint64_t time, struct wt_mounts *mounts);

#endif
