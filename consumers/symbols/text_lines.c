/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/text_lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/regular.h"

enum { CHUNK_BYTES = 256 << 10 };

struct lines {
	bool (*fn)(void *ctx, struct wt_cursor line); /**< false ends */
	void *ctx;
	char *chunk;
	size_t have, cap;
	bool skip; /**< in the middle of a line longer than the chunk */
	bool ended;
};

/** Hands out the whole lines of the chunk and moves the rest to its front. */
static void take_lines(struct lines *lines)
{
	size_t at = 0;
	const char *end;

	while (!lines->ended && (end = memchr(lines->chunk + at, '\n', lines->have - at))) {
		size_t len = (size_t)(end - lines->chunk) - at;

		if (!lines->skip)
			lines->ended = !lines->fn(lines->ctx, wt_cursor(lines->chunk + at, len));
		lines->skip = false;
		at += len + 1;
	}
	if (!at && lines->have == lines->cap) {
		lines->skip = true;
		at = lines->have;
	}
	memmove(lines->chunk, lines->chunk + at, lines->have - at);
	lines->have -= at;
}

/* Files are many and mostly small: a chunk of their size costs less than a large one. /proc reports no
 * size. */
static bool open_lines(struct lines *lines, int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	lines->cap = st.st_size > 0 && st.st_size < CHUNK_BYTES ? (size_t)st.st_size + 1 : CHUNK_BYTES;
	lines->chunk = malloc(lines->cap);
	return lines->chunk;
}

int wt_each_line(const char *path, bool (*fn)(void *ctx, struct wt_cursor line), void *ctx)
{
	int fd = wt_regular_open(path, NULL);
	struct lines lines = {.fn = fn, .ctx = ctx};
	ssize_t n = -1;

	if (open_lines(&lines, fd))
		while (!lines.ended && (n = read(fd, lines.chunk + lines.have, lines.cap - lines.have)) > 0) {
			lines.have += (size_t)n;
			take_lines(&lines);
		}
	if (!lines.ended && !lines.skip && n == 0 && lines.have)
		fn(ctx, wt_cursor(lines.chunk, lines.have));
	free(lines.chunk);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}
