/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The images that at least one address space maps: one counted object per image, found by what it is.
 *
 * Two mappings have the same image when kind, path, build id, device and inode are equal, and the file is
 * not marked as possibly changed in between (`past`, image_change.h). An image lives as long as a range
 * refers to it, so a machine that builds programs all day does not fill the table. The set also counts the
 * bytes of all address spaces. Single-threaded.
 */
#ifndef CONSUMERS_RECORD_IMAGE_SET_H
#define CONSUMERS_RECORD_IMAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumers/record/map_shares.h"
#include "tracecore/kernel_events.h"

/** Longer paths are cut. */
#define WT_IMAGE_PATH_MAX 4096
#define WT_BUILD_ID_MAX   20

/** The id of an object in the log's current segment; valid while `epoch` equals the interner's. */
struct wt_row {
	uint32_t epoch; /**< 0: never */
	uint32_t id;
};

struct wt_image_entry {
	struct wt_image_entry *next; /**< in its bucket */
	uint32_t hash;
	uint32_t refs;
	struct wt_map_share *share; /**< the share it counts for; NULL: none */
	uint64_t device, inode;     /**< 0 unknown */
	uint64_t mapped;            /**< session clock: first seen mapped; 0: unknown */
	uint64_t changed;           /**< as in struct wt_log_image (image_change.h) */
	uint64_t modified;          /**< the same, */
	uint32_t links;             /**< the same, */
	bool looked;                /**< all three were asked for */
	bool late;                  /**< when it was looked at, it had been changed after the mapping */
	bool past;                  /**< the file may have changed since: a new mapping is of another image */
	uint64_t looked_at;         /**< session clock: when the file was last looked at and was this image */
	struct wt_row row;          /**< the interner's */
	struct wt_row module;       /**< the unwinder's */
	uint8_t kind;               /**< enum wt_image_kind */
	uint8_t build_id_len;       /**< 0 unknown */
	uint8_t build_id[WT_BUILD_ID_MAX];
	uint32_t path_len;
	char path[]; /**< not zero-ended */
};

/** A zeroed struct is a valid empty set. */
struct wt_image_set {
	struct wt_image_entry **buckets; /**< owned; mask + 1 of them */
	uint32_t mask;
	uint32_t count;
	size_t bytes;      /**< of the entries, the buckets and all address spaces */
	uint64_t versions; /**< number of versions given to address spaces so far */
};

/** Returns the image of a loader event of that time, with one reference for the caller. NULL when memory is
 * out. */
struct wt_image_entry *wt_image_set_get(struct wt_image_set *set, const struct wt_image_payload *payload,
					uint64_t time);
/** Counts a new image for the share, until the image is freed. An image that exists already keeps its share.
 */
void wt_image_charge(struct wt_image_entry *image, struct wt_map_share *share);
/** Takes a further reference. */
struct wt_image_entry *wt_image_set_share(struct wt_image_entry *image);
/** Gives a reference back; the last one frees the image. NULL is fine. */
void wt_image_set_put(struct wt_image_set *set, struct wt_image_entry *image);
/** All references must have been given back. */
void wt_image_set_deinit(struct wt_image_set *set);

#endif
