/* SPDX-License-Identifier: MIT */
/* The symbol table that is packed into section .gnu_debugdata (minidebuginfo), unpacked. */
#include "consumers/symbols/elf_file.h"

#include <gelf.h>
#include <lzma.h>
#include <stdlib.h>

#include "tracecore/base/buf.h"

/** Any program can be mapped: both what is unpacked and what unpacking takes are bounded. */
enum { MAX_BYTES = 64 << 20, MAX_DECODER_BYTES = 80 << 20, CHUNK_BYTES = 256 << 10 };

/** Unpacks up to the end of the stream; false when it is damaged, cut or too large. */
static bool unpack(lzma_stream *stream, struct wt_buf *out)
{
	lzma_ret status = LZMA_OK;

	while (status == LZMA_OK && out->len < MAX_BYTES) {
		stream->next_out = wt_buf_reserve(out, CHUNK_BYTES);
		stream->avail_out = CHUNK_BYTES;
		if (!stream->next_out)
			return false;
		status = lzma_code(stream, LZMA_FINISH);
		out->len += CHUNK_BYTES - stream->avail_out;
	}
	return status == LZMA_STREAM_END;
}

static bool unpack_section(const Elf_Data *data, struct wt_buf *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	bool whole;

	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	whole = lzma_stream_decoder(&stream, MAX_DECODER_BYTES, 0) == LZMA_OK && unpack(&stream, out);
	lzma_end(&stream);
	return whole;
}

bool wt_elf_open_minidebug(const struct wt_elf *file, struct wt_elf *ret)
{
	Elf_Scn *scn = wt_elf_section_named(file, ".gnu_debugdata");
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	struct wt_buf bytes = {0};

	if (data && data->d_buf && unpack_section(data, &bytes) &&
	    wt_elf_open_memory(bytes.data, bytes.len, ret)) {
		ret->bytes = bytes.data;
		return true;
	}
	wt_buf_deinit(&bytes);
	return false;
}
