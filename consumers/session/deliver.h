/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Moves a finished log from the spool to the user's target.
 *
 * The target is replaced in one step (rename), so that no partial file ever looks whole. An existing file is
 * replaced only with --force, or when it is empty.
 */
#ifndef CONSUMERS_SESSION_DELIVER_H
#define CONSUMERS_SESSION_DELIVER_H

#include "consumers/session/place.h"
#include "consumers/session/wire.h"

enum wt_replace { WT_REPLACE_NOTHING, WT_REPLACE_ANYTHING };

static inline enum wt_replace wt_replace_by(bool force)
{
	return force ? WT_REPLACE_ANYTHING : WT_REPLACE_NOTHING;
}

/** Checks that a log could be put there, before anything is stopped: the directory exists and can be written,
 * and an existing file may be replaced. */
int wt_deliver_check(const char *target, enum wt_replace replace, struct wt_err *err);

/** Gives the file `from` the name target, in one step, by the same rules. Only the file that was examined is
 * replaced, whoever else writes in that directory: if another file, a link or a FIFO took its place, that
 * one is put back and the call fails. A link at target is replaced, never followed. On another file system
 * err->sys_errno is EXDEV. */
int wt_deliver_place(const char *from, const char *target, enum wt_replace replace, struct wt_err *err);

/** Moves (or, across file systems, copies, syncs and renames) the log. On failure the log stays in its place,
 * and the error names that place. */
int wt_deliver(const char *log, const char *target, enum wt_replace replace, struct wt_err *err);

/** Copies any file to target, by the same rules; the original stays. */
int wt_deliver_copy(const char *log, const char *target, enum wt_replace replace, struct wt_err *err);

#endif
