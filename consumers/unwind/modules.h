/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The images that stacks were found in, and their unwind tables (UNWIND.md sections 1 and 3).
 *
 * A module is one file as it was at one time: build id, device, inode and last change. Where the last change
 * cannot be seen, each image is a module of its own. A table is of the file as it has been since its last
 * change, and good from then on (`from`). It is found from an image in one step, once it has been
 * looked up for that image. Tables are asked of the builder, which holds them against the file. At most
 * WT_MODULES are kept; beyond it the one that was not used for longest goes, unless its table is being made.
 * Images are of one object of this kind. One thread.
 */
#ifndef CONSUMERS_UNWIND_MODULES_H
#define CONSUMERS_UNWIND_MODULES_H

#include "consumers/record/mounts.h"
#include "consumers/record/space.h"
#include "consumers/unwind/builder.h"

/** Modules kept. */
#define WT_MODULES 4096
/** Different reasons that are reported for modules without a table. */
#define WT_MODULES_WARNED 16

enum wt_module_state {
	WT_MODULE_FREE = 0,
	WT_MODULE_WANTED = 1, /**< its table is being made */
	WT_MODULE_READY = 2,
	WT_MODULE_NONE = 3, /**< it has no table */
};

/** The facts known about a module's file. Zeroed where unknown. */
struct wt_module_id {
	uint64_t device, inode;
	uint64_t path;    /**< hash */
	uint64_t changed; /**< its last change; or, with the top bit, a number no other image has */
	uint8_t kind;     /**< WT_IMAGE_FILE or WT_IMAGE_VDSO */
	uint8_t build_id_len;
	uint8_t build_id[WT_BUILD_ID_MAX];
	uint8_t zero[2];
};
_Static_assert(sizeof(struct wt_module_id) == 56, "compared and hashed as bytes");

struct wt_module {
	uint8_t state;          /**< enum wt_module_state */
	uint8_t tries;          /**< requests made */
	bool gone;              /**< NONE because the file could not be had: another process may have it */
	uint64_t again;         /**< NONE: session clock, when it may be asked for again; 0: never, or now */
	uint32_t last_pid;      /**< whose mapping was asked for */
	uint32_t uid, waiter;   /**< on whose account, and the process that last waited for it */
	uint32_t charged;       /**< READY: on whose account its bytes are */
	uint8_t refused;        /**< times that there was no room for its request, since the last one taken */
	uint32_t next;          /**< in its bucket, index + 1 */
	uint32_t epoch;         /**< changes when the slot gets another module */
	struct wt_module_id id; /**< facts about it from its images */
	uint64_t asked;         /**< WANTED: since when, session clock */
	uint64_t used;          /**< turn of the last use */
	struct wt_unwind_mapping mapping; /**< READY */
	struct wt_unwind_view view;       /**< READY */
	uint32_t fallback;                /**< READY: enum wt_walk_fallback */
	uint64_t from; /**< READY: session clock; of samples before it the file may have been another */
};

struct wt_modules {
	struct wt_module *list;  /**< owned; WT_MODULES of them */
	uint32_t *buckets;       /**< owned; index + 1 */
	uint32_t n;              /**< slots that were ever used */
	uint32_t epochs;         /**< given so far */
	uint64_t unseen;         /**< images whose last change could not be seen */
	struct wt_mounts mounts; /**< where files are looked at */
	uint64_t turn;
	uint64_t removed; /**< tables taken out of memory: a caller that remembers their rules must forget
			     them */
	struct wt_unwind_cache cache;
	struct wt_builder builder;
	uint64_t answered; /**< when the builder last finished a table or gave one up; session clock */
	uint64_t tables, table_bytes, built, failed;
	uint32_t n_warnings;
	uint64_t warned[WT_MODULES_WARNED]; /**< hashes of what was said */
};

/** The cache moves in. */
int wt_modules_init(struct wt_modules *modules, const struct wt_unwind_cache *cache, uint64_t build_time,
		    struct wt_err *err);
void wt_modules_deinit(struct wt_modules *modules);

/** The module of a range of process pid; its table is looked for, and asked for when there is none. NULL: the
 * range is no file's and no vdso, or all slots are wanted. Good until the next call. */
struct wt_module *wt_modules_find(struct wt_modules *modules, const struct wt_range *range, uint32_t pid);

/** The time in ns for which a stack of process pid waits for a table that is being made. It is `patience`,
 * or less for a user who has a share of the builder's time, and 0 when the share is used up. A table that
 * others wait for too is charged to a user who has time left. */
uint64_t wt_modules_patience(struct wt_modules *modules, struct wt_module *module, uint32_t pid,
			     uint64_t patience);

/** Takes the builder's answers. */
void wt_modules_serve(struct wt_modules *modules);

#endif
