// SPDX-License-Identifier: MIT
#include "consumers/sample/image.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DELETED " (deleted)"

const char *wt_sample_image_base(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/' || *path == '\\')
			base = path + 1;
	return base;
}

static bool runs(const char *proc, const char *pid, const char *name)
{
	char path[PATH_MAX], exe[PATH_MAX];
	size_t len, gone = strlen(DELETED);
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%.16s/exe", proc, pid);
	n = readlink(path, exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	len = (size_t)n;
	if (len > gone && !strcmp(exe + len - gone, DELETED))
		exe[len - gone] = '\0';
	return !strcmp(wt_sample_image_base(exe), name);
}

int wt_sample_image_pids(const char *proc, const char *name, pid_t *ret, size_t cap, size_t *n,
			 struct wt_err *err)
{
	const char *root = proc ? proc : "/proc";
	DIR *dir = opendir(root);
	struct dirent *entry;
	size_t found = 0;

	if (!dir)
		return wt_fail_errno(err, "cannot read %s", root);
	while ((entry = readdir(dir))) {
		long pid = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0;

		if (pid <= 0 || pid == getpid() || !runs(root, entry->d_name, name))
			continue;
		if (found < cap)
			ret[found] = (pid_t)pid;
		found++;
	}
	closedir(dir);
	*n = found;
	if (found)
		return 0;
	return wt_fail(
		err, WT_ERR_NOTFOUND,
		"no process runs '%s' that you may look at; to start it and record it: wtrace record -o "
		"FILE -- %s",
		name, name);
}
