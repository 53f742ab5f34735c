/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Findings about an image, kept on disk: its functions, their addresses and their source lines, so that the
 * next session need not read its files again.
 *
 * Kept are images of files that have a build id. The inputs of the file (kept_file.h) are every file that was
 * looked at, and every one that was looked for and not there: another debug file, or a first one, makes it
 * void. The key is build id and path of the image, debug root and sysroot, with debuginfod
 * that word, a u16 length before each; the
 * facts are why an address without a function has no name, and enum wt_kept_lines; the parts are
 *
 *   loads   {u64 offset, u64 size, u64 address}
 *   rows and names as in name_rows.h, their base is 0
 *   sequences as in line_table.h, .debug_line and .debug_line_str
 *
 * One thread.
 */
#ifndef CONSUMERS_SYMBOLS_IMAGE_NAMES_H
#define CONSUMERS_SYMBOLS_IMAGE_NAMES_H

#include "consumers/symbols/image.h"
#include "consumers/symbols/kept_file.h"
#include "consumers/symbols/lines.h"
#include "consumers/symbols/line_table.h"
#include "consumers/symbols/name_rows.h"

/** Bytes of lines that are kept. */
#define WT_IMAGE_NAMES_LINES (16u << 20)

enum wt_kept_lines {
	WT_KEPT_LINES_NOT_ASKED, /**< nobody looked for them */
	WT_KEPT_LINES_NONE,      /**< the files have none */
	WT_KEPT_LINES_HERE,
	WT_KEPT_LINES_IN_FILES, /**< too many, or of a kind that is only read from the files */
};

/** Zeroed is none. */
struct wt_image_names {
	struct wt_unwind_mapping file; /**< owned */
	struct wt_name_rows rows;      /**< of file, like the following */
	struct wt_elf_loads loads;
	uint8_t no_name; /**< enum wt_unresolved */
	uint8_t lines;   /**< enum wt_kept_lines */
	struct wt_cursor sequences;
	struct wt_line_sections sections;
};

/** The findings to keep, besides the inputs. */
struct wt_image_findings {
	const struct wt_symtab *table;
	uint8_t no_name;
	bool lines_asked;
	struct wt_lines *lines; /**< NULL: there are none */
};

/** Such images are kept. */
bool wt_image_names_kept(const struct wt_log_image *image);
/** The image's file, without its facts and parts; the key lies in *key, which is the caller's. */
struct wt_kept_file wt_image_names_file(const struct wt_image_roots *roots, const struct wt_log_image *image,
					struct wt_buf *key);

/** Appends the file of an image. */
void wt_image_names_write(const struct wt_image_roots *roots, const struct wt_log_image *image,
			  const struct wt_image *files, const struct wt_image_findings *findings,
			  struct wt_buf *out);
/** Finds the names of the image in such a file; they point into the file's bytes. False: the file is another
 * image's, or is no longer valid. The checksum is not tested. */
bool wt_image_names_read(struct wt_cursor file, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret);

/** Keeps it, as above, unless a file was changed just now. A failure is ignored. */
void wt_image_names_put(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			const struct wt_log_image *image, const struct wt_image *files,
			const struct wt_image_findings *findings);
/** False: nothing is kept that holds. */
bool wt_image_names_find(struct wt_unwind_cache *cache, const struct wt_image_roots *roots,
			 const struct wt_log_image *image, struct wt_image_names *ret);
void wt_image_names_deinit(struct wt_image_names *names);

#endif
