// SPDX-License-Identifier: MIT
#include "consumers/record/task_probe.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"

/* Fields of /proc/PID/stat are counted from 1; these come after the name, which is field 2. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_START = 22 };

/* Bytes of a table of mappings; in a longer one nothing is found. */
#define MAPS_MOST (UINT64_C(16) << 20)

static int read_stat(uint32_t pid, char *text, size_t size)
{
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, size - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	return 0;
}

static uint64_t session_time(uint64_t ticks, int64_t boot_offset)
{
	long hz = sysconf(_SC_CLK_TCK);
	uint64_t since_boot;

	if (hz <= 0 || ticks > UINT64_MAX / WT_NSEC)
		return 0;
	since_boot = ticks * WT_NSEC / (uint64_t)hz;
	/* A container's clock may start after the process; 0 would mean unknown. */
	if (boot_offset >= 0 && since_boot <= (uint64_t)boot_offset)
		return 1;
	return since_boot - (uint64_t)boot_offset;
}

/* The name may contain spaces and parentheses; it ends at the last parenthesis. */
int wt_task_probe_stat(const char *stat, int64_t boot_offset, struct wt_proc_payload *ret)
{
	const char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	const char *at = close;

	if (!open || !close || close < open)
		return -1;
	ret->name = wt_str_of(open + 1, (size_t)(close - open - 1));
	for (int field = FIELD_STATE; field <= FIELD_START; field++) {
		at = strchr(at, ' ');
		if (!at)
			return -1;
		at++;
		if (field == FIELD_PARENT)
			ret->parent_pid = (uint32_t)strtoul(at, NULL, 10);
	}
	ret->start_time = session_time(strtoull(at, NULL, 10), boot_offset);
	return 0;
}

int wt_task_probe(struct wt_task_probe *probe, uint32_t pid, struct wt_proc_payload *ret)
{
	char path[32];
	ssize_t n;

	*ret = (struct wt_proc_payload){.pid = pid, .tid = pid, .uid = UINT32_MAX};
	if (read_stat(pid, probe->stat, sizeof(probe->stat)) ||
	    wt_task_probe_stat(probe->stat, wt_clock_boot_offset(), ret))
		return -1;
	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	n = readlink(path, probe->exe, sizeof(probe->exe));
	ret->exe = (struct wt_str){.p = probe->exe, .len = n > 0 ? (uint32_t)n : 0};
	return 0;
}

enum wt_memory wt_task_probe_memory(uint32_t a, uint32_t b)
{
	/* 1 and 2 both mean different memories: they only give an order. */
	switch (syscall(SYS_kcmp, (pid_t)a, (pid_t)b, KCMP_VM, 0, 0)) {
	case 0:
		return WT_MEMORY_SAME;
	case 1:
	case 2:
		return WT_MEMORY_OTHER;
	default:
		return WT_MEMORY_UNKNOWN;
	}
}

bool wt_task_probe_has(uint32_t pid, uint64_t address)
{
	uint64_t start, end = 0;
	char rights[5], *line = NULL;
	bool found = false;
	size_t cap = 0;
	FILE *maps;

	/* The process may keep its table of mappings locked. */
	maps = wt_apart_proc_open(pid, "maps", MAPS_MOST);
	while (maps && end <= address && getline(&line, &cap, maps) > 0)
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) == 3)
			found = start <= address && address < end && rights[2] == 'x';
	free(line);
	if (maps)
		fclose(maps);
	return found;
}
