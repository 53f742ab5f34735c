/* SPDX-License-Identifier: MIT */
/** @file The packets of one CPU's events. */
#ifndef CONSUMERS_EXPORT_CTF_STREAM_H
#define CONSUMERS_EXPORT_CTF_STREAM_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Zeroed: no file yet. */
struct wt_ctf_stream {
	int fd; /**< valid with `open` */
	bool open;
	uint32_t cpu;         /**< UINT32_MAX: none */
	uint64_t first, last; /**< times in the packet */
	struct wt_buf packet; /**< once it has an event, with room in front for its header */
};

/** Makes the file cpu_N (or cpu_none) in the directory. */
int wt_ctf_stream_open(struct wt_ctf_stream *stream, int dir, uint32_t cpu, struct wt_err *err);
/** Begins an event and puts its header into stream->packet. The caller appends its context and fields.
 * Times must not fall. */
void wt_ctf_stream_begin(struct wt_ctf_stream *stream, uint32_t number, uint64_t time);
/** Ends the event, and writes the packet if it is large enough. session_id: that of the trace. */
int wt_ctf_stream_end(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err);
/** Writes the rest and closes the file; must be called after a failure too. */
int wt_ctf_stream_close(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err);

#endif
