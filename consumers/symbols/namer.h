/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Looks up names in files of other users, in a separate process.
 *
 * The maker of a file can make its reader wait for ever, or crash: the file lies in a file system that is a
 * program, it leads to debug files that do, or it is cut while it is mapped. So a child reads such files,
 * with a deadline. It has the images that its parent had when it was forked. One thread.
 */
#ifndef CONSUMERS_SYMBOLS_NAMER_H
#define CONSUMERS_SYMBOLS_NAMER_H

#include <sys/types.h>

#include "consumers/symbols/symbols.h"
#include "tracecore/base/buf.h"

/** How long the child may wait for others, and how long it may take a CPU, for one question; and how long an
 * answer is waited for while it is kept from a CPU; ns. */
#define WT_NAMER_PATIENCE UINT64_C(500000000)
#define WT_NAMER_BUSY     UINT64_C(3000000000)
/** Offsets of one question. */
#define WT_NAMER_MOST 512

/** Zeroed: there is no child. */
struct wt_namer {
	pid_t child;
	int fd;
	struct wt_buf answer; /**< holds the strings of the last rows */
};

/** As wt_symbols_resolve, of images[at]: the array must be as it was at the first question since
 * wt_namer_end. false: no answer came, and rows are zeroed. */
bool wt_namer_ask(struct wt_namer *namer, struct wt_symbols *symbols, const struct wt_log_image *images,
		  uint32_t at, const uint64_t *offsets, size_t n, struct wt_log_symbol *rows);
/** Ends the child; one that a file keeps from dying is left behind. */
void wt_namer_end(struct wt_namer *namer);

#endif
