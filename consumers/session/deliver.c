// SPDX-License-Identifier: MIT
#include "consumers/session/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/regular.h"
#include "tracecore/base/write_all.h"

static int check_directory(const char *target, struct wt_err *err)
{
	char copy[PATH_MAX];
	const char *directory;

	if (snprintf(copy, sizeof(copy), "%s", target) >= (int)sizeof(copy))
		return wt_fail(err, WT_ERR_USAGE, "the path of the output file is too long");
	directory = dirname(copy);
	if (access(directory, W_OK | X_OK) < 0)
		return wt_fail_errno(err, "cannot write %s: directory %s", target, directory);
	return 0;
}

/* Examines the file at target; *seen receives its state, with st_nlink 0 where there is no file. */
static int examine(const char *target, enum wt_replace replace, struct stat *seen, struct wt_err *err)
{
	struct stat behind;

	*seen = (struct stat){0};
	if (check_directory(target, err) < 0)
		return -1;
	if (lstat(target, seen) < 0)
		return errno == ENOENT ? 0 : wt_fail_errno(err, "cannot examine %s", target);
	if (S_ISDIR(seen->st_mode) || (stat(target, &behind) == 0 && S_ISDIR(behind.st_mode)))
		return wt_fail(err, WT_ERR_EXISTS, "cannot write %s: it is a directory", target);
	if (!S_ISREG(seen->st_mode) && !S_ISLNK(seen->st_mode))
		return wt_fail(err, WT_ERR_EXISTS, "cannot write %s: it is not a regular file", target);
	if (replace == WT_REPLACE_ANYTHING || (S_ISREG(seen->st_mode) && !seen->st_size))
		return 0;
	return wt_fail(err, WT_ERR_EXISTS,
		       "%s exists already: choose another name, or use --force to replace it", target);
}

int wt_deliver_check(const char *target, enum wt_replace replace, struct wt_err *err)
{
	struct stat seen;

	return examine(target, replace, &seen, err);
}

static int fail_changed(const char *target, struct wt_err *err)
{
	return wt_fail(err, WT_ERR_EXISTS, "another file took the place of %s meanwhile: it is left alone",
		       target);
}

/* Replaces the file that was seen, and no other: the replaced file is checked. */
static int take_over(const char *from, const char *target, const struct stat *seen, struct wt_err *err)
{
	struct stat out;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, target, RENAME_EXCHANGE) < 0) {
		/* File systems that cannot exchange. */
		if (errno == EINVAL || errno == ENOSYS)
			return rename(from, target) < 0 ? wt_fail_errno(err, "cannot rename") : 0;
		return errno == ENOENT ? fail_changed(target, err) : wt_fail_errno(err, "cannot rename");
	}
	if (lstat(from, &out) == 0 && out.st_dev == seen->st_dev && out.st_ino == seen->st_ino) {
		unlink(from);
		return 0;
	}
	if (renameat2(AT_FDCWD, from, AT_FDCWD, target, RENAME_EXCHANGE) < 0)
		return wt_fail_errno(err, "another file took the place of %s meanwhile, and is now %s",
				     target, from);
	return fail_changed(target, err);
}

int wt_deliver_place(const char *from, const char *target, enum wt_replace replace, struct wt_err *err)
{
	struct stat seen;

	if (examine(target, replace, &seen, err) < 0)
		return -1;
	if (seen.st_nlink)
		return take_over(from, target, &seen, err);
	if (renameat2(AT_FDCWD, from, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST)
		return fail_changed(target, err);
	if (errno != EINVAL && errno != ENOSYS)
		return wt_fail_errno(err, "cannot rename");
	return rename(from, target) < 0 ? wt_fail_errno(err, "cannot rename") : 0;
}

static int copy_bytes(int from, int to, struct wt_err *err)
{
	static char buffer[1 << 18];

	for (;;) {
		ssize_t n = read(from, buffer, sizeof(buffer));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wt_fail_errno(err, "cannot read the log");
		if (n == 0)
			return fsync(to) < 0 ? wt_fail_errno(err, "cannot write") : 0;
		if (wt_write_all(to, buffer, (size_t)n))
			return wt_fail_errno(
				err, errno == EFBIG ? "cannot write beyond the file size limit (ulimit -f)"
						    : "cannot write");
	}
}

/* Copies into a file beside the target and renames it, so that the target is never incomplete. */
enum copy_mode { KEEP_LOG, REMOVE_LOG };

static int copy_over(const char *log, const char *target, enum wt_replace replace, enum copy_mode mode,
		     struct wt_err *err)
{
	char temporary[PATH_MAX];
	int from, to, rc;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.part", target, getpid()) >= (int)sizeof(temporary))
		return wt_fail(err, WT_ERR_USAGE, "the path of the output file is too long");
	from = wt_regular_open(log, err);
	if (from < 0)
		return -1;
	to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = to < 0 ? wt_fail_errno(err, "cannot make %s", temporary) : copy_bytes(from, to, err);
	close(from);
	if (to >= 0 && close(to) < 0 && rc == 0)
		rc = wt_fail_errno(err, "cannot write");
	if (rc == 0)
		rc = wt_deliver_place(temporary, target, replace, err);
	if (rc < 0 && to >= 0)
		unlink(temporary);
	if (rc == 0 && mode == REMOVE_LOG)
		unlink(log);
	return rc;
}

int wt_deliver_copy(const char *log, const char *target, enum wt_replace replace, struct wt_err *err)
{
	if (wt_deliver_check(target, replace, err))
		return -1;
	return copy_over(log, target, replace, KEEP_LOG, err);
}

int wt_deliver(const char *log, const char *target, enum wt_replace replace, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;

	if (wt_deliver_place(log, target, replace, &why) == 0)
		return 0;
	if (why.sys_errno == EXDEV) {
		why = (struct wt_err)WT_ERR_INIT;
		if (copy_over(log, target, replace, REMOVE_LOG, &why) == 0)
			return 0;
	}
	wt_fail_prefix(&why, "%s not written", target);
	if (strlen(why.text) + strlen(log) + 40 < sizeof(why.text))
		snprintf(why.text + strlen(why.text), sizeof(why.text) - strlen(why.text),
			 "; the complete log is kept in %s", log);
	if (err)
		*err = why;
	return -1;
}
