// SPDX-License-Identifier: MIT
#include "tools/session/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/logfmt/log_reader.h"

static int check_folder(const char *target, struct wt_err *err)
{
	char copy[PATH_MAX];
	const char *folder;

	if (snprintf(copy, sizeof(copy), "%s", target) >= (int)sizeof(copy))
		return wt_fail(err, WT_ERR_USAGE, "the path of the output file is too long");
	folder = dirname(copy);
	if (access(folder, W_OK | X_OK) < 0)
		return wt_fail_errno(err, "cannot write %s: folder %s", target, folder);
	return 0;
}

int wt_deliver_check(const char *target, enum wt_replace replace, struct wt_err *err)
{
	struct wt_log_reader *reader;
	struct wt_err ignored;
	struct stat st;

	if (check_folder(target, err) < 0)
		return -1;
	if (stat(target, &st) < 0)
		return errno == ENOENT ? 0 : wt_fail_errno(err, "cannot examine %s", target);
	if (S_ISDIR(st.st_mode))
		return wt_fail(err, WT_ERR_EXISTS, "cannot write %s: it is a folder", target);
	if (replace == WT_REPLACE_ANYTHING || (S_ISREG(st.st_mode) && st.st_size == 0))
		return 0;
	if (S_ISREG(st.st_mode) && wt_log_open(target, &reader, &ignored) == 0) {
		wt_log_close(reader);
		return 0;
	}
	return wt_fail(err, WT_ERR_EXISTS,
		       "%s exists and is not a wtrace log: choose another name or use --force", target);
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
		for (ssize_t done = 0; done < n;) {
			ssize_t w = write(to, buffer + done, (size_t)(n - done));

			if (w < 0 && errno != EINTR)
				return wt_fail_errno(err, "cannot write");
			done += w > 0 ? w : 0;
		}
	}
}

/* Copies into a file beside the target and renames it: the target is never half there. */
enum copy_mode { KEEP_LOG, REMOVE_LOG };

static int copy_over(const char *log, const char *target, enum copy_mode mode, struct wt_err *err)
{
	char temporary[PATH_MAX];
	int from, to, rc;

	if (snprintf(temporary, sizeof(temporary), "%s.%d.part", target, getpid()) >= (int)sizeof(temporary))
		return wt_fail(err, WT_ERR_USAGE, "the path of the output file is too long");
	from = open(log, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return wt_fail_errno(err, "cannot open %s", log);
	to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = to < 0 ? wt_fail_errno(err, "cannot make %s", temporary) : copy_bytes(from, to, err);
	close(from);
	if (to >= 0 && close(to) < 0 && rc == 0)
		rc = wt_fail_errno(err, "cannot write");
	if (rc == 0 && rename(temporary, target) < 0)
		rc = wt_fail_errno(err, "cannot rename %s", temporary);
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
	return copy_over(log, target, KEEP_LOG, err);
}

int wt_deliver(const char *log, const char *target, enum wt_replace replace, struct wt_err *err)
{
	if (wt_deliver_check(target, replace, err) == 0) {
		if (rename(log, target) == 0)
			return 0;
		if (errno != EXDEV)
			wt_fail_errno(err, "cannot rename");
		else if (copy_over(log, target, REMOVE_LOG, err) == 0)
			return 0;
	}
	wt_fail_prefix(err, "%s not written", target);
	if (err && strlen(err->text) + strlen(log) + 40 < sizeof(err->text)) {
		snprintf(err->text + strlen(err->text), sizeof(err->text) - strlen(err->text),
			 "; the complete log is kept in %s", log);
	}
	return -1;
}
