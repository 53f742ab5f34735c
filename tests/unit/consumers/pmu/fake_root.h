/* SPDX-License-Identifier: MIT */
/* A directory that stands for "/", with files of sysfs and proc. */
#ifndef TESTS_UNIT_CONSUMERS_PMU_FAKE_ROOT_H
#define TESTS_UNIT_CONSUMERS_PMU_FAKE_ROOT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static inline void put_file(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static inline void put_cpu_file(unsigned cpu, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	put_file(path, text);
}

static inline int new_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/wtrace-pmu-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

#endif
