/* SPDX-License-Identifier: MIT */
// Covers: tracecore/ring/ring_reader.c
// Covers: tracecore/ring/ring_page.c
/* Ring files as another process of the user may leave them: a ring of four blocks with records, into which
 * the input stores words, while a reader reads. Every word of the file can be reached; the file may be cut.
 *
 *   byte 0       bit 0 not in use, bit 1 as a lane, bits 2 to 7: bytes cut off at the end, in KiB
 *   10 bytes     u16 index of a word in the file, u64 its new value; the reader runs after every fourth
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"
#include "tracecore/ring/ring_reader.h"

enum {
	BLOCK = 8192,
	BLOCKS = 4,
	DATA = 8192,
	RING = DATA + BLOCKS * BLOCK,
	LANES = 4096,
	MOST = LANES + RING
};

static uint8_t image[MOST];
static struct wt_ring_reader *ring;
static char path[] = "/dev/shm/wtfuzzXXXXXX";
static int dir = -1;

static void put_block(uint8_t *at, uint64_t sequence, uint32_t next, uint32_t size)
{
	struct wt_abi_block block = {.sequence = sequence, .first = 100 * sequence, .next = next};
	uint32_t offset = sizeof(block);

	for (uint32_t i = 0; offset + size <= BLOCK; i++, offset += size) {
		struct wt_abi_record record = {.size = size,
					       .provider = i % 3,
					       .tail = (uint8_t)(i % 8),
					       .tick = 100 * sequence + i};

		memcpy(at + offset, &record, sizeof(record));
	}
	block.end = offset;
	memcpy(at, &block, sizeof(block));
}

static void put_ring(uint8_t *at, uint8_t flags)
{
	struct wt_abi_ring head = {.magic = WT_ABI_RING_MAGIC,
				   .version = WT_ABI_RING_VERSION,
				   .block_bytes = BLOCK,
				   .max_blocks = BLOCKS,
				   .counter = 1,
				   .is_lane = flags >> 1 & 1,
				   .tail = 1,
				   .head = wt_abi_head(3, 2, 4000)};

	for (uint32_t i = 0; i < 3; i++) {
		uint64_t sequence = i + 1;

		memcpy(at + WT_ABI_RING_SLOTS + i * 8, &sequence, 8);
		put_block(at + DATA + i * BLOCK, sequence, i + 1, 40 + 8 * i);
	}
	memcpy(at, &head, sizeof(head));
}

static size_t put_file(uint8_t flags)
{
	struct wt_abi_lanes lanes = {.magic = WT_ABI_LANES_MAGIC,
				     .version = WT_ABI_RING_VERSION,
				     .n_slots = 1,
				     .first = LANES,
				     .stride = RING,
				     .n_used = 1};

	memset(image, 0, sizeof(image));
	if (!(flags & 2)) {
		put_ring(image, flags);
		return RING;
	}
	memcpy(image, &lanes, sizeof(lanes));
	put_ring(image + LANES, flags);
	return MOST;
}

static int added(void *ctx, struct wt_ring_reader *r, struct wt_err *err)
{
	(void)ctx;
	(void)err;
	ring = r;
	return 0;
}

static void read_ring(void)
{
	struct wt_ring_record record;
	struct wt_ring_loss loss[16];
	volatile uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned blocks = 0; blocks < 8; blocks++) {
		wt_ring_reader_refresh(ring);
		while (!wt_ring_reader_peek(ring, &record)) {
			uint32_t alike = wt_ring_reader_peek_alike(ring, &record, n % 7),
				 most = alike ? alike : 1;

			for (uint32_t k = 0; k < most; k++)
				for (uint32_t i = 0; i < record.body_len; i++)
					sum += record.body[(size_t)k * record.head.size + i];
			if (alike)
				wt_ring_reader_pop_alike(ring, &record, alike);
			else
				wt_ring_reader_pop(ring);
			n += most;
		}
		if (n > 9 * BLOCK / sizeof(record.head))
			abort();
	}
	(void)sum;
	wt_ring_reader_losses(ring, loss, 16);
	wt_ring_reader_release(ring, wt_clock_now());
}

static void change(struct wt_ring_directory *directory, int fd, const uint8_t *data, size_t size)
{
	for (size_t at = 0, n = 1; at + 10 <= size; at += 10, n++) {
		uint64_t offset = wt_load_u16(data + at) % (MOST / 8) * 8u;

		if (pwrite(fd, data + at + 2, 8, (off_t)offset) != 8)
			abort();
		if (n % 4 == 0) {
			if (wt_ring_directory_refresh(directory, added, NULL, NULL))
				abort();
			if (ring)
				read_ring();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_ring_directory *directory;
	struct wt_err err = WT_ERR_INIT;
	uint8_t flags = size ? data[0] : 0;
	size_t bytes = put_file(flags), half = size < 1 ? 0 : (size - 1) / 20 * 10;
	int fd;

	if (dir < 0 && (!mkdtemp(path) || (dir = open(path, O_RDONLY | O_DIRECTORY)) < 0))
		abort();
	fd = openat(dir, "cpu-0", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || pwrite(fd, image, bytes, 0) != (ssize_t)bytes)
		abort();
	ring = NULL;
	if (wt_ring_directory_open(dir, geteuid(), path, &directory, &err) ||
	    wt_ring_directory_refresh(directory, added, NULL, &err))
		abort();
	if (size)
		change(directory, fd, data + 1, half);
	if (ring)
		read_ring();
	if (ftruncate(fd, (off_t)(bytes > (flags >> 2) * 1024u ? bytes - (flags >> 2) * 1024u : 0)))
		abort();
	if (size)
		change(directory, fd, data + 1 + half, size - 1 - half);
	if (ring) {
		read_ring();
		wt_ring_reader_seek(ring, size > 8 ? wt_load_u64(data + size - 8) % (1 << 17) : 0);
		read_ring();
	}
	wt_ring_directory_destroy(directory);
	close(fd);
	unlinkat(dir, "cpu-0", 0);
	rmdir(path); /* the directory stays open: nothing is left when the process ends */
	close(dir);
	dir = -1;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	return 0;
}
