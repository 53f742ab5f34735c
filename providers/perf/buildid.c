// SPDX-License-Identifier: MIT
#include "providers/perf/buildid.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "providers/perf/textfile.h"
#include "tracecore/base/cursor.h"
#include "tracecore/base/elf_note.h"
#include "tracecore/base/regular.h"

enum { HEADERS_MAX = 64 << 10, NOTES_MAX = 64 << 10, SEGMENTS_MAX = 256, EHDR_SIZE = 64, PHDR_SIZE = 56 };

void wt_build_id_of_notes(const void *notes, size_t len, struct wt_build_id *ret)
{
	struct wt_elf_note_id id;

	ret->len = 0;
	if (!wt_elf_note_build_id(notes, len, &id) || id.len > WT_BUILD_ID_MAX)
		return;
	memcpy(ret->bytes, id.bytes, id.len);
	ret->len = (uint8_t)id.len;
}

/* The source of an image's bytes: a file or memory. */
struct image {
	int fd;             /* -1: memory */
	const uint8_t *mem; /* size bytes */
	size_t size;
	uint8_t *buffer; /* NOTES_MAX bytes, for files */
};

/* Returns up to n bytes at offset; fewer at the end. */
static const uint8_t *image_bytes(const struct image *image, uint64_t offset, size_t n, size_t *got)
{
	ssize_t count;

	if (image->fd < 0) {
		*got = offset < image->size ? image->size - (size_t)offset : 0;
		*got = *got < n ? *got : n;
		return *got ? image->mem + offset : NULL;
	}
	if (offset > INT64_MAX)
		return NULL;
	do
		count = pread(image->fd, image->buffer, n, (off_t)offset);
	while (count < 0 && errno == EINTR);
	*got = count > 0 ? (size_t)count : 0;
	return count > 0 ? image->buffer : NULL;
}

struct segment {
	uint64_t offset, size;
};

/* Notes are in PT_NOTE segments. Returns how many, at most n. */
static size_t find_notes(const struct image *image, struct segment *ret, size_t n)
{
	uint64_t table;
	uint16_t entry_size, entries;
	struct wt_cursor cur;
	const uint8_t *p;
	size_t got, found = 0;

	p = image_bytes(image, 0, EHDR_SIZE, &got);
	if (!p || got < EHDR_SIZE || memcmp(p, ELFMAG, SELFMAG) || p[EI_CLASS] != ELFCLASS64 ||
	    p[EI_DATA] != ELFDATA2LSB)
		return 0;
	table = wt_load_u64(p + offsetof(Elf64_Ehdr, e_phoff));
	entry_size = wt_load_u16(p + offsetof(Elf64_Ehdr, e_phentsize));
	entries = wt_load_u16(p + offsetof(Elf64_Ehdr, e_phnum));
	if (entry_size != PHDR_SIZE || entries > SEGMENTS_MAX)
		return 0;
	p = image_bytes(image, table, (size_t)entries * PHDR_SIZE, &got);
	if (!p)
		return 0;
	cur = wt_cursor(p, got);
	for (uint16_t i = 0; i < entries && found < n && wt_cur_left(&cur) >= PHDR_SIZE; i++) {
		struct wt_cursor one = wt_cur_sub(&cur, PHDR_SIZE);
		uint32_t type = wt_cur_u32(&one);

		wt_cur_u32(&one); /* flags */
		ret[found].offset = wt_cur_u64(&one);
		wt_cur_u64(&one); /* virtual address */
		wt_cur_u64(&one); /* physical address */
		ret[found].size = wt_cur_u64(&one);
		found += type == PT_NOTE && ret[found].size <= NOTES_MAX;
	}
	return found;
}

static void find(const struct image *image, struct wt_build_id *ret)
{
	struct segment notes[8];
	size_t n = find_notes(image, notes, 8);

	ret->len = 0;
	for (size_t i = 0; i < n && !ret->len; i++) {
		size_t got;
		const uint8_t *p = image_bytes(image, notes[i].offset, (size_t)notes[i].size, &got);

		if (p)
			wt_build_id_of_notes(p, got, ret);
	}
}

void wt_build_id_of_fd(int fd, struct wt_build_id *ret)
{
	struct image image = {.fd = fd};
	struct stat st;

	ret->len = 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	image.buffer = malloc(NOTES_MAX);
	if (image.buffer)
		find(&image, ret);
	free(image.buffer);
}

void wt_build_id_of_memory(const void *mem, size_t size, struct wt_build_id *ret)
{
	const struct image image = {.fd = -1, .mem = mem, .size = size};

	find(&image, ret);
}

void wt_build_id_of_notes_file(const char *path, struct wt_build_id *ret)
{
	struct wt_buf buf = {0};

	ret->len = 0;
	if (wt_text_read_all(path, &buf, NOTES_MAX) == 0)
		wt_build_id_of_notes(buf.data, buf.len, ret);
	wt_buf_deinit(&buf);
}

void wt_build_id_of_file(const char *path, struct wt_build_id *ret)
{
	int fd = wt_regular_open(path, NULL);

	ret->len = 0;
	if (fd < 0)
		return;
	wt_build_id_of_fd(fd, ret);
	close(fd);
}
