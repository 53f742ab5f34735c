/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Questions to the package database and its answers, kept on disk: sessions of one machine ask for the same
 * files, and an answer takes reading all lists of all packages.
 *
 * Kept are answers for this system only, also that no package has a file. The inputs of the file
 * (kept_file.h) are the database: the directory of lists, the status, os-release. It has no key and two
 * parts, with a u16 length before each text:
 *
 *   system
 *   answers {path, u8 known, and if so key, name, architecture, version, source}
 *
 * One thread.
 */
#ifndef CONSUMERS_SYMBOLS_PACKAGE_ANSWERS_H
#define CONSUMERS_SYMBOLS_PACKAGE_ANSWERS_H

#include "consumers/symbols/kept_file.h"
#include "consumers/symbols/packages.h"

/** Answers kept; with more those of the last session stay. */
enum { WT_PACKAGE_ANSWERS = 4096 };

/** Adds what the answers come from. To be called before it is read. */
void wt_package_answers_begin(struct wt_image_inputs *inputs);
/** Fills in what such a file answers; *left, the files whose package is not known yet, goes down. 1: it is no
 * such file, or does not hold any more, and nothing is filled in; -1: memory is out. */
int wt_package_answers_read(struct wt_cursor file, struct wt_packages *packages, uint32_t *left);
/** Appends the file of all that was answered, and of earlier answers to what was not asked now. */
void wt_package_answers_write(const struct wt_packages *packages, const struct wt_image_inputs *inputs,
			      struct wt_cursor earlier, struct wt_buf *out);

/** Fills in what the file in the directory answers. Returns as wt_package_answers_read. */
int wt_package_answers_find(struct wt_unwind_cache *cache, struct wt_packages *packages, uint32_t *left);
/** Keeps all answers, new ones and kept ones that still hold, unless the database was changed just now. A
 * failure is ignored. */
void wt_package_answers_put(struct wt_unwind_cache *cache, const struct wt_packages *packages,
			    const struct wt_image_inputs *inputs);

#endif
