/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Bringing a finished log from the spool to where the user wants it.
 *
 * The target is replaced in one step (rename), so that no partial file ever looks whole. What is already
 * there is replaced only with --force; an empty file is as good as none.
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

/** Whether a log could be put there, asked before anything is stopped: the directory exists and can be
 * written, and what is there may be replaced. */
int wt_deliver_check(const char *target, enum wt_replace replace, struct wt_err *err);

/** Gives the file `from` the name target, in one step, by the same rules. The file that was examined is the
 * one that goes, whoever else writes in that directory: one that came in its place meanwhile, a link, a FIFO,
 * is put back, and this fails. A link at target is replaced, never followed. On another file system
 * err->sys_errno is EXDEV. */
int wt_deliver_place(const char *from, const char *target, enum wt_replace replace, struct wt_err *err);

/** Moves (or, across file systems, copies, syncs and renames) the log. On failure the log stays where it is
 * and the error says where. */
int wt_deliver(const char *log, const char *target, enum wt_replace replace, struct wt_err *err);

/** A copy of any file as target, by the same rules; the original stays. */
int wt_deliver_copy(const char *log, const char *target, enum wt_replace replace, struct wt_err *err);

#endif
