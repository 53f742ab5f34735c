/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Losses behind the end of a log that its recorder did not complete because it was killed or the file was
 * cut.
 *
 * Nobody counted the events after that. Therefore the completed log gets a loss without a count (cause:
 * recorder died) for each provider that had events in it. The loss has a blind span from the provider's last
 * event to the moment when the session was ended, as far as that is known.
 */
#ifndef CONSUMERS_SESSION_GAP_H
#define CONSUMERS_SESSION_GAP_H

#include <stdbool.h>

#include "tracecore/logfmt/write/writer.h"

/** Zeroed is none. */
struct wt_gap {
	char (*providers)[WT_SCHEMA_MAX_NAME + 1]; /**< owned */
	size_t n;
	bool this_boot; /**< the log's clock is this machine's clock since boot */
};

/** Reads which providers have events in the log. programs: also providers of programs, because their rings
 * are not there to report the rest. */
int wt_gap_read(const char *path, bool programs, struct wt_gap *ret, struct wt_err *err);
/** Puts the losses behind the end of the log, from its time `from` on; ended: until now, where the log's
 * clock still runs. */
int wt_gap_put(const struct wt_gap *gap, uint64_t from, bool ended, const struct wt_kinds *kinds,
	       struct wt_log_writer *log, struct wt_err *err);
void wt_gap_deinit(struct wt_gap *gap);

#endif
