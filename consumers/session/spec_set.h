/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Names of -p that stand for several providers, as ETW's group Latency does: `latency`, and with keywords a
 * part of it (latency:irq|disk).
 */
#ifndef CONSUMERS_SESSION_SPEC_SET_H
#define CONSUMERS_SESSION_SPEC_SET_H

#include "consumers/session/spec.h"

/** True when the word of -p, up to its first ':', is the name of a set. */
bool wt_spec_is_set(const char *word);
/** Adds the providers of a set; word is changed. Tracepoints that this kernel lacks are left out with a note.
 * A keyword of which the kernel has none is an error when it was given. */
int wt_spec_add_set(struct wt_spec *spec, char *word, struct wt_err *err);

#endif
