/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The functions of a build of the kernel, kept on disk so that the next session need not read all of
 * /proc/kallsyms, which takes the kernel longer than anything else a short session does.
 *
 * The file holds only data that any two boots of one build share: offsets from _stext, no addresses, and
 * nothing of modules, which are loaded and unloaded. The file (kept_file.h) has the build id for its key and
 * two parts: rows and names as in name_rows.h, whose base is _stext. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KERNEL_NAMES_H
#define CONSUMERS_SYMBOLS_KERNEL_NAMES_H

#include "consumers/symbols/kept_file.h"
#include "consumers/symbols/name_rows.h"

/** Bytes of a build id. */
#define WT_KERNEL_NAMES_ID_MAX 64

/** Zeroed is none. */
struct wt_kernel_names {
	struct wt_unwind_mapping file; /**< owned */
	struct wt_name_rows rows;      /**< of file */
};

/** Appends the file of a build: the spans of table that start in [first, last]. */
void wt_kernel_names_write(struct wt_str build_id, const struct wt_symtab *table, uint64_t stext,
			   uint64_t first, uint64_t last, struct wt_buf *out);
/** The table in such a file, for a kernel at stext; it lies in the file's bytes. False: it is not that
 * build's file, or of another length. The checksum is not tested. */
bool wt_kernel_names_read(struct wt_cursor file, struct wt_str build_id, uint64_t stext,
			  struct wt_name_rows *ret);

/** Keeps the table, as above. A failure is ignored: kallsyms is read again next time.
 */
void wt_kernel_names_put(struct wt_unwind_cache *cache, struct wt_str build_id, const struct wt_symtab *table,
			 uint64_t stext, uint64_t first, uint64_t last);
/** False: nothing is kept for that build. */
bool wt_kernel_names_find(struct wt_unwind_cache *cache, struct wt_str build_id, uint64_t stext,
			  struct wt_kernel_names *ret);
void wt_kernel_names_deinit(struct wt_kernel_names *names);

#endif
