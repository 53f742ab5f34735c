/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Looks at the file that lies at an image's path now: its owner, whether it is the file that was mapped, and
 * whether a reader may have to wait for a program or a network.
 *
 * Paths that lead, by what the kernel has in memory, to a file system of its own are looked at here, and
 * cannot wait. All others are looked at apart (tracecore/base/apart.h). One thread.
 */
#ifndef CONSUMERS_SYMBOLS_SIGHT_H
#define CONSUMERS_SYMBOLS_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracecore/logfmt/format/tables.h"

/** So many files may leave a question without an answer: then only what cannot wait is looked at. Each costs
 * up to WT_APART_TRUSTED. */
#define WT_SIGHT_SILENT 4

struct wt_sight {
	bool there;
	bool ours;    /**< the file that was mapped, as this machine sees it. In a container, or below another
		       * root, the same path is another file, and this machine's packages say nothing of it. */
	bool near;    /**< a reader waits for nobody */
	bool kept;    /**< its path has no links, and only root and the caller can write to its directory and
		       * to those above it: the file stays at its path, and so do the files beside it, which
		       * are read for its debug information */
	uint32_t uid; /**< UINT32_MAX: not known; a program that serves files is not trusted about it */
	uint64_t size;
};

/** Files that did not answer. Zeroed: none. */
struct wt_sights {
	char *silent[WT_SIGHT_SILENT]; /**< their paths, owned */
	uint32_t n_silent;
	uint64_t near; /**< a mount whose files wait for nobody; 0: none is known */
};

/** The image is of a file with a path that can be looked at. */
bool wt_sight_is_file(const struct wt_log_image *image);
/** Looks, and may wait. */
void wt_sight_see(const struct wt_log_image *image, struct wt_sight *ret);
/** Looks without waiting for long; false: no answer came, now or before. */
bool wt_sight_look(struct wt_sights *sights, const struct wt_log_image *image, struct wt_sight *ret);
/** The image's file did not answer, later. */
void wt_sights_add_silent(struct wt_sights *sights, const struct wt_log_image *image);
void wt_sights_deinit(struct wt_sights *sights);

#endif
