/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The words of xperf, WPR, wperf, perf, LTTng, trace-cmd, bpftrace and strace, each with its equivalent in
 * wtrace.
 */
#ifndef TOOLS_PEER_WORDS_H
#define TOOLS_PEER_WORDS_H

#include <stddef.h>

enum wt_peer_how {
	WT_PEER_SAY,      /**< an error says what to type in wtrace */
	WT_PEER_NEEDLESS, /**< an error says why wtrace needs no equivalent */
	WT_PEER_ROOT,     /**< needless; for root it is ignored */
	WT_PEER_RUN,      /**< replaced by other words, separated by blanks; none: the word is dropped */
	WT_PEER_RUN_WITH, /**< like RUN; the next word follows the last of them, joined to it where that ends
			     in '=' */
};

/** Words of other tools behind one of their commands, or as the first word (""). */
struct wt_peer {
	const char *where;
	const char *words; /**< separated by blanks; a word with a '*' is a pattern of fnmatch */
	enum wt_peer_how how;
	const char *here;
};

/** Finds a first word; NULL: none of these tools has it. */
const struct wt_peer *wt_peer_first(const char *word);
/** Finds a word behind a command of wtrace. start includes the words of record, and dump those of view. */
const struct wt_peer *wt_peer_option(const char *command, const char *word);
/** Finds a word behind another tool's command, where the word has its own meaning. */
const struct wt_peer *wt_peer_behind(const char *first, const char *word);

#endif
