/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The file in which findings are kept on disk, so that the next session need not look again: of an image
 * (image_names.h, inline_store.h), of a kernel (kernel_names.h), of the package database (package_answers.h).
 *
 * A file holds while all inputs are as they were (image_inputs.h). It is named ID-HASH-KIND.vVERSION, by a
 * build id and a hash of the key, and lies in the directory of unwind tables, whose bound and care for
 * concurrent writers it shares:
 *
 *   header  {u32 magic, u8 version, u8 kind, u8 facts[2], u64 checksum (wt_unwind_cache_sign_other), u32
 *            bytes of the key, u32 inputs, u32 bytes of each of WT_KEPT_PARTS parts}
 *   key, inputs as in image_inputs.h, the parts, and nothing behind them
 *
 * The kind defines the meaning of key, facts and parts. Numbers are little-endian. A kept file is trusted no
 * more than any other: a wrong one counts as missing. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KEPT_FILE_H
#define CONSUMERS_SYMBOLS_KEPT_FILE_H

#include "consumers/symbols/image_inputs.h"
#include "tracecore/kernel_events.h"
#include "tracecore/stackwalk/cache.h"

#define WT_KEPT_PARTS   6
#define WT_KEPT_VERSION 3
/** Bytes of a file at most. */
#define WT_KEPT_MAX (64u << 20)

enum wt_kept_kind { WT_KEPT_IMAGE = 1, WT_KEPT_KERNEL, WT_KEPT_PACKAGES, WT_KEPT_INLINES };

/** The kept findings: borrowed from the writer, or inside the file that was read. */
struct wt_kept_file {
	enum wt_kept_kind kind;
	struct wt_str id;  /**< a build id, or empty: begins the file's name */
	struct wt_str key; /**< distinguishes the files of a kind */
	uint8_t facts[2];
	const struct wt_image_inputs *inputs; /**< of a file that is written; NULL: none, it holds for good */
	struct wt_cursor parts[WT_KEPT_PARTS];
};

/** Appends the file, signed. */
void wt_kept_file_write(const struct wt_kept_file *kept, struct wt_buf *out);
/** Fills in the facts and parts of the file of kept's kind and key. False: it is not that file, or does not
 * hold any more. The checksum is not tested. */
bool wt_kept_file_read(struct wt_cursor file, struct wt_kept_file *kept);

/** Stores a file that was written, under the name of its kind, id and key. A file that failed or is too large
 * is not stored; a failure to store is ignored. */
void wt_kept_file_put(struct wt_unwind_cache *cache, const struct wt_kept_file *kept,
		      const struct wt_buf *file);
/** Maps the file of kept's kind, id and key, which is still to be read. False: none is kept. */
bool wt_kept_file_find(struct wt_unwind_cache *cache, const struct wt_kept_file *kept,
		       struct wt_unwind_mapping *ret);
static inline struct wt_cursor wt_kept_file_bytes(const struct wt_unwind_mapping *file)
{
	return wt_cursor(file->bytes, file->size);
}

#endif
