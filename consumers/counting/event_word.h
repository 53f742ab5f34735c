/* SPDX-License-Identifier: MIT */
/** @file One word of a list of events (event_list.h): which events it means on this machine. */
#ifndef CONSUMERS_COUNTING_EVENT_WORD_H
#define CONSUMERS_COUNTING_EVENT_WORD_H

#include "consumers/counting/event.h"

/** One event, or several for a tracepoint with '*'; the caller frees them with wt_event_word_free, also after
 * a failure. */
int wt_event_word_read(const char *word, const struct wt_cores *cores, const char *tracefs,
		       struct wt_count_event **ret, size_t *n, struct wt_err *err);
void wt_event_word_free(struct wt_count_event *events, size_t n);

/** MODES as a set of wt_counter_exclude. */
int wt_event_modes(const char *modes, unsigned *ret, struct wt_err *err);

#endif
