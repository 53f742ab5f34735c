/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A log as a trace in the Common Trace Format 1.8 (diamon.org/ctf/v1.8.3), for babeltrace2, Trace Compass and
 * others.
 *
 * The trace is a directory: the text file `metadata` and one stream of packets for each CPU, `cpu_N`, and
 * `cpu_none` for events without one. The table has the parts that are kept, and their form:
 *
 *   time                   the clock `session`, ns, with its offset to wall time
 *   process, thread        context: pid, tid, process, thread (names), self (1: the recorder's own)
 *   activity, related      context: sequences of 16 bytes, or of none
 *   stack                  context: a sequence of strings FUNCTION:MODULE, innermost first, and its status
 *   integers, bool, time   integers of their width; pointers in hexadecimal
 *   integers with a map    enumerations; bitmaps are integers in hexadecimal
 *   f32, f64               floating point numbers
 *   string                 strings; CTF ends one at its first zero byte, so that what follows that is left
 * out, and counted binary, sockaddr, uuid, addresses   sequences and arrays of bytes arrays arrays and
 * sequences
 *
 * babeltrace2 2.0 shows some empty strings with the text of an earlier event, which is a bug of
 * babeltrace2.
 *
 * Names of fields are written with an underscore in front, as the format demands; readers remove it.
 */
#ifndef CONSUMERS_EXPORT_CTF_H
#define CONSUMERS_EXPORT_CTF_H

#include "consumers/model/file.h"

struct wt_ctf_count {
	uint64_t events;
	uint64_t streams;
	uint64_t strings_cut; /**< at a zero byte */
};

/** Writes all events of the log that pass the filter. `path` must not exist; it appears when the trace is
 * whole, and not at all when this fails. */
int wt_ctf_export(struct wt_view_file *file, const struct wt_log_filter *filter, const char *path,
		  struct wt_ctf_count *ret, struct wt_err *err);

#endif
