/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The inputs of findings about an image: paths, and the files that were there. The findings hold as long as
 * no input changes.
 *
 * A file is known by device, inode, size, and times of change of content and inode. As bytes, little-endian:
 * {u16 length of path, path, u8 there, and if so u64 device, u64 inode, u64 size, u64 seconds and u32
 * nanoseconds twice}. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_IMAGE_INPUTS_H
#define CONSUMERS_SYMBOLS_IMAGE_INPUTS_H

#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"

/** Zeroed is valid and empty. */
struct wt_image_inputs {
	struct wt_buf bytes; /**< owned */
	uint32_t n;
	bool fresh; /**< a further change of one might not show: it was changed a moment ago, a process can
		     * write to it, or it lies in a file system in memory (writers.h) */
};

/** Adds a path; fd is the file that was opened there, or -1: none could be. */
void wt_image_inputs_add(struct wt_image_inputs *inputs, const char *path, int fd);
/** Takes n inputs; false: they are not as they were, or make no sense. */
bool wt_image_inputs_hold(struct wt_cursor *cur, uint32_t n);
void wt_image_inputs_deinit(struct wt_image_inputs *inputs);

#endif
