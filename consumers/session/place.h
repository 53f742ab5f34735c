/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The files of a session: its lock and socket, and its spool file.
 *
 *   RUNTIME/NAME.lock   flock'ed by the worker and the keeper through one shared open file: free when both
 * are dead RUNTIME/NAME.sock   the control socket SPOOL/NAME.part     the log while it grows
 *   SPOOL/NAME-DATE.etl a finished log that nobody has asked for yet, or the log of a dead session
 *
 * RUNTIME is /dev/shm/wtrace-UID, SPOOL is /var/tmp/wtrace-UID; both are directories of mode 0700 owned by
 * the caller, opened without following links and used through their descriptors, so that a directory made by
 * another user under that name is noticed and not trusted. The environment variables WTRACE_RUNTIME and
 * WTRACE_SPOOL name other directories.
 */
#ifndef CONSUMERS_SESSION_PLACE_H
#define CONSUMERS_SESSION_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "tracecore/base/err.h"

/** Longest session name. Letters, digits, '.', '_' and '-', not starting with '.'. */
#define WT_SESSION_NAME_MAX 64
/** The session's name when none is given. */
#define WT_SESSION_DEFAULT "default"

struct wt_place {
	char name[WT_SESSION_NAME_MAX + 1];
	char runtime[PATH_MAX]; /**< directory paths, for messages and for sun_path */
	char spool[PATH_MAX];
	int runtime_fd; /**< -1 when not open */
	int spool_fd;
	int lock_fd; /**< holds the lock; -1 when not taken */
};

/** Checks the name and opens both directories, making them if absent. Takes no lock. */
int wt_place_open(const char *name, struct wt_place *ret, struct wt_err *err);

/** Opens a directory of the user's own, made if absent. Root takes back its usual directories from another
 * owner; this happens only here, so that programs never do it. */
int wt_place_open_directory(const char *path, struct wt_err *err);

/** Reports, once, the usual directories that belong to others, and the consequence. */
void wt_place_tell_taken(void);

/** Takes the session's lock: 0 taken, 1 a live session has it, -1 error. WT_ERR_EXISTS: a session of that
 * name with another runtime directory writes the spool file. */
int wt_place_lock(struct wt_place *place, struct wt_err *err);

/** True while a live process holds the session's lock. */
bool wt_place_alive(const struct wt_place *place);

/** Puts "SPOOL/NAME.part" into ret (PATH_MAX bytes). */
void wt_place_part_path(const struct wt_place *place, char *ret);
/** True when a spool file of that session exists. */
bool wt_place_has_part(const struct wt_place *place);
/** Removes that file if nothing has been written to it; true when it was removed. Only for the holder of the
 * lock. */
bool wt_place_drop_empty_part(const struct wt_place *place);
/** True when the spool file is the file that is open as fd. */
bool wt_place_part_is(const struct wt_place *place, int fd);
/** Makes the spool file, mode 0600, empty, and new. Returns its descriptor or -1. */
int wt_place_create_part(const struct wt_place *place, struct wt_err *err);
/** Makes the empty file SPOOL/NAME.packed, replacing an old one, for a smaller spool file. Returns its
 * descriptor or -1. */
int wt_place_create_packed(const struct wt_place *place, struct wt_err *err);
/** Replaces the spool file by NAME.packed; 0 or -1. */
int wt_place_use_packed(const struct wt_place *place, struct wt_err *err);
void wt_place_drop_packed(const struct wt_place *place);
/** Renames the spool file to SPOOL/NAME-DATE.etl and puts that path into ret (PATH_MAX bytes). */
int wt_place_keep_part(const struct wt_place *place, char *ret, struct wt_err *err);

/** Makes the listening control socket, after removing an old one (the lock must be held). Returns it or -1.
 */
int wt_place_listen(const struct wt_place *place, struct wt_err *err);
/** Connects to the session's socket. -1 with WT_ERR_NOTFOUND when nobody listens. */
int wt_place_connect(const struct wt_place *place, struct wt_err *err);
/** Removes the socket and the lock file; the lock itself ends with its descriptor. */
void wt_place_remove(const struct wt_place *place);

/** Calls fn for each session name that has a lock file, live or dead. */
int wt_place_each(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx, struct wt_err *err);

/** Closes the descriptors, and with them this process's share of the lock. */
void wt_place_close(struct wt_place *place);

#endif
