/* SPDX-License-Identifier: MIT */
/** @file The packets of one CPU's events. */
#ifndef CONSUMERS_EXPORT_CTF_STREAM_H
#define CONSUMERS_EXPORT_CTF_STREAM_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"

/** Zeroed is one that has no file yet. */
struct wt_ctf_stream {
	int fd; /**< valid with `open` */
	bool open;
	uint32_t cpu;         /**< UINT32_MAX: none */
	uint64_t first, last; /**< times in the packet */
	struct wt_buf packet; /**< with room for its header in front, once it has an event */
};

/** Makes the file cpu_N (or cpu_none) in the directory. */
int wt_ctf_stream_open(struct wt_ctf_stream *stream, int dir, uint32_t cpu, struct wt_err *err);
/** Begins an event: its header is in stream->packet, its context and fields are the caller's to append. Times
 * must not fall. */
void wt_ctf_stream_begin(struct wt_ctf_stream *stream, uint32_t number, uint64_t time);
/** The event is whole: writes the packet when it is large enough. session_id: that of the trace. */
int wt_ctf_stream_end(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err);
/** Writes what is left and closes the file; also after a failure. */
int wt_ctf_stream_close(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err);

#endif
