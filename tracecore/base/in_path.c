// SPDX-License-Identifier: MIT
#include "tracecore/base/in_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool wt_is_in_path(const char *name)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");
		char file[PATH_MAX];

		if (n && snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name) < (int)sizeof(file) &&
		    !access(file, X_OK))
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}
