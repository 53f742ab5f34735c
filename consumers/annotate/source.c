/* SPDX-License-Identifier: MIT */
#include "consumers/annotate/source.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/regular.h"

enum { MOST = 16 << 20 };

static bool read_file(int fd, struct wt_source_file *ret)
{
	struct stat st;
	uint8_t *room;
	ssize_t n = 1;

	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > MOST)
		return false;
	ret->modified = (uint64_t)st.st_mtim.tv_sec * WT_NSEC + (uint64_t)st.st_mtim.tv_nsec;
	while (n > 0 && ret->text.len < (size_t)st.st_size &&
	       (room = wt_buf_reserve(&ret->text, (size_t)st.st_size - ret->text.len))) {
		n = read(fd, room, (size_t)st.st_size - ret->text.len);
		ret->text.len += n > 0 ? (size_t)n : 0;
	}
	return ret->text.len && !ret->text.failed;
}

static void find_lines(struct wt_source_file *source)
{
	const uint8_t *text = source->text.data;
	uint32_t n = 0, cap = 0;

	for (size_t at = 0; at < source->text.len; n++) {
		const uint8_t *end = memchr(text + at, '\n', source->text.len - at);

		if (wt_grow(&source->lines, &cap, n, 2, NULL))
			return;
		source->lines[n] = (uint32_t)at;
		at = end ? (size_t)(end - text) + 1 : source->text.len;
		source->lines[n + 1] = (uint32_t)at;
	}
	source->n = n;
}

static bool load(const char *path, struct wt_source_file *ret)
{
	int fd = wt_regular_open(path, NULL);
	bool done = fd >= 0 && read_file(fd, ret);

	if (fd >= 0)
		close(fd);
	if (done)
		find_lines(ret);
	return ret->n;
}

/* Takes "." and "NAME/.." out of the path, by its text alone. */
static void straighten(struct wt_str path, struct wt_buf *out)
{
	for (uint32_t at = 0, len; at < path.len; at += len + 1) {
		const char *end = memchr(path.p + at, '/', path.len - at);

		len = end ? (uint32_t)(end - (path.p + at)) : path.len - at;
		if (!len || (len == 1 && path.p[at] == '.'))
			continue;
		if (len == 2 && !memcmp(path.p + at, "..", 2) && out->len) {
			while (out->len && out->data[--out->len] != '/')
				;
			continue;
		}
		if (out->len || *path.p == '/')
			wt_buf_put_u8(out, '/');
		wt_buf_put(out, path.p + at, len);
	}
}

static void look_below(const char *prefix, const char *path, struct wt_source_file *ret)
{
	struct wt_buf below = {0};

	while (path && !ret->n) {
		path += *path == '/';
		wt_buf_clear(&below);
		wt_buf_printf(&below, "%s/%s", prefix, path);
		if (!below.failed && !load(wt_buf_cstr(&below), ret))
			wt_buf_clear(&ret->text);
		path = strchr(path, '/');
	}
	wt_buf_deinit(&below);
}

const struct wt_source_file *wt_source_find(struct wt_sources *sources, struct wt_str path)
{
	struct wt_buf straight = {0};
	struct wt_source_file *file;
	bool fresh;
	uint32_t id = memchr(path.p, 0, path.len) ? WT_INTERN_NONE
						  : wt_strings_add(&sources->paths, path.p, path.len, &fresh);

	if (id == WT_INTERN_NONE || wt_grow_filled(&sources->files, &sources->cap, id, 1, 0, NULL))
		return NULL;
	file = &sources->files[id];
	if (!fresh)
		return file->n ? file : NULL;
	straighten(path, &straight);
	if (!straight.failed && straight.len) {
		const char *text = wt_buf_cstr(&straight);

		/* The user gives a prefix because the files are there, so it is tried first. */
		if (sources->prefix)
			look_below(sources->prefix, text, file);
		if (!file->n && *text == '/')
			load(text, file);
	}
	wt_buf_deinit(&straight);
	return file->n ? file : NULL;
}

struct wt_str wt_source_line(const struct wt_source_file *source, uint32_t line)
{
	uint32_t from, to;

	if (!line || line > source->n)
		return (struct wt_str){0};
	from = source->lines[line - 1];
	to = source->lines[line];
	while (to > from && (source->text.data[to - 1] == '\n' || source->text.data[to - 1] == '\r'))
		to--;
	return wt_str_of(source->text.data + from, to - from);
}

void wt_sources_deinit(struct wt_sources *sources)
{
	for (uint32_t i = 0; i < sources->cap; i++) {
		wt_buf_deinit(&sources->files[i].text);
		free(sources->files[i].lines);
	}
	free(sources->files);
	wt_strings_deinit(&sources->paths);
	*sources = (struct wt_sources){.prefix = sources->prefix};
}
