// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/walk.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define HEADER (sizeof(struct wt_disk_block_header))
/* The bytes read around a header. They often contain the next header too, if the block is small. */
#define SMALL_WINDOW 4096

static int check_file_header(const struct wt_disk_file_header *header, const char *name, struct wt_err *err)
{
	if (memcmp(header->magic, WT_DISK_FILE_MAGIC, sizeof(header->magic)) != 0)
		return wt_fail(err, WT_ERR_FORMAT, "%s is not a wtrace log: it does not begin like one",
			       name);
	if (header->version_major > WT_DISK_VERSION_MAJOR)
		return wt_fail(
			err, WT_ERR_VERSION,
			"%s was written in log format %u.%u, this program reads up to %d.x: use a newer "
			"wtrace",
			name, header->version_major, header->version_minor, WT_DISK_VERSION_MAJOR);
	if (header->version_major == 0)
		return wt_fail(err, WT_ERR_FORMAT, "%s is not a wtrace log: format version 0 never existed",
			       name);
	return 0;
}

int wt_log_read_file_header(int fd, const char *name, struct wt_disk_file_header *ret, bool *damaged,
			    struct wt_err *err)
{
	uint8_t bytes[sizeof(*ret)] = {0};
	int64_t n = wt_log_pread(fd, bytes, sizeof(bytes), 0);

	if (n < 0)
		return wt_fail_errno(err, "cannot read %s", name);
	if (n == 0)
		return wt_fail(err, WT_ERR_FORMAT, "%s is empty, not a wtrace log", name);
	memcpy(ret, bytes, sizeof(*ret));
	if (n < (int64_t)sizeof(bytes) &&
	    memcmp(bytes, WT_DISK_FILE_MAGIC, (size_t)n < 8 ? (size_t)n : 8) == 0)
		return wt_fail(err, WT_ERR_FORMAT, "%s is cut in its first %zu bytes: nothing can be read",
			       name, sizeof(bytes));
	if (check_file_header(ret, name, err))
		return -1;
	*damaged = wt_log_crc32(bytes, sizeof(bytes) - 4) != ret->crc;
	if (ret->header_size < sizeof(*ret) || ret->header_size % WT_DISK_ALIGN ||
	    ret->header_size > WT_DISK_MAX_FILE_HEADER) {
		*damaged = true;
		ret->header_size = sizeof(*ret);
	}
	if (*damaged)
		return 0;
	if (ret->clock != WT_DISK_CLOCK_RAW)
		return wt_fail(err, WT_ERR_VERSION,
			       "%s counts time on clock %u, which this program does not "
			       "know: use a newer wtrace",
			       name, ret->clock);
	return 0;
}

void wt_log_walk_init(struct wt_log_walk *walk, int fd, uint64_t offset, uint64_t end)
{
	walk->fd = fd;
	walk->offset = offset;
	walk->end = end;
	walk->window_at = 0;
	walk->window_len = 0;
}

/* Returns `want` bytes at offset, reading at most `window` bytes; NULL when the file has no more or cannot
 * be read. */
static const uint8_t *peek(struct wt_log_walk *walk, uint64_t offset, size_t want, size_t window, int *failed)
{
	int64_t n;

	if (offset >= walk->window_at && offset + want <= walk->window_at + walk->window_len)
		return walk->window + (offset - walk->window_at);
	if (window > walk->end - offset)
		window = (size_t)(walk->end - offset);
	walk->window_len = 0;
	n = wt_log_pread(walk->fd, walk->window, window, offset);
	if (n < 0) {
		*failed = 1;
		return NULL;
	}
	walk->window_at = offset;
	walk->window_len = (size_t)n;
	return walk->window_len >= want ? walk->window : NULL;
}

/* A hole of the file has no header in it: returns the offset at which it ends. */
static uint64_t skip_hole(const struct wt_log_walk *walk, uint64_t offset)
{
	off_t data = lseek(walk->fd, (off_t)offset, SEEK_DATA);
	uint64_t next = data < 0 ? (errno == ENXIO ? walk->end : offset)
				 : (uint64_t)data / WT_DISK_ALIGN * WT_DISK_ALIGN;

	return next > walk->end ? walk->end : next > offset ? next : offset;
}

/* Moves walk->offset to the next sound header or to the end. */
static int resync(struct wt_log_walk *walk)
{
	struct wt_disk_block_header header;
	int failed = 0;

	for (walk->offset += WT_DISK_ALIGN; walk->end - walk->offset >= HEADER;
	     walk->offset += WT_DISK_ALIGN) {
		const uint8_t *p;

		if (walk->offset + HEADER > walk->window_at + walk->window_len)
			walk->offset = skip_hole(walk, walk->offset);
		if (walk->end - walk->offset < HEADER)
			break;
		p = peek(walk, walk->offset, HEADER, WT_LOG_WINDOW, &failed);
		if (!p)
			break;
		if (wt_load_u32(p) == WT_DISK_BLOCK_MAGIC && !wt_log_block_header(p, &header))
			return 0;
	}
	walk->offset = walk->end;
	return failed ? -1 : 0;
}

enum wt_log_step wt_log_walk_next(struct wt_log_walk *walk, struct wt_log_place *ret, struct wt_err *err)
{
	int failed = 0;
	const uint8_t *p;

	ret->offset = walk->offset;
	ret->what = "cut in the middle of a block";
	if (walk->offset >= walk->end)
		return WT_LOG_STEP_END;
	p = walk->end - walk->offset < HEADER ? NULL
					      : peek(walk, walk->offset, HEADER, SMALL_WINDOW, &failed);
	if (!p) {
		walk->offset = walk->end;
		if (failed)
			return (enum wt_log_step)wt_fail_errno(err, "cannot read the log at offset %llu",
							       (unsigned long long)ret->offset);
		return WT_LOG_STEP_CUT;
	}
	ret->what = wt_log_block_header(p, &ret->header);
	if (ret->what) {
		if (resync(walk))
			return (enum wt_log_step)wt_fail_errno(err, "cannot read the log at offset %llu",
							       (unsigned long long)walk->offset);
		return WT_LOG_STEP_DAMAGE;
	}
	if (wt_log_block_extent(&ret->header) > walk->end - walk->offset) {
		ret->what = "cut in the middle of a block";
		walk->offset = walk->end;
		return WT_LOG_STEP_CUT;
	}
	walk->offset += wt_log_block_extent(&ret->header);
	return WT_LOG_STEP_BLOCK;
}

bool wt_log_read_end_mark(int fd, uint64_t file_bytes, struct wt_disk_end_mark *ret)
{
	uint8_t bytes[sizeof(*ret)];

	if (file_bytes < sizeof(*ret) ||
	    wt_log_pread(fd, bytes, sizeof(bytes), file_bytes - sizeof(*ret)) != (int64_t)sizeof(bytes))
		return false;
	memcpy(ret, bytes, sizeof(*ret));
	return memcmp(ret->magic, WT_DISK_END_MAGIC, sizeof(ret->magic)) == 0 &&
	       ret->crc == wt_log_crc32(bytes, sizeof(bytes) - 4) && ret->file_bytes == file_bytes &&
	       ret->index_offset < file_bytes;
}
