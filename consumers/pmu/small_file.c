// SPDX-License-Identifier: MIT
#include "consumers/pmu/small_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/regular.h"

static ssize_t read_again(int fd, void *bytes, size_t size)
{
	ssize_t n;

	do
		n = read(fd, bytes, size);
	while (n < 0 && errno == EINTR);
	return n;
}

ssize_t wt_small_read(const char *path, char *text, size_t size)
{
	int fd = wt_regular_open(path, NULL);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	do {
		n = read_again(fd, text + len, size - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && len < size - 1);
	close(fd);
	if (n < 0)
		return -1;
	text[len] = 0;
	len = strlen(text);
	while (len && text[len - 1] == '\n')
		text[--len] = 0;
	return (ssize_t)len;
}

static int read_into(int fd, const char *path, size_t most, struct wt_buf *buf, struct wt_err *err)
{
	ssize_t n;

	do {
		uint8_t *room = wt_buf_reserve(buf, 65536);

		if (!room)
			return wt_fail_nomem(err);
		n = read_again(fd, room, 65536);
		if (n < 0)
			return wt_fail_errno(err, "cannot read %s", path);
		buf->len += (size_t)n;
		if (buf->len > most)
			return wt_fail(err, WT_ERR_FORMAT, "%s: longer than %zu MiB", path, most >> 20);
	} while (n > 0);
	wt_buf_put_u8(buf, 0);
	return buf->failed ? wt_fail_nomem(err) : 0;
}

int wt_small_read_whole(const char *path, size_t most, char **ret, size_t *len, struct wt_err *err)
{
	struct wt_buf buf = {0};
	int fd = wt_regular_open_or_held(path, err), rc;

	if (fd < 0)
		return -1;
	rc = read_into(fd, path, most, &buf, err);
	close(fd);
	if (rc) {
		wt_buf_deinit(&buf);
		return -1;
	}
	*ret = (char *)buf.data;
	if (len)
		*len = buf.len - 1;
	return 0;
}
