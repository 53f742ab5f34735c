/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The providers that programs have registered, read without a session: for `list`, and for the names of
 * keywords.
 */
#ifndef CONSUMERS_SESSION_REGISTRY_H
#define CONSUMERS_SESSION_REGISTRY_H

#include <dirent.h>
#include <sys/types.h>

#include "tracecore/base/allowance.h"
#include "tracecore/base/err.h"
#include "tracecore/schema/schema.h"

struct wt_registered {
	struct wt_provider *provider; /**< owned */
	uint32_t processes;           /**< registered now, as far as is known */
	uid_t uid;                    /**< whose programs */
};

/** Zeroed is empty and valid. */
struct wt_registry {
	struct wt_registered *list; /**< owned; by name, then uid */
	size_t n, cap;
	uint64_t damaged;           /**< enable files that could not be read */
	struct wt_allowance common; /**< while reading: of all users but the caller */
};

/** Reads the caller's own directory, for root those of all users. A directory that does not exist yet counts
 * as empty; nothing is made. */
int wt_registry_read(struct wt_registry *ret, struct wt_err *err);
/** Adds a manifest from a file, as if a program had registered it (0 processes). */
int wt_registry_add_file(struct wt_registry *registry, const char *path, struct wt_err *err);
/** Finds a provider by name, without case; of several schemas, the one with the most processes. NULL: none.
 */
const struct wt_registered *wt_registry_find(const struct wt_registry *registry, const char *name);
void wt_registry_deinit(struct wt_registry *registry);

/** Calls fn for the caller's own directory and, for root, those of other users (as_root then), wtrace-UID
 * beside its own. The descriptor is closed after the call. make: the own directory is made if absent;
 * otherwise an absent one is left out. fn returns -1 to end the walk. An error in another user's directory
 * is a warning, and the others have their turn, unless memory is out. */
int wt_registry_each_directory(bool make,
			       int (*fn)(void *ctx, int directory_fd, const char *path, uid_t uid,
					 bool as_root, struct wt_err *err),
			       void *ctx, struct wt_err *err);
/** Most calls of wt_registry_more_directories for one whole walk. */
#define WT_REGISTRY_TURNS 8
/** Reports that a walk was given up before its end. */
void wt_registry_tell_behind(void);
/** Calls fn for directories of other users, a bounded number of names at a time. *walk, NULL at first, holds
 * the position for the next call. It is closed at the end; a caller that stops earlier closes it by
 * closedir. */
int wt_registry_more_directories(DIR **walk,
				 int (*fn)(void *ctx, int directory_fd, const char *path, uid_t uid,
					   bool as_root, struct wt_err *err),
				 void *ctx, struct wt_err *err);

#endif
