/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The messages between a recorder and its builder: one SOCK_SEQPACKET message each way, little-endian.
 *
 *   request  {u32 id, u32 pid, u64 start, u64 end, u64 device, u64 inode, u64 mapped, u64 changed,
 *             u64 modified, u32 links, u8 kind, u8 build id length, build id, counted path}
 *   answer   {u32 id, u8 result, u64 changed, u8 key length, key, counted text}
 *
 * Both are read through a cursor: a request's path comes from a traced process, and a builder may have been
 * taken over by the file it reads.
 */
#ifndef CONSUMERS_UNWIND_BUILD_WIRE_H
#define CONSUMERS_UNWIND_BUILD_WIRE_H

#include "consumers/record/image_set.h"
#include "tracecore/base/buf.h"
#include "tracecore/base/cursor.h"
#include "tracecore/stackwalk/walk.h"

/** No message is larger. Bytes. */
#define WT_BUILD_MESSAGE 8192

/** A mapping whose table is wanted. */
struct wt_build_request {
	uint32_t id; /**< the asker's; comes back with the answer */
	uint32_t pid;
	uint64_t start, end;        /**< where it is mapped */
	uint64_t device, inode;     /**< 0 unknown */
	uint64_t mapped;            /**< first seen mapped, ns since 1970; 0 unknown */
	uint64_t changed, modified; /**< what the recorder saw of the file, as in struct wt_log_image */
	uint32_t links;
	uint8_t kind; /**< WT_IMAGE_FILE or WT_IMAGE_VDSO */
	uint8_t build_id_len;
	uint8_t build_id[WT_BUILD_ID_MAX]; /**< that the file must have; build_id_len 0: not known */
	char path[WT_IMAGE_PATH_MAX];      /**< zero-ended */
};

enum wt_build_result {
	WT_BUILD_MADE = 0,   /**< the table is in the cache, made just now */
	WT_BUILD_FOUND = 1,  /**< it was there */
	WT_BUILD_GONE = 2,   /**< the file could not be had */
	WT_BUILD_FAILED = 3, /**< of this file there is no table */
	WT_BUILD_LATER = 4,  /**< not now: no room for it, no memory, or the disk failed */
	WT_BUILD_DIED = 5,   /**< never sent: the builder ended or was too slow */
};

struct wt_build_answer {
	uint32_t id;
	uint8_t result;              /**< enum wt_build_result */
	uint64_t changed;            /**< MADE, FOUND: last change of the file it is of, ns since 1970; 0: the
				      * vdso has none */
	struct wt_unwind_key key;    /**< MADE, FOUND: what the table is under */
	char text[WT_ERR_TEXT_SIZE]; /**< otherwise why not */
};

void wt_build_request_put(struct wt_buf *out, const struct wt_build_request *request);
/** -1: no request. */
int wt_build_request_get(struct wt_cursor cur, struct wt_build_request *ret);
void wt_build_answer_put(struct wt_buf *out, const struct wt_build_answer *answer);
/** -1: no answer. DIED is none. */
int wt_build_answer_get(struct wt_cursor cur, struct wt_build_answer *ret);

#endif
