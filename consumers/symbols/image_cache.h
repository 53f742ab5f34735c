/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Images with loaded tables, bounded in memory: the least recently used images are unloaded first.
 *
 * The findings about an image (why it has no names) are kept for good; its tables are loaded again when they
 * are needed again. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_IMAGE_CACHE_H
#define CONSUMERS_SYMBOLS_IMAGE_CACHE_H

#include "consumers/symbols/file_proof.h"
#include "consumers/symbols/image_names.h"
#include "consumers/symbols/inline_store.h"
#include "consumers/symbols/kernel.h"

struct wt_cached_image {
	uint8_t reason;            /**< enum wt_unresolved: nothing at all is known; else WT_RESOLVED */
	uint8_t no_name;           /**< why an address without a symbol has none */
	uint64_t base;             /**< kernel kinds: address of offset 0 */
	bool by_loads;             /**< offsets are those of a file: not from base */
	struct wt_elf_loads loads; /**< where they are */
	struct wt_file_facts file; /**< the executed file, behind the reading; not there: names are those of a
				    * separate file of that build */
	struct wt_names names;     /**< those of `own`, `kept` or the kernel */
	struct wt_lines *lines;    /**< owned; NULL when not asked for or not there */
	struct wt_inline_store *inlines; /**< owned; NULL: wt_image_cache_inlines was not called */
	struct wt_symtab own;            /**< read from files */
	struct wt_image_names kept;      /**< found in the cache on disk */
	uint64_t bytes;                  /**< counted of this image */
	bool loaded;
	struct wt_cached_image *newer, *older; /**< order of use, of those loaded */
};

struct wt_image_cache {
	struct wt_image_roots roots; /**< borrowed strings */
	struct wt_kernel kernel;
	struct wt_unwind_cache
		*cache; /**< where findings are kept (image_names.h); borrowed; NULL: nowhere */
	bool want_lines, want_inlines;
	uint64_t max_bytes, bytes;
	struct wt_strings keys;          /**< kind, build id and path */
	struct wt_cached_image **images; /**< by key id; owned */
	size_t cap;
	struct wt_cached_image *newest, *oldest;
};

/** The image, loaded; NULL when memory is out. Valid until the next call. */
struct wt_cached_image *wt_image_cache_get(struct wt_image_cache *cache, const struct wt_log_image *image,
					   struct wt_err *err);
/** The file that the image is of as it is now, if it is that one; fills ret. */
void wt_image_cache_look(const struct wt_image_cache *cache, const struct wt_log_image *image,
			 struct wt_file_facts *ret);
/** The inlined functions of an image that wt_image_cache_get returned. NULL: they are not wanted. */
struct wt_inline_store *wt_image_cache_inlines(struct wt_image_cache *cache, const struct wt_log_image *image,
					       struct wt_cached_image *cached);
/** Counts anew what the image holds, after its lines were used. */
void wt_image_cache_touch(struct wt_image_cache *cache, struct wt_cached_image *image);
void wt_image_cache_deinit(struct wt_image_cache *cache);

#endif
