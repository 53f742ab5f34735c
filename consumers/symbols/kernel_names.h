/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The functions of a build of the kernel, kept on disk so that the next session need not read all of
 * /proc/kallsyms, which takes the kernel longer than anything else a short session does.
 *
 * Kept is what any two starts of one build have in common: offsets from _stext, no addresses, and nothing of
 * modules, which come and go. The file is named after the build id and lies in the folder of unwind tables,
 * whose bound and care for concurrent writers it shares:
 *
 *   header  {u32 magic, u16 version, u16 build id length, u64 hash of what follows it, u32 functions,
 *            u32 bytes of names, build id, zeros up to 64 bytes of it}
 *   functions, ascending, WT_KERNEL_NAMES_ROW bytes each:  {u64 offset (below _stext: negative), u32 size,
 *            u32 from the function's start, u32 name}
 *   names, each with a zero behind it
 *
 * What is read is believed no more than any other file: a wrong one is no file. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_KERNEL_NAMES_H
#define CONSUMERS_SYMBOLS_KERNEL_NAMES_H

#include "consumers/symbols/symtab.h"
#include "tracecore/base/cursor.h"
#include "tracecore/kernel_events.h"
#include "tracecore/stackwalk/cache.h"

/** Bytes. */
#define WT_KERNEL_NAMES_HEADER 88
#define WT_KERNEL_NAMES_ROW    20
#define WT_KERNEL_NAMES_ID_MAX 64
#define WT_KERNEL_NAMES_MAX    (64u << 20)

/** Appends the file of a build: the spans of table that start in [first, last]. */
void wt_kernel_names_write(struct wt_str build_id, const struct wt_symtab *table, uint64_t stext,
			   uint64_t first, uint64_t last, struct wt_buf *out);
/** Puts the hash of what follows it into a file that has one; a shorter one stays as it is. */
void wt_kernel_names_sign(uint8_t *file, size_t size);
/** The table in such a file, for a kernel at stext; *ret is the caller's. False: it is not that build's file,
 * it is damaged, or memory is out. */
bool wt_kernel_names_read(struct wt_cursor file, struct wt_str build_id, uint64_t stext,
			  struct wt_symtab *ret);

/** Keeps the table, as above. Failing to is nothing: it is read again next time. */
void wt_kernel_names_put(struct wt_unwind_cache *cache, struct wt_str build_id, const struct wt_symtab *table,
			 uint64_t stext, uint64_t first, uint64_t last);
/** False: nothing is kept for that build. */
bool wt_kernel_names_find(struct wt_unwind_cache *cache, struct wt_str build_id, uint64_t stext,
			  struct wt_symtab *ret);

#endif
