/* SPDX-License-Identifier: MIT */
/**
 * @file
 * Puts the checksums of a damaged log right, so that what lies behind them is reached.
 *
 * A file whose header flags are odd is left as it is.
 */
#ifndef TESTS_FUZZ_MEND_H
#define TESTS_FUZZ_MEND_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/logfmt/format/block.h"
#include "tracecore/logfmt/read/reader.h"

static inline void mend_block(uint8_t *p, size_t left)
{
	struct wt_disk_block_header header;

	memcpy(&header, p, sizeof(header));
	if (header.magic != WT_DISK_BLOCK_MAGIC)
		return;
	if (header.stored_size <= left - sizeof(header))
		wt_store_u32(p + offsetof(struct wt_disk_block_header, payload_crc),
			     wt_log_crc32(p + sizeof(header), header.stored_size));
	wt_store_u32(p + offsetof(struct wt_disk_block_header, header_crc),
		     wt_log_crc32(p + 8, sizeof(header) - 8));
}

static inline void mend_log(uint8_t *p, size_t size)
{
	if (size < 64 || p[offsetof(struct wt_disk_file_header, flags)] & 1)
		return;
	wt_store_u32(p + 60, wt_log_crc32(p, 60));
	for (size_t at = 64; size - at >= sizeof(struct wt_disk_block_header); at += WT_DISK_ALIGN)
		mend_block(p + at, size - at);
	if (size >= 96)
		wt_store_u32(p + size - 4, wt_log_crc32(p + size - 32, 28));
}

/* Opens a copy of the bytes, mended. NULL: they are no log. */
static inline struct wt_log_reader *mend_open(const uint8_t *data, size_t size)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	uint8_t *copy = malloc(size + 1);

	if (!copy || fd < 0)
		abort();
	memcpy(copy, data, size);
	mend_log(copy, size);
	if (write(fd, copy, size) != (ssize_t)size)
		abort();
	free(copy);
	return wt_log_open_fd(fd, "fuzz", &log, &err) ? NULL : log;
}

#endif
