/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Makes a complete log smaller without changing what it says.
 *
 * A recorder writes a block for each kind whenever a second is over or a ring is full, so that nothing is
 * lost when it dies: many small blocks. Once the log is complete nobody presses: the blocks of a segment are
 * put together into few large ones, a CPU's events apart from the others' where there are many, and
 * compressed better. That is done in slices, an eighth of the segment each, 128 KiB to 4 MiB: a log that is
 * cut keeps the slices before, and damage costs at most a slice of one kind. Events, rows, their ids and
 * segments stay what they are; of checkpoints only the last of a segment stays.
 */
#ifndef TRACECORE_LOGFMT_REWRITE_COMPACT_H
#define TRACECORE_LOGFMT_REWRITE_COMPACT_H

#include "tracecore/base/err.h"

/** Writes the log `from` to the empty file `to` (both regular files, `to` open for reading and writing).
 * Somebody waits for it: after two seconds the better levels of zstd are left, after three the segments whose
 * blocks are large already are copied as they lie, or at level 1 where they are not compressed. Memory: 80
 * bytes per block and some ten MB. 0; 1: left as it is (damaged, unfinished, of blocks this version does not
 * know, or with nothing to gain): `to` is of no use; -1 see err. */
int wt_log_compact(int from, int to, struct wt_err *err);

#endif
