// SPDX-License-Identifier: MIT
#include "consumers/record/task_probe.h"

#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/apart.h"
#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/remote.h"

/* Fields of /proc/PID/stat are counted from 1; these come after the name, which is field 2. */
enum { FIELD_STATE = 3, FIELD_PARENT = 4, FIELD_START = 22 };

/* Bytes of a table of mappings; in a longer one nothing is found. */
#define MAPS_MOST (UINT64_C(16) << 20)

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
	*ret = (struct wt_proc_payload){.pid = pid, .tid = pid, .uid = UINT32_MAX};
	if (!wt_apart_proc_text(pid, "stat", probe->stat, sizeof(probe->stat)) ||
	    wt_task_probe_stat(probe->stat, wt_clock_boot_offset(), ret))
		return -1;
	wt_apart_proc_link(pid, "exe", probe->exe, sizeof(probe->exe));
	ret->exe = wt_str(probe->exe);
	return 0;
}

static size_t compare(const void *in, size_t len, void *out, int *fd)
{
	uint32_t pids[2];

	(void)fd;
	if (len != sizeof(pids))
		return 0;
	memcpy(pids, in, sizeof(pids));
	*(int8_t *)out = (int8_t)syscall(SYS_kcmp, (pid_t)pids[0], (pid_t)pids[1], KCMP_VM, 0, 0);
	return 1;
}

/* In an exec that closes a file of a program, either can make whoever asks wait. */
enum wt_memory wt_task_probe_memory(uint32_t a, uint32_t b)
{
	const uint32_t pids[] = {a, b};
	static uint8_t answer[WT_APART_OUT];
	size_t len;

	if (!wt_apart_ask(wt_remote_is_trusted(a) ? b : a, compare, pids, sizeof(pids), answer, &len, NULL) ||
	    len != 1)
		return WT_MEMORY_UNKNOWN;
	/* 1 and 2 both mean different memories: they only give an order. */
	switch (answer[0]) {
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
