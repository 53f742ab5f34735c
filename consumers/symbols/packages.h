/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Finds the package of this system that a file belongs to, by dpkg's database (Debian and its relatives).
 *
 * Meant for the machine that recorded: another one has other packages, or other versions of them. Lines that
 * make no sense are left out; without a database nothing is found. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_PACKAGES_H
#define CONSUMERS_SYMBOLS_PACKAGES_H

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/write/writer.h"
#include "tracecore/stackwalk/cache.h"

struct wt_package {
	uint32_t name, architecture, version;
	uint32_t source; /**< name of the source package; "" where it is `name` */
};

/** A zeroed struct is valid: nothing is wanted. */
struct wt_packages {
	struct wt_strings paths; /**< of the files wanted, as given */
	struct wt_strings plain; /**< the path without a leading /usr, where both name one file */
	uint32_t *owners;        /**< by id in plain: index into rows, or WT_INTERN_NONE; owned */
	uint32_t owners_cap;
	struct wt_strings keys;  /**< "libc6:amd64", "bash": how dpkg names its lists; id = index into rows */
	struct wt_package *rows; /**< owned */
	uint32_t rows_cap;
	struct wt_strings texts;
	uint32_t system; /**< text: "debian bookworm"; "" for unknown */
};

/** Asks for the package of a file. " (deleted)" after its path does not matter. */
int wt_packages_want(struct wt_packages *packages, const char *path, size_t len, struct wt_err *err);
/** Looks all wanted files up, below `root` ("" for this system). Once, after all of them are wanted. cache:
 * where answers are kept (package_answers.h); NULL: nowhere. */
int wt_packages_load(struct wt_packages *packages, const char *root, struct wt_unwind_cache *cache,
		     struct wt_err *err);
/** The package a wanted file came from; NULL when none is known. */
const struct wt_package *wt_packages_of(const struct wt_packages *packages, const char *path, size_t len);
/** Writes a `package` event of provider `wtrace` for each wanted file whose package is known, if the log has
 * such events. Their time is that of the last event. */
int wt_packages_put(const struct wt_packages *packages, const struct wt_kinds *kinds,
		    struct wt_log_writer *log, struct wt_err *err);
/** The id in `plain` of a wanted file; WT_INTERN_NONE: the file is not wanted. */
uint32_t wt_packages_find(const struct wt_packages *packages, const char *path, size_t len);
/** The row of a package, made when it is new; WT_INTERN_NONE: memory is out. */
uint32_t wt_packages_row(struct wt_packages *packages, const char *key, size_t len);
void wt_packages_deinit(struct wt_packages *packages);

#endif
