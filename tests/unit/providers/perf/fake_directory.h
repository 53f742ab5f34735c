/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A temporary directory with files written by a test, in place of sysfs or tracefs.
 */
#ifndef TESTS_UNIT_PROVIDERS_PERF_FAKE_DIRECTORY_H
#define TESTS_UNIT_PROVIDERS_PERF_FAKE_DIRECTORY_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char fake_root[] = "/tmp/wtrace-fake-XXXXXX";

static inline int fake_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int fake_setup(void **state)
{
	(void)state;
	return mkdtemp(fake_root) ? 0 : -1;
}

static inline int fake_teardown(void **state)
{
	(void)state;
	return nftw(fake_root, fake_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes the file below the root and the directories it needs. */
static inline int fake_write(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fake_root, name);
	for (char *p = path + strlen(fake_root) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	file = fopen(path, "w");
	if (!file)
		return -1;
	fputs(text, file);
	return fclose(file);
}

#endif
