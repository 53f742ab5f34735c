/* SPDX-License-Identifier: MIT */
/**
 * @file
 * What is missing behind a log that its recorder did not end: it was killed, or the file was cut.
 *
 * Nobody counted what came then. So the completed log gets a loss without a count (cause: recorder died) for
 * each provider that had events in it: a blind span from its last event to the moment when the session was
 * ended, as far as that is known.
 */
#ifndef CONSUMERS_SESSION_GAP_H
#define CONSUMERS_SESSION_GAP_H

#include <stdbool.h>

#include "tracecore/logfmt/write/writer.h"

/** Zeroed is none. */
struct wt_gap {
	char (*providers)[WT_SCHEMA_MAX_NAME + 1]; /**< owned */
	size_t n;
	bool this_boot; /**< the log's clock is this machine's, running */
};

/** Reads which providers the log has events of. programs: those of programs too, whose rings are not there to
 * tell the rest. */
int wt_gap_read(const char *path, bool programs, struct wt_gap *ret, struct wt_err *err);
/** Puts the losses behind what the log has: from its time `from` on; ended: until now, where its clock is
 * running. */
int wt_gap_put(const struct wt_gap *gap, uint64_t from, bool ended, const struct wt_kinds *kinds,
	       struct wt_log_writer *log, struct wt_err *err);
void wt_gap_deinit(struct wt_gap *gap);

#endif
