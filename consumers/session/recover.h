/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What dead sessions left, made into complete logs: a spool file that ends somewhere, rings nobody drained,
 * or both.
 *
 * What the recorder would have written after it died is reported as a loss without a count (gap.h).
 *
 * A spool file with rings is cut behind its last checkpoint, and the rings tell the rest; without rings every
 * whole block of it is kept. Rings alone become a log of their own: what programs wrote, their schemas, the
 * losses. Then symbols, index and end mark are written as at a stop.
 *
 * A listener hears of progress in segments: of a log that is there, then of the names in it.
 */
#ifndef CONSUMERS_SESSION_RECOVER_H
#define CONSUMERS_SESSION_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "consumers/session/place.h"
#include "tracecore/base/progress.h"

struct wt_recovered {
	uint64_t events;     /**< in the complete log */
	uint64_t from_rings; /**< of them, those that were still in rings */
	uint64_t lost;       /**< reported by the log and the rings */
	uint64_t damaged;    /**< places in rings, and records, that made no sense */
	uint32_t rings;
	bool unended; /**< its recorder did not end it: what came behind its last event is missing, uncounted
		       */
};

/** Completes what the dead session left in its spool file and its rings; for root also in other users' rings.
 * Takes the session's lock. The kept log's path goes to kept (PATH_MAX); the rings are removed.
 * 0; 1: it died before it had written anything, and nothing is left of it now; -1, WT_ERR_NOTFOUND when there
 * is neither a log nor rings. */
int wt_recover_session(struct wt_place *place, const struct wt_listener *listener, char *kept,
		       struct wt_recovered *ret, struct wt_err *err);

/** Completes a log in place: one that was cut off, or that a dead session left. A complete one is left alone.
 */
int wt_recover_log(const char *path, const struct wt_listener *listener, struct wt_recovered *ret,
		   struct wt_err *err);

/** Makes a log of a directory of rings, whose files stay. log is made and must not be there yet. */
int wt_recover_rings(const char *rings, const char *log, const struct wt_listener *listener,
		     struct wt_recovered *ret, struct wt_err *err);

/** Calls fn for the name of every dead session that left something. */
int wt_recover_each_dead(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err);

#endif
