/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A cache of unwind tables on disk, by key. Tables are mapped when they are needed again.
 *
 * The cache is a directory that belongs to the user (0700) and is bounded in bytes (several writers at once
 * may exceed the bound by the tables that they are adding). Any number of processes may use it at once: a
 * table appears complete under its name, by rename, and is never written to again. A process that has
 * mapped a table keeps it, even if the table is then removed. A file whose content does not agree with its
 * name and its checksum is removed and counts as absent. To check this, a file is read whole once after
 * each start of the system; later it is only checked that nobody has written to it since (STACKWALK.md
 * section 5). One object is for one thread.
 */
#ifndef TRACECORE_STACKWALK_CACHE_H
#define TRACECORE_STACKWALK_CACHE_H

#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

/** The default bound of a directory, bytes. */
#define WT_UNWIND_CACHE_BYTES (UINT64_C(512) << 20)

struct wt_unwind_cache {
	int dir; /**< owned; -1: closed */
	uint64_t max_bytes;
	uint64_t boot;       /**< identifies this run of the system; 0: not known, then every file is read
			      * whole */
	uint64_t read_whole; /**< tables that were found and had to be read whole */
	uint64_t damaged;    /**< files removed because their content was wrong */
};

/** A table in memory: mapped from the cache. Zeroed is none. */
struct wt_unwind_mapping {
	const void *bytes;
	uint64_t size;
};

/** Opens a directory, made if absent (its parent must exist). It must belong to this user and be writable
 * by nobody else: WT_ERR_PERMISSION. max_bytes 0: WT_UNWIND_CACHE_BYTES. */
int wt_unwind_cache_open(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			 struct wt_err *err);
void wt_unwind_cache_close(struct wt_unwind_cache *cache);

/** 0 found: checked and mapped read-only; 1: absent or not usable. An empty key is always absent. */
int wt_unwind_cache_find(struct wt_unwind_cache *cache, const struct wt_unwind_key *key, uint32_t machine,
			 struct wt_unwind_mapping *ret);
void wt_unwind_mapping_deinit(struct wt_unwind_mapping *mapping);

/** Stores a table under the key in its header and replaces an older one. It first makes room: the tables
 * that were unused for longest are removed first. A table that is larger than the bound, or has no key, is
 * not stored: WT_ERR_LIMIT. */
int wt_unwind_cache_put(struct wt_unwind_cache *cache, const struct wt_unwind_table *table,
			struct wt_err *err);

/** Finds another file that is kept beside the tables, under the same bound and with the same checks. Its
 * first eight bytes belong to the caller. A checksum of everything after it follows (little-endian). A
 * name is shorter than WT_UNWIND_CACHE_NAME_SIZE, begins with a hexadecimal digit and is not the name of a
 * table. 0: mapped read-only, unchanged since it was stored; 1: absent, or not usable and therefore
 * removed. */
#define WT_UNWIND_CACHE_NAME_SIZE 96
#define WT_UNWIND_CACHE_SUM_AT    8
#define WT_UNWIND_CACHE_SUM_FROM  16
int wt_unwind_cache_find_other(struct wt_unwind_cache *cache, const char *name,
			       struct wt_unwind_mapping *ret);
/** Writes the checksum into a file. A file that is too short for one is not changed. */
void wt_unwind_cache_sign_other(uint8_t *file, uint64_t size);
/** Stores a file that has its checksum and replaces an older one. */
int wt_unwind_cache_put_other(struct wt_unwind_cache *cache, const char *name, const void *bytes,
			      uint64_t size, struct wt_err *err);

#endif
