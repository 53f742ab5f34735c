/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Goes through a log file header by header, without reading payloads, and finds the next block after
 * damage. Opening, continuing and finishing a file all use this walk.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_WALK_H
#define TRACECORE_LOGFMT_FORMAT_WALK_H

#include "tracecore/logfmt/format/block.h"

enum { WT_LOG_WINDOW = 1 << 16 };

struct wt_log_walk {
	int fd;
	uint64_t offset; /**< the expected begin of the next block */
	uint64_t end;    /**< no block reaches beyond it */
	uint64_t window_at;
	size_t window_len;
	uint8_t window[WT_LOG_WINDOW];
};

enum wt_log_step {
	WT_LOG_STEP_BLOCK = 0,   /**< a block with a sound header that lies completely before the end */
	WT_LOG_STEP_END = 1,     /**< nothing more */
	WT_LOG_STEP_DAMAGE = 2,  /**< bytes that are not a block were skipped */
	WT_LOG_STEP_CUT = 3,     /**< the file ends in the middle of a block; nothing follows */
	WT_LOG_STEP_FAILED = -1, /**< the file cannot be read */
};

struct wt_log_place {
	uint64_t offset;                    /**< of the block or the damage */
	struct wt_disk_block_header header; /**< of a block */
	const char *what;                   /**< of damage or cut: static text */
};

/** Sound 64-byte file header? WT_ERR_FORMAT, WT_ERR_VERSION or WT_ERR_SYSTEM when this is no log that can be
 * read. *damaged: the header is readable, but its checksum is wrong. name is for messages. */
int wt_log_read_file_header(int fd, const char *name, struct wt_disk_file_header *ret, bool *damaged,
			    struct wt_err *err);

/** Starts behind the file header. */
void wt_log_walk_init(struct wt_log_walk *walk, int fd, uint64_t offset, uint64_t end);
enum wt_log_step wt_log_walk_next(struct wt_log_walk *walk, struct wt_log_place *ret, struct wt_err *err);

/** True, and *ret filled, when the last bytes of a file of that size are a sound end mark. */
bool wt_log_read_end_mark(int fd, uint64_t file_bytes, struct wt_disk_end_mark *ret);

#endif
