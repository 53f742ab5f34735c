/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Blocks as bytes: headers with their checks, checksums, compression. No other file uses zstd or CRC-32.
 */
#ifndef TRACECORE_LOGFMT_FORMAT_BLOCK_H
#define TRACECORE_LOGFMT_FORMAT_BLOCK_H

#include "tracecore/base/buf.h"
#include "tracecore/base/err.h"
#include "tracecore/logfmt/format/logfmt.h"

/** Bytes for a text that describes the fault of a block. */
#define WT_LOG_WHAT_SIZE 120

/** CRC-32 as zlib computes it. */
uint32_t wt_log_crc32(const void *bytes, size_t len);

/** Bytes of a block in the file: header, payload, padding. */
uint64_t wt_log_block_extent(const struct wt_disk_block_header *header);

/** Takes a header from sizeof(*ret) foreign bytes. Returns NULL when it is sound, else a description of its
 * fault; *ret is filled in both cases. Sound: magic, checksum and the bounds of version 1. */
const char *wt_log_block_header(const uint8_t *bytes, struct wt_disk_block_header *ret);

/** Makes blocks. One thread. */
struct wt_log_packer;
int wt_log_packer_create(int zstd_level, struct wt_log_packer **ret, struct wt_err *err);
/** Sets the level of blocks from the next one on. */
void wt_log_packer_set_level(struct wt_log_packer *packer, int zstd_level);
/** From now on, tries for each part of a payload whether it gets smaller without matches. This takes up to
 * three times the work where some parts do. */
int wt_log_packer_be_thorough(struct wt_log_packer *packer, struct wt_err *err);
/** Ends the thorough mode and sets that level. */
void wt_log_packer_hurry(struct wt_log_packer *packer, int zstd_level);
void wt_log_packer_destroy(struct wt_log_packer *packer);

/** The offsets at which the nature of the payload's bytes changes, rising. Each part is compressed with its
 * own statistics, in one frame. */
struct wt_log_cuts {
	const uint32_t *at;
	uint32_t n;
};

/** Appends a whole block to out. The caller fills type, segment, sequence, cpu, kind, first, count, lost and
 * times; magic, sizes, codec and checksums are set here. raw_size is at most WT_DISK_MAX_RAW. Without a
 * packer (NULL) the payload is stored uncompressed. */
int wt_log_pack(struct wt_log_packer *packer, struct wt_buf *out, struct wt_disk_block_header *header,
		const void *raw, size_t raw_size, struct wt_log_cuts cuts, struct wt_err *err);

/** Appends a block whose payload is in its stored form already, as returned by wt_log_read_stored. Only the
 * header's checksum is made anew. -1: no memory. */
int wt_log_put_stored(struct wt_buf *out, struct wt_disk_block_header *header, const void *stored);

/** Reads payloads. One thread. */
struct wt_log_unpacker;
int wt_log_unpacker_create(struct wt_log_unpacker **ret, struct wt_err *err);
void wt_log_unpacker_destroy(struct wt_log_unpacker *unpacker);

/** Reads, checks and expands the payload of the block at offset, whose header is known. 0: *raw has
 * header->raw_size bytes until the next call. 1: damaged; `what` describes the damage. -1: the file cannot
 * be read. */
int wt_log_unpack(struct wt_log_unpacker *unpacker, int fd, uint64_t offset,
		  const struct wt_disk_block_header *header, const uint8_t **raw, char what[WT_LOG_WHAT_SIZE],
		  struct wt_err *err);

/** Reads and checks a block's payload without expanding it: *stored has header->stored_size bytes until the
 * next call. Returns as wt_log_unpack. */
int wt_log_read_stored(struct wt_log_unpacker *unpacker, int fd, uint64_t offset,
		       const struct wt_disk_block_header *header, const uint8_t **stored,
		       char what[WT_LOG_WHAT_SIZE], struct wt_err *err);

/** As pread, but continues until len bytes are read or the file ends. Returns the bytes read, or -1 with
 * errno. */
int64_t wt_log_pread(int fd, void *bytes, size_t len, uint64_t offset);

#endif
