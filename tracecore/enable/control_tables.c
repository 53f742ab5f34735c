// SPDX-License-Identifier: MIT
/* Unwind tables that sessions publish for programs. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/way.h"
#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/rows.h"
#include "tracecore/enable/tables.h"

int wt_tables_directory(int directory, struct wt_err *err)
{
	int dir = wt_directory_open_below(directory, WT_TABLES_DIRECTORY, true);

	return dir < 0 ? wt_fail_errno(err, "cannot open the directory of unwind tables for programs") : dir;
}

bool wt_tables_have(int dir, const char *name)
{
	struct stat st;

	return wt_way_stat_below(dir, name, &st) == 0;
}

/** The contents of the directory. */
struct census {
	int dir;
	uint64_t bytes;
};

static int count(void *ctx, const char *name, struct wt_err *err)
{
	struct census *census = (struct census *)ctx;
	struct stat st;

	(void)err;
	if (wt_way_stat_below(census->dir, name, &st) == 0)
		census->bytes += (uint64_t)st.st_size;
	return 0;
}

static int remove_one(void *ctx, const char *name, struct wt_err *err)
{
	(void)err;
	unlinkat(((struct census *)ctx)->dir, name, 0);
	return 0;
}

static int make_room(int dir, uint64_t size, uint64_t max_bytes, struct wt_err *err)
{
	struct census census = {dir, 0};

	if (size > max_bytes)
		return wt_fail(err, WT_ERR_LIMIT, "an unwind table of %llu bytes is too large for programs",
			       (unsigned long long)size);
	if (wt_control_each_name(dir, count, &census, err))
		return -1;
	return census.bytes + size > max_bytes ? wt_control_each_name(dir, remove_one, &census, err) : 0;
}

int wt_tables_put(int dir, const char *name, const void *bytes, uint64_t size, uint64_t max_bytes,
		  struct wt_err *err)
{
	struct wt_new_file file;
	int failed;

	if (make_room(dir, size, max_bytes, err))
		return -1;
	if (wt_new_file_begin(dir, 0600, &file))
		return wt_fail_errno(err, "cannot publish an unwind table");
	failed = wt_directory_write(file.fd, bytes, size, 0) || wt_new_file_link(&file, name) < 0;
	if (failed)
		wt_fail_errno(err, "cannot publish an unwind table");
	wt_new_file_end(&file);
	return failed ? -1 : 0;
}

int wt_tables_announce(int directory, struct wt_err *err)
{
	/* Any new value serves: a microsecond count repeats after more than an hour. */
	uint32_t word = (uint32_t)(wt_clock_now() / 1000) | 1;
	struct stat above, st;
	int fd = fstat(directory, &above) < 0
			 ? -1
			 : wt_sessions_open(directory, above.st_uid, WT_SESSIONS_FAIL, 0, O_RDWR, &st);
	int failed;

	if (fd < 0)
		return wt_fail_errno(err, "cannot announce unwind tables");
	failed = wt_directory_write(fd, &word, sizeof(word), offsetof(struct wt_abi_sessions, tables));
	if (failed)
		wt_fail_errno(err, "cannot announce unwind tables");
	close(fd);
	return failed;
}
