// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/block.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

/* Preparing a zstd frame takes as long as compressing some KB. Below this size the gain, 2 % of a file, is
 * not worth that time. */
#define MIN_COMPRESS 512

struct wt_log_packer {
	ZSTD_CCtx *cctx;
	/* Finds almost no matches, so that only the frequency of bytes counts; NULL: not tried. */
	ZSTD_CCtx *quick; /* beside matchless: level 1 */
	ZSTD_CCtx *matchless;
	struct wt_buf trial;
};

struct wt_log_unpacker {
	ZSTD_DCtx *dctx; /* made for the first block that needs it */
	struct wt_buf stored;
	struct wt_buf raw;
};

uint32_t wt_log_crc32(const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(0, bytes, len);
}

static uint64_t padded(uint64_t n)
{
	return (n + WT_DISK_ALIGN - 1) & ~(uint64_t)(WT_DISK_ALIGN - 1);
}

uint64_t wt_log_block_extent(const struct wt_disk_block_header *header)
{
	return sizeof(*header) + padded(header->stored_size);
}

static uint32_t header_crc(const struct wt_disk_block_header *header)
{
	uint8_t bytes[sizeof(*header)];

	memcpy(bytes, header, sizeof(bytes));
	return wt_log_crc32(bytes + 8, sizeof(bytes) - 8);
}

const char *wt_log_block_header(const uint8_t *bytes, struct wt_disk_block_header *ret)
{
	memcpy(ret, bytes, sizeof(*ret));
	if (ret->magic != WT_DISK_BLOCK_MAGIC)
		return "no block header";
	if (ret->header_crc != header_crc(ret))
		return "block header checksum";
	if (ret->raw_size > WT_DISK_MAX_RAW || ret->stored_size > WT_DISK_MAX_STORED)
		return "block larger than the format allows";
	return NULL;
}

int wt_log_packer_create(int zstd_level, struct wt_log_packer **ret, struct wt_err *err)
{
	struct wt_log_packer *packer = calloc(1, sizeof(*packer));

	if (!packer)
		return wt_fail_nomem(err);
	packer->cctx = ZSTD_createCCtx();
	if (!packer->cctx) {
		free(packer);
		return wt_fail_nomem(err);
	}
	wt_log_packer_set_level(packer, zstd_level);
	*ret = packer;
	return 0;
}

void wt_log_packer_set_level(struct wt_log_packer *packer, int zstd_level)
{
	ZSTD_CCtx_reset(packer->cctx, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(packer->cctx, ZSTD_c_compressionLevel, zstd_level);
}

/* zstd has no such setting. A table of 64 places for matches of 7 bytes comes close. */
int wt_log_packer_be_thorough(struct wt_log_packer *packer, struct wt_err *err)
{
	packer->matchless = ZSTD_createCCtx();
	packer->quick = ZSTD_createCCtx();
	if (!packer->matchless || !packer->quick)
		return wt_fail_nomem(err);
	ZSTD_CCtx_setParameter(packer->quick, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(packer->matchless, ZSTD_c_strategy, ZSTD_dfast);
	ZSTD_CCtx_setParameter(packer->matchless, ZSTD_c_hashLog, 6);
	ZSTD_CCtx_setParameter(packer->matchless, ZSTD_c_chainLog, 6);
	ZSTD_CCtx_setParameter(packer->matchless, ZSTD_c_minMatch, 7);
	return 0;
}

void wt_log_packer_hurry(struct wt_log_packer *packer, int zstd_level)
{
	ZSTD_freeCCtx(packer->matchless);
	ZSTD_freeCCtx(packer->quick);
	packer->matchless = packer->quick = NULL;
	wt_log_packer_set_level(packer, zstd_level);
}

void wt_log_packer_destroy(struct wt_log_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->cctx);
	ZSTD_freeCCtx(packer->matchless);
	ZSTD_freeCCtx(packer->quick);
	wt_buf_deinit(&packer->trial);
	free(packer);
}

/* Parts smaller than this do not get their own statistics. */
#define MIN_PART 1024
/* The most that a part adds to a frame when it does not get smaller. */
#define PART_BYTES 16
/* The most that a frame adds to its parts. */
#define FRAME_BYTES 24

/* Continues the frame up to raw[to]; false when that fails. */
static bool compress_part(ZSTD_CCtx *cctx, ZSTD_inBuffer *in, ZSTD_outBuffer *out, size_t to,
			  ZSTD_EndDirective end)
{
	size_t left;

	in->size = to;
	do
		left = ZSTD_compressStream2(cctx, out, in, end);
	while (!ZSTD_isError(left) && left && out->pos < out->size);
	return !left;
}

/* The end of the part of raw[from, to) that begins at `from`. fine: small parts beside large ones count
 * too. Where only frequencies count, the head of a column in front of a plane spoils them: some rare
 * values beside four equally frequent ones make the codes longer by an eighth. */
static size_t part_end(struct wt_log_cuts cuts, size_t from, size_t to, bool fine)
{
	for (uint32_t i = 0; i < cuts.n; i++) {
		size_t at = cuts.at[i], next = i + 1 < cuts.n && cuts.at[i + 1] < to ? cuts.at[i + 1] : to;
		bool before = at >= from + MIN_PART, behind = (fine ? next : to) >= at + MIN_PART;

		if (at > from && at < to && (fine ? before || behind : before && behind))
			return at;
	}
	return to;
}

/* Compresses raw[from, to) into one frame whose blocks end where the parts end. Returns its size, 0 when
 * it does not fit. */
static size_t compress_frame(ZSTD_CCtx *cctx, uint8_t *p, size_t bound, const uint8_t *raw, size_t from,
			     size_t to, struct wt_log_cuts cuts, bool fine)
{
	ZSTD_inBuffer in = {.src = raw, .pos = from};
	ZSTD_outBuffer out = {.dst = p, .size = bound};
	size_t end;

	ZSTD_CCtx_reset(cctx, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(cctx, to - from);
	while ((end = part_end(cuts, in.pos, to, fine)) < to)
		if (!compress_part(cctx, &in, &out, end, ZSTD_e_flush))
			return 0;
	return compress_part(cctx, &in, &out, to, ZSTD_e_end) ? out.pos : 0;
}

/* True when a part gets smaller without matches, as random values of few kinds do. A quick search for
 * matches rules most parts out. */
static bool is_matchless(struct wt_log_packer *packer, uint8_t *p, size_t bound, const uint8_t *raw,
			 size_t from, size_t to)
{
	ZSTD_CCtx *with[] = {packer->quick, packer->cctx};
	size_t without = ZSTD_compress2(packer->matchless, p, bound, raw + from, to - from);

	for (unsigned i = 0; i < 2 && !ZSTD_isError(without); i++) {
		size_t n = ZSTD_compress2(with[i], p, bound, raw + from, to - from);

		if (ZSTD_isError(n) || without + FRAME_BYTES >= n)
			return false;
	}
	return !ZSTD_isError(without);
}

static bool has_matchless(struct wt_log_packer *packer, uint8_t *p, size_t bound, const uint8_t *raw,
			  size_t raw_size, struct wt_log_cuts cuts)
{
	bool found = false;

	for (size_t from = 0, to; from < raw_size && !found; from = to) {
		to = part_end(cuts, from, raw_size, true);
		found = to - from >= MIN_PART && is_matchless(packer, p, bound, raw, from, to);
	}
	return found;
}

/* Makes frames, each from consecutive parts that are all matchless or all not. Returns their size, 0 when
 * they do not fit. */
static size_t compress_frames(struct wt_log_packer *packer, uint8_t *p, size_t bound, const uint8_t *raw,
			      size_t raw_size, struct wt_log_cuts cuts)
{
	size_t begun = 0, out = 0, n;
	bool was = false;

	for (size_t from = 0, to; from < raw_size; from = to) {
		bool is;

		to = part_end(cuts, from, raw_size, true);
		is = to - from < MIN_PART ? was : is_matchless(packer, p + out, bound - out, raw, from, to);
		if (is != was && from > begun) {
			n = compress_frame(was ? packer->matchless : packer->cctx, p + out, bound - out, raw,
					   begun, from, cuts, was);
			if (!n)
				return 0;
			out += n;
			begun = from;
		}
		was = is;
	}
	n = compress_frame(was ? packer->matchless : packer->cctx, p + out, bound - out, raw, begun, raw_size,
			   cuts, was);
	return n ? out + n : 0;
}

/* Replaces the frame at p, of n bytes, by several frames, if these are smaller. Returns the smaller size. */
static size_t try_frames(struct wt_log_packer *packer, uint8_t *p, size_t n, size_t bound, const uint8_t *raw,
			 size_t raw_size, struct wt_log_cuts cuts)
{
	uint8_t *trial;
	size_t frames;

	wt_buf_clear(&packer->trial);
	trial = wt_buf_reserve(&packer->trial, bound);
	packer->trial.failed = false;
	frames = trial && has_matchless(packer, trial, bound, raw, raw_size, cuts)
			 ? compress_frames(packer, trial, bound, raw, raw_size, cuts)
			 : 0;
	if (!frames || frames >= n)
		return n;
	memcpy(p, trial, frames);
	return frames;
}

/* Puts the stored form of the payload to p, which has room for bound bytes; returns its size. */
static size_t store_payload(struct wt_log_packer *packer, uint8_t *p, size_t bound, const void *raw,
			    size_t raw_size, struct wt_log_cuts cuts, uint8_t *codec)
{
	if (packer && raw_size >= MIN_COMPRESS) {
		size_t n = compress_frame(packer->cctx, p, bound, raw, 0, raw_size, cuts, false);

		if (n && packer->matchless && cuts.n)
			n = try_frames(packer, p, n, bound, raw, raw_size, cuts);
		if (n && n < raw_size) {
			*codec = WT_DISK_CODEC_ZSTD;
			return n;
		}
	}
	*codec = WT_DISK_CODEC_NONE;
	if (raw_size)
		memcpy(p, raw, raw_size);
	return raw_size;
}

int wt_log_pack(struct wt_log_packer *packer, struct wt_buf *out, struct wt_disk_block_header *header,
		const void *raw, size_t raw_size, struct wt_log_cuts cuts, struct wt_err *err)
{
	size_t bound = packer ? ZSTD_compressBound(raw_size) + cuts.n * (PART_BYTES + FRAME_BYTES) : raw_size;
	uint8_t *p;
	size_t stored;

	if (raw_size > WT_DISK_MAX_RAW)
		return wt_fail(err, WT_ERR_LIMIT,
			       "a log block of %zu bytes is larger than the format allows (%d)", raw_size,
			       WT_DISK_MAX_RAW);
	p = wt_buf_reserve(out, sizeof(*header) + bound + WT_DISK_ALIGN);
	if (!p)
		return wt_fail_nomem(err);
	stored = store_payload(packer, p + sizeof(*header), bound, raw, raw_size, cuts, &header->codec);
	header->magic = WT_DISK_BLOCK_MAGIC;
	header->raw_size = (uint32_t)raw_size;
	header->stored_size = (uint32_t)stored;
	header->payload_crc = wt_log_crc32(p + sizeof(*header), stored);
	header->clock = WT_DISK_CLOCK_RAW;
	header->flags = 0;
	header->reserved = 0;
	header->header_crc = header_crc(header);
	memcpy(p, header, sizeof(*header));
	memset(p + sizeof(*header) + stored, 0, padded(stored) - stored);
	out->len += wt_log_block_extent(header);
	return 0;
}

int wt_log_put_stored(struct wt_buf *out, struct wt_disk_block_header *header, const void *stored)
{
	static const uint8_t padding[WT_DISK_ALIGN];

	header->header_crc = header_crc(header);
	wt_buf_put(out, header, sizeof(*header));
	wt_buf_put(out, stored, header->stored_size);
	wt_buf_put(out, padding, padded(header->stored_size) - header->stored_size);
	return out->failed ? -1 : 0;
}

int wt_log_unpacker_create(struct wt_log_unpacker **ret, struct wt_err *err)
{
	struct wt_log_unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (!unpacker)
		return wt_fail_nomem(err);
	*ret = unpacker;
	return 0;
}

void wt_log_unpacker_destroy(struct wt_log_unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDCtx(unpacker->dctx);
	wt_buf_deinit(&unpacker->stored);
	wt_buf_deinit(&unpacker->raw);
	free(unpacker);
}

int64_t wt_log_pread(int fd, void *bytes, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (uint8_t *)bytes + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static int damaged(char what[WT_LOG_WHAT_SIZE], const char *text)
{
	snprintf(what, WT_LOG_WHAT_SIZE, "%s", text);
	return 1;
}

/* The header and the payload are read in one call. */
int wt_log_read_stored(struct wt_log_unpacker *unpacker, int fd, uint64_t offset,
		       const struct wt_disk_block_header *header, const uint8_t **stored,
		       char what[WT_LOG_WHAT_SIZE], struct wt_err *err)
{
	size_t len = sizeof(*header) + header->stored_size;
	uint8_t *p;
	int64_t n;

	wt_buf_clear(&unpacker->stored);
	p = wt_buf_reserve(&unpacker->stored, len);
	if (!p)
		return wt_fail_nomem(err);
	n = wt_log_pread(fd, p, len, offset);
	if (n < 0)
		return wt_fail_errno(err, "cannot read the log at offset %llu", (unsigned long long)offset);
	if ((size_t)n < len)
		return damaged(what, "cut in the middle of a block");
	if (memcmp(p, header, sizeof(*header)) != 0)
		return damaged(what, "block header differs from the index");
	if (wt_log_crc32(p + sizeof(*header), header->stored_size) != header->payload_crc)
		return damaged(what, "block checksum");
	*stored = p + sizeof(*header);
	return 0;
}

int wt_log_unpack(struct wt_log_unpacker *unpacker, int fd, uint64_t offset,
		  const struct wt_disk_block_header *header, const uint8_t **raw, char what[WT_LOG_WHAT_SIZE],
		  struct wt_err *err)
{
	int rc;
	const uint8_t *stored;
	size_t n;

	if (header->flags & WT_DISK_FLAGS_NEEDED)
		return damaged(what, "block uses a feature of a newer format version");
	rc = wt_log_read_stored(unpacker, fd, offset, header, &stored, what, err);
	if (rc)
		return rc;
	*raw = stored;
	if (header->codec == WT_DISK_CODEC_NONE)
		return header->raw_size == header->stored_size ? 0 : damaged(what, "block sizes disagree");
	if (header->codec != WT_DISK_CODEC_ZSTD)
		return damaged(what, "block compressed by an unknown method");
	if (!unpacker->dctx)
		unpacker->dctx = ZSTD_createDCtx();
	wt_buf_clear(&unpacker->raw);
	*raw = wt_buf_reserve(&unpacker->raw, header->raw_size ? header->raw_size : 1);
	if (!*raw || !unpacker->dctx)
		return wt_fail_nomem(err);
	n = ZSTD_decompressDCtx(unpacker->dctx, unpacker->raw.data, header->raw_size, stored,
				header->stored_size);
	return !ZSTD_isError(n) && n == header->raw_size ? 0 : damaged(what, "block does not expand");
}
