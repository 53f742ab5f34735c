/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Unwind tables kept on disk, by key, and mapped when they are wanted again.
 *
 * A directory of the user's own (0700), bounded in bytes (several writers at once may pass the bound by the
 * tables they are adding). Any number of processes may use it at once: a table appears under its name
 * complete, by rename, and is never written to again; whoever maps one keeps it, also when it is removed
 * meanwhile. A file that is not what its name and its checksum say is removed and counts as absent. It is
 * read whole for that once after each start of the system; later only whether it has been written to since
 * (STACKWALK.md section 5). One object is for one thread.
 */
#ifndef TRACECORE_STACKWALK_CACHE_H
#define TRACECORE_STACKWALK_CACHE_H

#include "tracecore/stackwalk/table_writer.h"
#include "tracecore/stackwalk/walk.h"

/** Bytes a directory may hold, unless said otherwise. */
#define WT_UNWIND_CACHE_BYTES (UINT64_C(512) << 20)

struct wt_unwind_cache {
	int dir; /**< owned; -1: closed */
	uint64_t max_bytes;
	uint64_t boot;       /**< what this run of the system is known by; 0: by nothing, all is read whole */
	uint64_t read_whole; /**< tables found that had to be read whole */
	uint64_t damaged;    /**< files removed because their content was wrong */
};

/** A table in memory: mapped from the cache. Zeroed is none. */
struct wt_unwind_mapping {
	const void *bytes;
	uint64_t size;
};

/** Opens a directory, made when it is not there (its parent must be). It must be a directory of this user
 * that nobody else may write to: WT_ERR_PERMISSION. max_bytes 0: WT_UNWIND_CACHE_BYTES. */
int wt_unwind_cache_open(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			 struct wt_err *err);
void wt_unwind_cache_close(struct wt_unwind_cache *cache);

/** 0 found: checked and mapped read-only; 1: not there, or not usable. An empty key is never there. */
int wt_unwind_cache_find(struct wt_unwind_cache *cache, const struct wt_unwind_key *key, uint32_t machine,
			 struct wt_unwind_mapping *ret);
void wt_unwind_mapping_deinit(struct wt_unwind_mapping *mapping);

/** Stores a table under the key in its header; what was there is replaced. Makes room first, oldest use
 * first. A table larger than the bound, or without a key, is not stored: WT_ERR_LIMIT. */
int wt_unwind_cache_put(struct wt_unwind_cache *cache, const struct wt_unwind_table *table,
			struct wt_err *err);

/** Another file that is kept beside the tables, under the same bound and with the same care. Its first eight
 * bytes are the caller's, then comes a checksum of all behind it (little-endian). Names are shorter than
 * WT_UNWIND_CACHE_NAME_SIZE, begin with a hexadecimal digit and are those of no table. 0 mapped read-only,
 * and as it was stored; 1: not there, or not usable, and then removed. */
#define WT_UNWIND_CACHE_NAME_SIZE 96
#define WT_UNWIND_CACHE_SUM_AT    8
#define WT_UNWIND_CACHE_SUM_FROM  16
int wt_unwind_cache_find_other(struct wt_unwind_cache *cache, const char *name,
			       struct wt_unwind_mapping *ret);
/** Puts the checksum in; a file too short for one stays as it is. */
void wt_unwind_cache_sign_other(uint8_t *file, uint64_t size);
/** Stores one that is signed; what was there is replaced. */
int wt_unwind_cache_put_other(struct wt_unwind_cache *cache, const char *name, const void *bytes,
			      uint64_t size, struct wt_err *err);

#endif
