/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A line of /proc/PID/mountinfo: "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [...] - TYPE SOURCE OPTIONS".
 * Spaces within a word are written as numbers (proc(5)).
 */
#ifndef TRACECORE_BASE_MOUNT_LINE_H
#define TRACECORE_BASE_MOUNT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** The line's file system is of one of n types. */
static inline bool wt_mount_line_is_of(const char *line, const char *const *types, size_t n)
{
	const char *type = strstr(line, " - ");
	size_t len = type ? strcspn(type + 3, " ") : 0;

	for (size_t i = 0; i < n; i++)
		if (len && strlen(types[i]) == len && !memcmp(type + 3, types[i], len))
			return true;
	return false;
}

#endif
