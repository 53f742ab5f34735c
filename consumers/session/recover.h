/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes complete logs from the files of dead sessions: a spool file that was cut off, rings that nobody
 * drained, or both.
 *
 * Events after the recorder's death are reported as a loss without a count (gap.h).
 *
 * A spool file with rings is cut behind its last checkpoint, and the rings provide the rest; without rings
 * every whole block is kept. Rings alone become a log of their own with the programs' events, their schemas
 * and the losses. Then symbols, index and end mark are written as at a stop.
 *
 * A listener hears of progress in segments: first for the existing log, then for its names.
 */
#ifndef CONSUMERS_SESSION_RECOVER_H
#define CONSUMERS_SESSION_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "consumers/session/place.h"
#include "tracecore/base/progress.h"

struct wt_recovered {
	uint64_t events;     /**< in the complete log */
	uint64_t from_rings; /**< those of them that were still in rings */
	uint64_t lost;       /**< reported as lost by the log and the rings */
	uint64_t damaged;    /**< places in rings, and records, that could not be read */
	uint32_t rings;
	bool unended; /**< its recorder did not end it: events after the last one are missing and uncounted */
};

/** Completes the log of a dead session from its spool file and its rings; for root also from other users'
 * rings. Takes the session's lock. The finished log's path goes to kept (PATH_MAX); the rings are removed.
 * Returns 0; 1: the session died before it had written anything, and none of its files are left; -1, with
 * WT_ERR_NOTFOUND when there is neither a log nor rings. */
int wt_recover_session(struct wt_place *place, const struct wt_listener *listener, char *kept,
		       struct wt_recovered *ret, struct wt_err *err);

/** Completes a log in place when it was cut off or left by a dead session. A complete log is left alone. */
int wt_recover_log(const char *path, const struct wt_listener *listener, struct wt_recovered *ret,
		   struct wt_err *err);

/** Makes a log from a directory of rings, whose files stay. log is made and must not exist yet. */
int wt_recover_rings(const char *rings, const char *log, const struct wt_listener *listener,
		     struct wt_recovered *ret, struct wt_err *err);

/** Calls fn for the name of every dead session that left files. */
int wt_recover_each_dead(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err);

#endif
