// SPDX-License-Identifier: MIT
#include "consumers/unwind/cache_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/unwind/unwinder.h"

static int put_path(char ret[PATH_MAX], const char *directory, const char *below)
{
	return snprintf(ret, PATH_MAX, "%s%s", directory, below) < PATH_MAX ? 0 : -1;
}

int wt_unwind_cache_path(char ret[PATH_MAX])
{
	const char *own = secure_getenv(WT_UNWIND_CACHE_NAME);
	const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	if (own && own[0])
		return put_path(ret, own, "");
	if (geteuid() == 0)
		return put_path(ret, "/var/cache/wtrace", "/unwind");
	if (xdg && xdg[0] == '/')
		return put_path(ret, xdg, "/wtrace/unwind");
	return home && home[0] == '/' ? put_path(ret, home, "/.cache/wtrace/unwind") : -1;
}

/* The directories above the last one; one that cannot be made is missed when the last one is. */
static void make_parents(const char *path)
{
	char part[PATH_MAX];

	for (const char *at = strchr(path + 1, '/'); at && at - path < PATH_MAX; at = strchr(at + 1, '/')) {
		memcpy(part, path, (size_t)(at - path));
		part[at - path] = 0;
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return;
	}
}

int wt_unwind_cache_prepare(const char *path, uint64_t max_bytes, struct wt_unwind_cache *ret,
			    struct wt_err *err)
{
	struct wt_unwind_cache cache;

	if (path[0])
		make_parents(path);
	if (wt_unwind_cache_open(path, max_bytes, &cache, err))
		return -1;
	if (faccessat(cache.dir, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		wt_fail_errno(err, "nothing can be written to %s", path);
		wt_unwind_cache_close(&cache);
		return -1;
	}
	*ret = cache;
	return 0;
}

bool wt_unwind_cache_usual(struct wt_unwind_cache *ret)
{
	struct wt_err ignored = WT_ERR_INIT;
	char path[PATH_MAX];

	return !wt_unwind_cache_path(path) && !wt_unwind_cache_prepare(path, 0, ret, &ignored);
}
