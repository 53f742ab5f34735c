/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the files that describe an image of the trace.
 *
 * Files are tried in this order: the file at the image's path, the debug file by build id below the debug
 * root, and the debug file the file links to (same directory, .debug/ there, debug root + directory); without
 * a debug file the symbols packed into the file itself (.gnu_debugdata). A build id, when the trace has one,
 * must match everywhere; a linked file without it must have the link's CRC.
 */
#ifndef CONSUMERS_SYMBOLS_IMAGE_H
#define CONSUMERS_SYMBOLS_IMAGE_H

#include "consumers/symbols/elf_file.h"
#include "consumers/symbols/image_inputs.h"
#include "tracecore/logfmt/format/tables.h"

struct wt_image_roots {
	const char *debug;   /**< "/usr/lib/debug" */
	const char *sysroot; /**< put in front of all paths; "" for none */
	const int *others;   /**< directories that were / for others; n_others of them */
	size_t n_others;
	bool debuginfod; /**< then ask the servers (debuginfod.h) */
};

struct wt_image {
	struct wt_elf file;  /**< the executed file; closed when it is missing or of another build */
	struct wt_elf debug; /**< separate debug file; closed when there is none */
	struct wt_elf mini;  /**< the content of .gnu_debugdata; closed when there is none or `debug` is open,
			      * which contains more */
	struct wt_elf_loads loads;     /**< of the executed file */
	struct wt_image_inputs inputs; /**< what was looked at */
	bool elsewhere;                /**< the file lies below another root */
	uint8_t reason;                /**< enum wt_unresolved; WT_RESOLVED when at least one file is open */
};

/** Finds the files of an image of kind WT_IMAGE_FILE. Always fills ret. */
void wt_image_open(const struct wt_image_roots *roots, const struct wt_log_image *image,
		   struct wt_image *ret);
/** The vdso of this process, if it is the build wanted. any_machine: one without a build id may be another.
 */
void wt_image_open_vdso(const struct wt_log_image *image, bool any_machine, struct wt_image *ret);
void wt_image_close(struct wt_image *image);

/** Opens the file that an image is of below the roots of others, by device and inode, where it does not lie
 * at its path here; -1: it does, or is not there either. */
int wt_image_open_elsewhere(const struct wt_image_roots *roots, const struct wt_log_image *image);

/** True when the path ends in the mark the kernel puts behind deleted files, which is then cut off. */
bool wt_image_cut_deleted(struct wt_str *path);

#endif
