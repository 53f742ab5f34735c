/* SPDX-License-Identifier: MIT */
/**
 * @file
 * When the file of an image was last changed, seen soon after it was mapped; and whether that was still
 * before.
 *
 * Devices and inodes are used again: by loop devices, by file systems without a device, by sticks. The file
 * that is found there later was changed at another time, to the nanosecond. Paths are followed in what the
 * kernel has in memory, and a file is looked at only where the table of mounts says that its file system
 * answers from memory (mounts.h) and is the mapping's: no file system can make the caller wait. Files of
 * others (overlay, FUSE, NFS and the like) are not looked at.
 */
#ifndef CONSUMERS_RECORD_IMAGE_CHANGE_H
#define CONSUMERS_RECORD_IMAGE_CHANGE_H

#include "consumers/record/image_set.h"
#include "consumers/record/mounts.h"

/** As struct wt_log_image has it; the file is looked at the first time, and what it tells is kept in the
 * image, with the time of its content and its number of links. */
uint64_t wt_image_change(struct wt_image_entry *image, struct wt_mounts *mounts);

/** Whether the file, which was mapped once more at that time (session clock), may be another one than it was
 * when it was looked at: `past` says so from then on. It is the same when it was looked at after that
 * mapping, or bears the same change now; where no change can be seen, nothing else tells. An image that is
 * not a file stays what it is. */
bool wt_image_is_past(struct wt_image_entry *image, uint64_t time, struct wt_mounts *mounts);

#endif
