/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The words of xperf, WPR, wperf, perf, LTTng, trace-cmd, bpftrace and strace, and what each is in wtrace.
 */
#ifndef TOOLS_PEER_WORDS_H
#define TOOLS_PEER_WORDS_H

#include <stddef.h>

enum wt_peer_how {
	WT_PEER_SAY,      /**< an error says what to type in wtrace */
	WT_PEER_NEEDLESS, /**< an error says why wtrace has nothing like it */
	WT_PEER_ROOT,     /**< needless; of no effect for root */
	WT_PEER_RUN,      /**< stands for other words, with blanks between them; none: the word is dropped */
	WT_PEER_RUN_WITH, /**< like RUN; the next word follows the last of them, joined to it where that ends
			     in '=' */
};

/** Words of other tools behind one of their commands, or as the first word (where ""). */
struct wt_peer {
	const char *where;
	const char *words; /**< with blanks between them */
	enum wt_peer_how how;
	const char *here;
};

/** A first word; NULL: no tool of these has it. */
const struct wt_peer *wt_peer_first(const char *word);
/** A word behind a command of wtrace. start has the words of record too, and dump those of view. */
const struct wt_peer *wt_peer_option(const char *command, const char *word);
/** A word behind another tool's command that stands for one of wtrace: it has a meaning of its own there. */
const struct wt_peer *wt_peer_behind(const char *first, const char *word);

#endif
