/* SPDX-License-Identifier: MIT */
/** @file Directories of the test program alone, where sessions have their place. Group setup and teardown. */
#ifndef TESTS_UNIT_TOOLS_SESSION_FIXTURE_H
#define TESTS_UNIT_TOOLS_SESSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char fixture_directory[] = "/tmp/wt-session.XXXXXX";

static inline void fixture_name_directory(const char *variable, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", fixture_directory, name);
	setenv(variable, path, 1);
}

static inline int fixture_begin(void **state)
{
	(void)state;
	if (!mkdtemp(fixture_directory))
		return -1;
	fixture_name_directory("WTRACE_RUNTIME", "run");
	fixture_name_directory("WTRACE_SPOOL", "spool");
	return 0;
}

static inline int fixture_end(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", fixture_directory);
	return system(command);
}

#endif
