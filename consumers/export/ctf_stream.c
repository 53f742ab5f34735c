// SPDX-License-Identifier: MIT
#include "consumers/export/ctf_stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/write_all.h"

/* A packet is written when it has become this large. */
#define PACKET_BYTES (256u << 10)
/* Readers recognize a packet by this number. */
#define MAGIC UINT32_C(0xc1fc1fc1)
/* Header (magic, uuid, stream id) and context (two times, two sizes, CPU), as the metadata describe them. */
enum {
	HEADER_BYTES = 4 + 16 + 4,
	CONTEXT_BYTES = 8 + 8 + 8 + 8 + 4,
	FRONT_BYTES = HEADER_BYTES + CONTEXT_BYTES
};

int wt_ctf_stream_open(struct wt_ctf_stream *stream, int dir, uint32_t cpu, struct wt_err *err)
{
	char name[32] = "cpu_none";

	if (cpu != UINT32_MAX)
		snprintf(name, sizeof(name), "cpu_%u", cpu);
	stream->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (stream->fd < 0)
		return wt_fail_errno(err, "cannot make the stream %s", name);
	stream->open = true;
	stream->cpu = cpu;
	return 0;
}

void wt_ctf_stream_begin(struct wt_ctf_stream *stream, uint32_t number, uint64_t time)
{
	static const uint8_t front[FRONT_BYTES];

	if (!stream->packet.len) {
		wt_buf_put(&stream->packet, front, sizeof(front));
		stream->first = time;
	}
	stream->last = time;
	wt_buf_put_u32(&stream->packet, number);
	wt_buf_put_u64(&stream->packet, time);
}

static int write_packet(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err)
{
	uint8_t *p = stream->packet.data;
	uint64_t bits = (uint64_t)stream->packet.len * 8;

	if (stream->packet.failed)
		return wt_fail_nomem(err);
	if (!stream->packet.len)
		return 0;
	wt_store_u32(p, MAGIC);
	memcpy(p + 4, session_id, 16);
	wt_store_u32(p + 20, 0);
	wt_store_u64(p + 24, stream->first);
	wt_store_u64(p + 32, stream->last);
	wt_store_u64(p + 40, bits);
	wt_store_u64(p + 48, bits);
	wt_store_u32(p + 56, stream->cpu);
	if (wt_write_all(stream->fd, p, stream->packet.len))
		return wt_fail_errno(err, "cannot write the trace");
	wt_buf_clear(&stream->packet);
	return 0;
}

int wt_ctf_stream_end(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err)
{
	return stream->packet.len < PACKET_BYTES && !stream->packet.failed
		       ? 0
		       : write_packet(stream, session_id, err);
}

int wt_ctf_stream_close(struct wt_ctf_stream *stream, const uint8_t session_id[16], struct wt_err *err)
{
	int rc = 0;

	if (stream->open) {
		rc = write_packet(stream, session_id, err);
		if (close(stream->fd) < 0 && !rc)
			rc = wt_fail_errno(err, "cannot write the trace");
	}
	wt_buf_deinit(&stream->packet);
	*stream = (struct wt_ctf_stream){0};
	return rc;
}
