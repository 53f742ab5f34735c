/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Where a session lives: its lock and socket, and its spool file.
 *
 *   RUNTIME/NAME.lock   flock'ed by the worker and the keeper through one shared open file: free when both
 * are dead RUNTIME/NAME.sock   the control socket SPOOL/NAME.part     the log while it grows
 *   SPOOL/NAME-DATE.etl a finished log nobody has asked for yet, or what a dead session left
 *
 * RUNTIME is /dev/shm/wtrace-UID, SPOOL is /var/tmp/wtrace-UID; both are directories of mode 0700 owned by
 * the caller, opened without following links and used through their descriptors, so that another user
 * squatting on the name is noticed and not trusted. The environment variables WTRACE_RUNTIME and WTRACE_SPOOL
 * name others.
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

/** Checks the name and opens (making them if absent) both directories. No lock yet. */
int wt_place_open(const char *name, struct wt_place *ret, struct wt_err *err);

/** Opens a directory of the user's own, made if absent; root takes its usual ones back from whoever has them:
 * only here, so that programs never do. */
int wt_place_open_directory(const char *path, struct wt_err *err);

/** Says which of the usual directories are somebody else's, and what becomes of that; once. */
void wt_place_tell_taken(void);

/** Takes the session's lock: 0 taken, 1 a live session has it, -1 error; WT_ERR_EXISTS: a session of that
 * name with another runtime directory writes the spool file. */
int wt_place_lock(struct wt_place *place, struct wt_err *err);

/** True while a live process holds the session's lock. */
bool wt_place_alive(const struct wt_place *place);

/** Puts "SPOOL/NAME.part" into ret (PATH_MAX bytes). */
void wt_place_part_path(const struct wt_place *place, char *ret);
/** True when a spool file of that session is there. */
bool wt_place_has_part(const struct wt_place *place);
/** Removes that file when nothing has been written to it: true when it did. For the holder of the lock. */
bool wt_place_drop_empty_part(const struct wt_place *place);
/** True when it is the file that is open as fd. */
bool wt_place_part_is(const struct wt_place *place, int fd);
/** Makes the spool file, mode 0600, empty, not there before. Returns its descriptor or -1. */
int wt_place_create_part(const struct wt_place *place, struct wt_err *err);
/** Makes the empty file SPOOL/NAME.packed, in the place of any that was left, for a smaller spool file. Its
 * descriptor or -1. */
int wt_place_create_packed(const struct wt_place *place, struct wt_err *err);
/** Puts it in the spool file's place; 0 or -1. */
int wt_place_use_packed(const struct wt_place *place, struct wt_err *err);
void wt_place_drop_packed(const struct wt_place *place);
/** Renames the spool file to SPOOL/NAME-DATE.etl; its path goes to ret (PATH_MAX bytes). */
int wt_place_keep_part(const struct wt_place *place, char *ret, struct wt_err *err);

/** The listening control socket: any old one is removed first (the lock must be held). Returns it or -1. */
int wt_place_listen(const struct wt_place *place, struct wt_err *err);
/** Connects to the session's socket. -1 with WT_ERR_NOTFOUND when nobody listens. */
int wt_place_connect(const struct wt_place *place, struct wt_err *err);
/** Removes the socket and the lock file; the lock itself ends with its descriptor. */
void wt_place_remove(const struct wt_place *place);

/** Calls fn for each session name that has a lock file, live or dead. */
int wt_place_each(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx, struct wt_err *err);

/** Closes the descriptors (and so gives up this process's share of the lock). */
void wt_place_close(struct wt_place *place);

#endif
