/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The inlined functions of one image: those found before and kept on disk, and those still to be found in its
 * files, which are only opened for an address that is not kept.
 *
 * New findings are kept together with the old ones when the store is closed: for an image of a file that has
 * a build id, as a file of kind WT_KEPT_INLINES (kept_file.h). Its key and inputs are those of names
 * (image_names.h); its first fact is 1 when the files have no debug information; its parts are
 *
 *   rows    {u64 address, u32 offset in chains, u32 bytes}, ascending; 0 bytes: nothing is inlined there
 *   chains  as in tracecore/logfmt/format/inlined.h
 *
 * Findings that depend on further files are not kept, because changes of these are not noticed: split units,
 * and supplementary files that are not there. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_INLINE_STORE_H
#define CONSUMERS_SYMBOLS_INLINE_STORE_H

#include "consumers/symbols/image.h"
#include "tracecore/stackwalk/cache.h"

struct wt_inline_store;

/** cache NULL: nothing is kept. roots and cache are borrowed until the store is closed. NULL: memory is out.
 */
struct wt_inline_store *wt_inline_store_open(struct wt_unwind_cache *cache,
					     const struct wt_image_roots *roots,
					     const struct wt_log_image *image);
/** Appends the chain of an address, or nothing. */
void wt_inline_store_find(struct wt_inline_store *store, uint64_t address, struct wt_buf *chain);
/** Memory held, as far as it is known. */
uint64_t wt_inline_store_bytes(const struct wt_inline_store *store);
/** Keeps what is new, and closes. */
void wt_inline_store_close(struct wt_inline_store *store);

/** Rows and chains as they lie in a file. */
struct wt_inline_rows {
	struct wt_cursor rows, chains;
};
enum { WT_INLINE_ROW = 16 };

/** Reads such parts; false: they make no sense. */
bool wt_inline_rows_of(struct wt_cursor rows, struct wt_cursor chains, struct wt_inline_rows *ret);
/** False: the address is not there, or what is said of it lies elsewhere. */
bool wt_inline_rows_find(const struct wt_inline_rows *rows, uint64_t address, struct wt_cursor *chain);

#endif
