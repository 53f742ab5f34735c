/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Bytes of code: of an image's file, or of one of the same build id, and of the running kernel. Whether the
 * file at the image's path is the one that was mapped is the caller's question (file_proof.h). One thread.
 */
#ifndef CONSUMERS_SYMBOLS_CODE_FILE_H
#define CONSUMERS_SYMBOLS_CODE_FILE_H

#include "consumers/symbols/image.h"
#include "tracecore/base/buf.h"

/** Appends n bytes at an offset of the image's file, or nothing when they are not there. */
void wt_code_file_read(const struct wt_image_roots *roots, const struct wt_log_image *image, uint64_t offset,
		       uint32_t n, struct wt_buf *out);
/** Appends n bytes at an address of the running kernel, as /proc/kcore has them, or nothing. */
void wt_code_kernel_read(uint64_t address, uint32_t n, struct wt_buf *out);

#endif
