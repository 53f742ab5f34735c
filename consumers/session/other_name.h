/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names behind -p that are no program's provider: events to sample, tracepoints, flags of ETW's kernel
 * logger, providers of Windows, numbers. A session would wait for a program of that name for ever.
 */
#ifndef CONSUMERS_SESSION_OTHER_NAME_H
#define CONSUMERS_SESSION_OTHER_NAME_H

#include "consumers/session/spec.h"

/** WT_ERR_USAGE with what to type instead when the name of this item, which no program has registered, is
 * something else's; 0 when it is nothing that is known. Reads what the kernel offers. */
int wt_other_name(const struct wt_spec_provider *item, struct wt_err *err);

#endif
