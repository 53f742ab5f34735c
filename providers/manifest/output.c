// SPDX-License-Identifier: MIT
#include "providers/manifest/output.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/write_all.h"

static int write_in_place(const char *path, const struct wt_buf *buf, struct wt_err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return wt_fail_errno(err, "%s cannot be written", path);
	rc = wt_write_all(fd, buf->data, buf->len) ? wt_fail_errno(err, "%s cannot be written", path) : 0;
	close(fd);
	return rc;
}

/* Replaces path. fd is of the file `fresh`, which no other process uses: it is renamed or removed. */
static int replace(int fd, const char *fresh, const char *path, const struct wt_buf *buf, struct wt_err *err)
{
	int rc = wt_write_all(fd, buf->data, buf->len) ? wt_fail_errno(err, "%s cannot be written", path) : 0;

	if (close(fd) && !rc)
		rc = wt_fail_errno(err, "%s cannot be written", path);
	if (!rc && rename(fresh, path))
		rc = wt_fail_errno(err, "%s cannot be written", path);
	if (rc)
		unlink(fresh);
	return rc;
}

int wt_output_write(const char *path, const struct wt_buf *buf, struct wt_err *err)
{
	struct wt_buf fresh = {0};
	struct stat st;
	int fd, rc;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return write_in_place(path, buf, err);
	wt_buf_printf(&fresh, "%s.%ld.new", path, (long)getpid());
	fd = fresh.failed ? -1 : open(wt_buf_cstr(&fresh), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fresh.failed)
		rc = wt_fail_nomem(err);
	else if (fd < 0)
		rc = wt_fail_errno(err, "%s cannot be written", path);
	else
		rc = replace(fd, wt_buf_cstr(&fresh), path, buf, err);
	wt_buf_deinit(&fresh);
	return rc;
}
