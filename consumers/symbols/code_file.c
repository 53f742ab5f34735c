/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/code_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/cursor.h"

/* Bytes of an ELF header and of a program header, and how many of these are looked at. */
enum { HEADER = 64, PROGRAM_HEADER = 56, HEADERS_MOST = 1024, LOAD = 1 };

static bool read_whole(int fd, uint64_t offset, uint32_t n, struct wt_buf *out)
{
	uint8_t *room = wt_buf_reserve(out, n);
	uint32_t at = 0;

	while (room && at < n) {
		ssize_t got = pread(fd, room + at, n - at, (off_t)(offset + at));

		if (got <= 0)
			return false;
		at += (uint32_t)got;
	}
	out->len += at;
	return room;
}

static void read_memory(const struct wt_elf *file, uint64_t offset, uint32_t n, struct wt_buf *out)
{
	size_t size = 0;
	const char *bytes = elf_rawfile(file->elf, &size);

	if (bytes && offset <= size && n <= size - offset)
		wt_buf_put(out, bytes + offset, n);
}

static void put_id(struct wt_buf *path, const char *before, const char *directory, struct wt_str id,
		   const char *behind)
{
	wt_buf_clear(path);
	wt_buf_puts(path, before);
	wt_buf_puts(path, directory);
	for (uint32_t i = 0; i < id.len; i++)
		wt_buf_printf(path, i == 1 ? "/%02x" : "%02x", (unsigned char)id.p[i]);
	wt_buf_puts(path, behind);
}

static bool read_build(struct wt_buf *path, struct wt_str id, uint64_t offset, uint32_t n, struct wt_buf *out)
{
	struct wt_elf file = WT_ELF_CLOSED;
	bool done;

	if (path->failed || !wt_elf_open(wt_buf_cstr(path), &file))
		return false;
	done = wt_elf_is_build(&file, id) && read_whole(file.fd, offset, n, out);
	wt_elf_close(&file);
	return done;
}

/* Files that are kept by build id: below the debug root, and where perf keeps those that it has recorded. */
static void read_stores(const struct wt_image_roots *roots, struct wt_str id, uint64_t offset, uint32_t n,
			struct wt_buf *out)
{
	const char *home = getenv("HOME");
	struct wt_buf path = {0};

	if (id.len < 2 || id.len > HEADER)
		return;
	put_id(&path, roots->debug, "/.build-id/", id, "");
	if (!read_build(&path, id, offset, n, out) && home) {
		put_id(&path, home, "/.debug/.build-id/", id, "/elf");
		read_build(&path, id, offset, n, out);
	}
	wt_buf_deinit(&path);
}

void wt_code_file_read(const struct wt_image_roots *roots, const struct wt_log_image *image, uint64_t offset,
		       uint32_t n, struct wt_buf *out)
{
	struct wt_image files;

	if (image->kind == WT_IMAGE_VDSO)
		wt_image_open_vdso(image, true, &files);
	else
		wt_image_open(roots, image, &files);
	if (files.file.elf && files.file.fd >= 0)
		read_whole(files.file.fd, offset, n, out);
	else if (files.file.elf)
		read_memory(&files.file, offset, n, out);
	else
		read_stores(roots, image->build_id, offset, n, out);
	wt_image_close(&files);
}

/* The offset in kcore of an address of the kernel. */
static bool find_in_core(struct wt_cursor headers, uint64_t address, uint32_t n, uint64_t *ret)
{
	while (wt_cur_left(&headers) >= PROGRAM_HEADER) {
		struct wt_cursor header = wt_cursor(wt_cur_bytes(&headers, PROGRAM_HEADER), PROGRAM_HEADER);
		uint32_t type = wt_cur_u32(&header);
		uint64_t offset, start, size;

		wt_cur_u32(&header);
		offset = wt_cur_u64(&header);
		start = wt_cur_u64(&header);
		wt_cur_u64(&header);
		size = wt_cur_u64(&header);
		if (type != LOAD || address < start || n > size || address - start > size - n)
			continue;
		*ret = offset + (address - start);
		return true;
	}
	return false;
}

void wt_code_kernel_read(uint64_t address, uint32_t n, struct wt_buf *out)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	struct wt_buf headers = {0};
	uint64_t offset, at;
	uint32_t count;

	if (fd < 0)
		return;
	if (read_whole(fd, 0, HEADER, &headers)) {
		at = wt_load_u64(headers.data + 32);
		count = wt_load_u16(headers.data + 56);
		wt_buf_clear(&headers);
		if (count <= HEADERS_MOST && read_whole(fd, at, count * PROGRAM_HEADER, &headers) &&
		    find_in_core(wt_cursor(headers.data, headers.len), address, n, &offset))
			read_whole(fd, offset, n, out);
	}
	wt_buf_deinit(&headers);
	close(fd);
}
