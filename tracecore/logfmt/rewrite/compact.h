/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a complete log smaller without changing its content.
 *
 * A recorder writes a block for each kind once a second and whenever a ring is full, so that nothing is lost
 * when it dies. This makes many small blocks. When the log is complete there is more time: the blocks of a
 * segment are joined into a few large ones and compressed better. Where a kind has many events, those of each
 * CPU get blocks of their own. This is done in slices of an eighth of the segment each, 128 KiB to 4 MiB: a
 * log that is cut keeps the slices before the cut, and damage costs at most a slice of one kind. Events,
 * rows, their ids and segments do not change; of the checkpoints only the last one of a segment stays.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_COMPACT_H
#define TRACECORE_LOGFMT_REWRITE_COMPACT_H

#include "tracecore/base/err.h"

/** Writes the log `from` to the empty file `to` (both regular files, `to` open for reading and writing).
 * Because a user waits for the result, the better levels of zstd are used for two seconds only. After three
 * seconds, segments whose blocks are large already are copied unchanged, or compressed at level 1 if they are
 * not compressed. Memory: 80 bytes per block and some ten MB. 0; 1: the log is left as it is (it is damaged
 * or unfinished, has blocks that this version does not know, or would not get smaller) and `to` is of no use;
 * -1 see err. */
int wt_log_compact(int from, int to, struct wt_err *err);

#endif
