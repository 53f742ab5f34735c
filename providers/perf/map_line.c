// SPDX-License-Identifier: MIT
#include "providers/perf/map_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The kernel writes a newline in a path as \012. */
static void unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = 0;
}

bool wt_map_line_parse(char *line, struct wt_map_line *ret)
{
	unsigned major, minor;
	char perms[5];
	int used = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &ret->start,
		   &ret->end, perms, &ret->offset, &major, &minor, &ret->inode, &used) != 7 ||
	    ret->end < ret->start)
		return false;
	ret->device = (uint64_t)major << 32 | minor;
	ret->exec = strchr(perms, 'x');
	ret->private = strchr(perms, 'p');
	ret->written = ret->private && strchr(perms, 'w');
	ret->path = line + used + strspn(line + used, " ");
	unescape(ret->path);
	return true;
}
