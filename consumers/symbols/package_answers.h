/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What the package database was asked and said, kept on disk: sessions of one machine ask for the same files,
 * and an answer takes reading all lists of all packages.
 *
 * Kept are answers for this system only, also that no package has a file. They hold while the database is as
 * it was (image_inputs.h: the directory of lists, the status, os-release). The file lies in the directory of
 * unwind tables, whose bound and care for concurrent writers it shares:
 *
 *   header  {u32 magic, u16 version, u16 zero, u64 checksum (wt_unwind_cache_sign_other), u32 answers}
 *   inputs as in image_inputs.h, WT_PACKAGE_INPUTS of them
 *   system
 *   answers {path, u8 known, and if so key, name, architecture, version, source}
 *
 * Texts have a u16 length before them; all is little-endian. What is read is believed no more than any other
 * file: a wrong one is no file. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_PACKAGE_ANSWERS_H
#define CONSUMERS_SYMBOLS_PACKAGE_ANSWERS_H

#include "consumers/symbols/image_inputs.h"
#include "consumers/symbols/packages.h"

enum {
	WT_PACKAGE_INPUTS = 3,
	WT_PACKAGE_ANSWERS = 4096, /**< answers kept; with more those of the last session stay */
};

/** Adds what the answers come from. To be called before it is read. */
void wt_package_answers_begin(struct wt_image_inputs *inputs);
/** Fills in what such a file answers; *left, the files whose package is not known yet, goes down. 1: it is no
 * such file, or does not hold any more, and nothing is filled in; -1: memory is out. */
int wt_package_answers_read(struct wt_cursor file, struct wt_packages *packages, uint32_t *left);
/** Appends the file of all that was answered. */
void wt_package_answers_write(const struct wt_packages *packages, const struct wt_image_inputs *inputs,
			      struct wt_buf *out);

/** As read, from the directory. */
int wt_package_answers_find(struct wt_unwind_cache *cache, struct wt_packages *packages, uint32_t *left);
/** Keeps all that was answered, and what was kept and still holds, unless the database was changed just now.
 * Failing to is nothing. */
void wt_package_answers_put(struct wt_unwind_cache *cache, const struct wt_packages *packages,
			    const struct wt_image_inputs *inputs);

#endif
