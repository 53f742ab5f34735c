/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names given to -p that belong to no program's provider: events to sample, tracepoints, flags of ETW's
 * kernel logger, providers of Windows, numbers. A session would wait forever for a program of that name.
 */
#ifndef CONSUMERS_SESSION_OTHER_NAME_H
#define CONSUMERS_SESSION_OTHER_NAME_H

#include "consumers/session/spec.h"

/** Checks the name of an item that no program has registered. Returns WT_ERR_USAGE with the text to type
 * instead when the name belongs to something else; 0 when the name is unknown. Reads the lists that the
 * kernel offers. */
int wt_other_name(const struct wt_spec_provider *item, struct wt_err *err);

#endif
