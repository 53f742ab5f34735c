/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "consumers/symbols/debuginfod.h"
#include "consumers/symbols/file_proof.h"
#include "tracecore/base/apart_file.h"
#include "tracecore/base/buf.h"

#define DELETED      " (deleted)"
#define MAX_BUILD_ID 64

static const struct wt_image closed = {.file = WT_ELF_CLOSED, .debug = WT_ELF_CLOSED, .mini = WT_ELF_CLOSED};

/** Opens the file whose path is the buffer's text, if it is the build wanted. */
static bool open_build(struct wt_image *image, struct wt_buf *path, struct wt_str build_id,
		       struct wt_elf *ret)
{
	const char *text = wt_buf_cstr(path);
	bool opened = !path->failed && wt_elf_open(text, ret);

	if (!path->failed)
		wt_image_inputs_add(&image->inputs, text, opened ? ret->fd : -1);
	if (!opened)
		return false;
	if (wt_elf_is_build(ret, build_id))
		return true;
	wt_elf_close(ret);
	return false;
}

static bool has_debug_info(const struct wt_elf *file)
{
	return file->elf && wt_elf_section_named(file, ".debug_info");
}

static bool is_open(const struct wt_elf *file)
{
	return file->elf;
}

bool wt_image_cut_deleted(struct wt_str *path)
{
	const uint32_t n = sizeof(DELETED) - 1;

	if (path->len <= n || memcmp(path->p + path->len - n, DELETED, n))
		return false;
	path->len -= n;
	return true;
}

static uint8_t open_file(const struct wt_image_roots *roots, struct wt_str path, struct wt_str build_id,
			 struct wt_image *image)
{
	struct wt_elf *ret = &image->file;
	struct wt_buf text = {0};
	uint8_t reason = WT_UNRESOLVED_NO_FILE;

	if (path.len && !memchr(path.p, 0, path.len)) {
		wt_buf_puts(&text, roots->sysroot);
		wt_buf_put(&text, path.p, path.len);
		if (open_build(image, &text, (struct wt_str){0}, ret))
			reason = WT_RESOLVED;
	}
	wt_buf_deinit(&text);
	if (reason == WT_RESOLVED && !wt_elf_is_build(ret, build_id)) {
		wt_elf_close(ret);
		return WT_UNRESOLVED_BUILD_ID;
	}
	return reason;
}

static bool is_file_of(const struct wt_log_image *image, const struct wt_file_facts *facts)
{
	return facts->there && facts->inode == image->inode &&
	       (facts->device == image->device || (facts->layered && image->build_id.len));
}

/* Refuses links that lead out, and files that make the reader wait or never answer. */
static int open_below(int root, const char *path)
{
	struct wt_apart_file ignored;

	return wt_apart_open(
		&(struct wt_apart_search){
			.path = path, .root = root, .payer = UINT32_MAX, .owner = UINT32_MAX},
		&ignored);
}

int wt_image_open_elsewhere(const struct wt_image_roots *roots, const struct wt_log_image *image)
{
	struct wt_str path = image->path;
	struct wt_file_facts facts;
	struct wt_buf text = {0};
	int fd = -1;

	if (!roots->n_others || image->kind != WT_IMAGE_FILE || !image->inode || *roots->sysroot ||
	    !path.len || memchr(path.p, 0, path.len))
		return -1;
	wt_buf_put(&text, path.p, path.len);
	if (!text.failed)
		wt_file_facts_at(wt_buf_cstr(&text), -1, &facts);
	for (size_t i = 0; !text.failed && !is_file_of(image, &facts) && fd < 0 && i < roots->n_others; i++) {
		struct wt_file_facts other;

		fd = open_below(roots->others[i], wt_buf_cstr(&text));
		if (fd < 0)
			continue;
		wt_file_facts_at(NULL, fd, &other);
		if (!is_file_of(image, &other)) {
			close(fd);
			fd = -1;
		}
	}
	wt_buf_deinit(&text);
	return fd;
}

/* The file at its path here is another one: only debug files by build id can belong to this image. */
static void open_elsewhere(const struct wt_log_image *image, int fd, struct wt_image *ret)
{
	ret->elsewhere = true;
	ret->reason = WT_UNRESOLVED_NO_FILE;
	if (!wt_elf_open_fd(fd, &ret->file))
		return;
	ret->reason = WT_RESOLVED;
	if (!wt_elf_is_build(&ret->file, image->build_id)) {
		wt_elf_close(&ret->file);
		ret->reason = WT_UNRESOLVED_BUILD_ID;
	}
}

static void put_debug_root(struct wt_buf *path, const struct wt_image_roots *roots)
{
	wt_buf_clear(path);
	wt_buf_puts(path, roots->sysroot);
	wt_buf_puts(path, roots->debug);
}

static void open_debug_by_build_id(const struct wt_image_roots *roots, struct wt_str id,
				   struct wt_image *image)
{
	struct wt_buf path = {0};

	if (id.len < 2 || id.len > MAX_BUILD_ID)
		return;
	put_debug_root(&path, roots);
	wt_buf_puts(&path, "/.build-id/");
	for (uint32_t i = 0; i < id.len; i++)
		wt_buf_printf(&path, i == 1 ? "/%02x" : "%02x", (unsigned char)id.p[i]);
	wt_buf_puts(&path, ".debug");
	open_build(image, &path, id, &image->debug);
	wt_buf_deinit(&path);
}

/** A linked file is accepted by its build id, or without one by its CRC. */
static bool open_linked(struct wt_image *image, struct wt_buf *path, struct wt_str id, uint32_t crc)
{
	struct wt_elf *ret = &image->debug;
	uint32_t sum;

	if (!open_build(image, path, id, ret))
		return false;
	if (id.len || (wt_elf_crc(ret, &sum) && sum == crc))
		return true;
	wt_elf_close(ret);
	return false;
}

static void open_debug_by_link(const struct wt_image_roots *roots, struct wt_str path, struct wt_image *image)
{
	struct wt_str id = wt_elf_build_id(&image->file);
	uint32_t crc, directory = path.len;
	const char *name = wt_elf_debuglink(&image->file, &crc);
	struct wt_buf text = {0};

	while (directory && path.p[directory - 1] != '/')
		directory--;
	for (int place = 0; name && place < 3 && !is_open(&image->debug); place++) {
		wt_buf_clear(&text);
		wt_buf_puts(&text, roots->sysroot);
		wt_buf_puts(&text, place == 2 ? roots->debug : "");
		wt_buf_put(&text, path.p, directory);
		wt_buf_puts(&text, place == 1 ? ".debug/" : "");
		wt_buf_puts(&text, name);
		open_linked(image, &text, id, crc);
	}
	wt_buf_deinit(&text);
}

static void open_debug_from_server(struct wt_str id, struct wt_image *image)
{
	struct wt_buf path = {0};

	/* A server that has no file now may have one later: findings without it are not kept. */
	if (!wt_debuginfod_find(id, &path) || !open_build(image, &path, id, &image->debug))
		image->inputs.fresh = true;
	wt_buf_deinit(&path);
}

void wt_image_open(const struct wt_image_roots *roots, const struct wt_log_image *image, struct wt_image *ret)
{
	struct wt_str path = image->path, id = image->build_id;

	int fd = wt_image_open_elsewhere(roots, image);

	*ret = closed;
	if (fd >= 0)
		open_elsewhere(image, fd, ret);
	else
		ret->reason = open_file(roots, path, id, ret);
	if (!ret->elsewhere && ret->reason && wt_image_cut_deleted(&path) && id.len &&
	    open_file(roots, path, id, ret) == WT_RESOLVED)
		ret->reason = WT_RESOLVED;
	if (is_open(&ret->file))
		id = wt_elf_build_id(&ret->file);
	open_debug_by_build_id(roots, id, ret);
	if (is_open(&ret->file) && !is_open(&ret->debug) && !ret->elsewhere)
		open_debug_by_link(roots, path, ret);
	if (roots->debuginfod && !is_open(&ret->debug) && !has_debug_info(&ret->file))
		open_debug_from_server(id, ret);
	if (is_open(&ret->file) && !is_open(&ret->debug))
		wt_elf_open_minidebug(&ret->file, &ret->mini);
	if (is_open(&ret->file))
		wt_elf_loads(&ret->file, WT_ELF_WHOLE, &ret->loads);
	else if (is_open(&ret->debug))
		wt_elf_loads(&ret->debug, WT_ELF_STRIPPED, &ret->loads);
	if (is_open(&ret->debug))
		ret->reason = WT_RESOLVED;
}

/** Finds the mapping that starts at `start` in /proc/self/maps. */
static size_t mapping_size(uintptr_t start)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t cap = 0, size = 0;

	while (maps && !size && getline(&line, &cap, maps) > 0) {
		char *end;
		uintmax_t from = strtoumax(line, &end, 16), to;

		if (from != start || *end != '-')
			continue;
		to = strtoumax(end + 1, NULL, 16);
		size = to > from ? (size_t)(to - from) : 0;
	}
	free(line);
	if (maps)
		fclose(maps);
	return size;
}

void wt_image_open_vdso(const struct wt_log_image *image, bool any_machine, struct wt_image *ret)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? mapping_size(start) : 0;

	*ret = closed;
	ret->reason = WT_UNRESOLVED_NO_FILE;
	if (!size || !wt_elf_open_memory((void *)start, size, &ret->file))
		return;
	ret->reason = WT_RESOLVED;
	if (!wt_elf_is_build(&ret->file, image->build_id) || (any_machine && !image->build_id.len)) {
		wt_elf_close(&ret->file);
		ret->reason = WT_UNRESOLVED_BUILD_ID;
		return;
	}
	wt_elf_loads(&ret->file, WT_ELF_WHOLE, &ret->loads);
}

void wt_image_close(struct wt_image *image)
{
	wt_elf_close(&image->mini);
	wt_elf_close(&image->debug);
	wt_elf_close(&image->file);
	wt_image_inputs_deinit(&image->inputs);
}
