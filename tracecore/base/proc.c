// SPDX-License-Identifier: MIT
#include "tracecore/base/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t wt_proc_uid(uint32_t pid)
{
	char path[32], text[4096];
	const char *line;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return UINT32_MAX;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	line = strstr(text, "\nUid:");
	return line ? (uint32_t)strtoul(line + 5, NULL, 10) : UINT32_MAX;
}

bool wt_proc_is_runnable(uint32_t pid)
{
	char path[32], text[256], state = 0;
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file) && (end = strrchr(text, ')')) && end[1])
		state = end[2];
	if (file)
		fclose(file);
	return state == 'R';
}
