/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events to count, from the words of -e and -m.
 *
 *	LIST  = ITEM {"," ITEM}
 *	ITEM  = WORD | "{" WORD {"," WORD} "}" [":" MODES]     events between braces count at the same times
 *or not at all WORD  = NAME [":" MODES]                               of hardware, caches, software, or of
 *the CPU's model | "r" HEX                                        the PMU's own number | PMU "/" TERM ["="
 *VALUE] {"," ...} "/" [MODES] as sysfs has it | ["linux:"] SUBSYSTEM ":" EVENT                 a tracepoint;
 *'*' in EVENT stands for anything MODES = letters u (user), k (kernel), h (hypervisor): counts there alone;
 *G, H: guests, the host
 *
 * Names may be in any case. On a machine with several kinds of cores an event is another number on each of
 *them.
 */
#ifndef CONSUMERS_COUNTING_EVENT_LIST_H
#define CONSUMERS_COUNTING_EVENT_LIST_H

#include "consumers/counting/event.h"

enum { WT_COUNT_MOST_EVENTS = 1024 };

struct wt_count_list {
	struct wt_count_event *events; /**< owned */
	size_t n, cap;
	int n_groups;
};

/** Appends what `text` says. tracefs: NULL for the usual place. Errors are WT_ERR_USAGE and name the word;
 * the list is then as it was. */
int wt_count_list_add(struct wt_count_list *list, const char *text, const struct wt_cores *cores,
		      const char *tracefs, struct wt_err *err);
/** Appends one WORD alone, and hands it out; with a '*' the last one. */
int wt_count_list_word(struct wt_count_list *list, const char *word, const struct wt_cores *cores,
		       const char *tracefs, struct wt_count_event **ret, struct wt_err *err);
void wt_count_list_deinit(struct wt_count_list *list);
/** Cuts it to its first n events. */
void wt_count_list_cut(struct wt_count_list *list, size_t n);

#endif
