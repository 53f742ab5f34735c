/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The events to count, from the words of -e and -m.
 *
 *	LIST  = ITEM {"," ITEM}
 *	ITEM  = WORD | "{" WORD {"," WORD} "}" [":" MODES]
 *	WORD  = NAME [":" MODES]
 *	      | "r" HEX
 *	      | PMU "/" TERM ["=" VALUE] {"," ...} "/" [MODES]
 *	      | ["linux:"] SUBSYSTEM ":" EVENT
 *
 * Events between braces count at the same times or not at all. NAME is a hardware, cache or software event,
 * or an event of the CPU's model. HEX is the PMU's own number. TERM is as in sysfs. SUBSYSTEM:EVENT is a
 * tracepoint; '*' in EVENT stands for any text. MODES are letters: u (user), k (kernel), h (hypervisor)
 * restrict the count to these modes; G and H restrict it to guests or to the host.
 *
 * Names may be in any case. On a machine with several kinds of cores an event has a number for each kind.
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

/** Appends the events that `text` names. tracefs: NULL for the usual place. Errors are WT_ERR_USAGE and
 * name the word; the list is then unchanged. */
int wt_count_list_add(struct wt_count_list *list, const char *text, const struct wt_cores *cores,
		      const char *tracefs, struct wt_err *err);
/** Appends the events of one WORD and returns the event; with a '*' the last one. */
int wt_count_list_word(struct wt_count_list *list, const char *word, const struct wt_cores *cores,
		       const char *tracefs, struct wt_count_event **ret, struct wt_err *err);
void wt_count_list_deinit(struct wt_count_list *list);

#endif
