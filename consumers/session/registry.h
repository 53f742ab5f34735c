/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The providers programs have registered, as somebody without a session sees them: for `list`, and for the
 * names of keywords.
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
	uint32_t processes;           /**< registered now, as far as known */
	uid_t uid;                    /**< whose programs */
};

/** Zeroed is empty and valid. */
struct wt_registry {
	struct wt_registered *list; /**< owned; by name, then uid */
	size_t n, cap;
	uint64_t damaged;           /**< enable files that made no sense */
	struct wt_allowance common; /**< while it is read: of all users but the caller */
};

/** Reads what there is: the caller's own directory, for root those of all users. A directory that is not
 * there yet is empty; nothing is made. */
int wt_registry_read(struct wt_registry *ret, struct wt_err *err);
/** Adds a manifest from a file, as if somebody had registered it (0 processes). */
int wt_registry_add_file(struct wt_registry *registry, const char *path, struct wt_err *err);
/** By name, without case; the one with the most processes when there are several schemas. NULL: nobody. */
const struct wt_registered *wt_registry_find(const struct wt_registry *registry, const char *name);
void wt_registry_deinit(struct wt_registry *registry);

/** Calls fn for the caller's own directory and, for root, those of other users (as_root then), wtrace-UID
 * beside its own. The descriptor is closed behind the call. make: the own directory is made if absent; else
 * an absent one is left out. fn returns -1 to end; what it says of another user's directory is a warning, and
 * the others have their turn (not so when memory is out). */
int wt_registry_each_directory(bool make,
			       int (*fn)(void *ctx, int directory_fd, const char *path, uid_t uid,
					 bool as_root, struct wt_err *err),
			       void *ctx, struct wt_err *err);
/** Most calls of wt_registry_more_directories for one whole walk. */
#define WT_REGISTRY_TURNS 8
/** Says that a walk was given up before its end. */
void wt_registry_tell_behind(void);
/** Calls fn for directories of other users, a bounded number of names at a time. *walk, NULL at first, is
 * where the next call goes on; it is closed at the end, and by closedir when there is none. */
int wt_registry_more_directories(DIR **walk,
				 int (*fn)(void *ctx, int directory_fd, const char *path, uid_t uid,
					   bool as_root, struct wt_err *err),
				 void *ctx, struct wt_err *err);

#endif
