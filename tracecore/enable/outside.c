// SPDX-License-Identifier: MIT
#include "tracecore/enable/outside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/abi/wt_enable.h"
#include "tracecore/base/high_fd.h"

#define GROUPS "/sys/fs/cgroup"

/* The text of a file, cut at size - 1. */
static bool read_text(const char *path, char *ret, size_t size)
{
	int fd = wt_high_fd(open(path, O_RDONLY | O_CLOEXEC));
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	if (fd >= 0)
		close(fd);
	ret[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The number after `name`; fallback where there is none. */
static uint64_t number_of(const char *text, const char *name, uint64_t fallback)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 10) : fallback;
}

unsigned wt_outside_judge(const char *status, uint32_t filters)
{
	uint64_t mode = number_of(status, "\nSeccomp:", 0);
	uint64_t now = number_of(status, "\nSeccomp_filters:", UINT64_MAX);
	size_t len = strlen(status);

	/* The text was cut by a very long list of groups: the facts are not known. */
	if (len == 0 || status[len - 1] != '\n')
		return WT_STANDING_KNOWN | WT_STANDING_NO_CALLS;
	/* The process could register with the filters that it had then: they are known to allow the calls. */
	if (mode == 0 || (mode == 2 && filters != WT_ABI_FILTERS_UNKNOWN && now == filters))
		return WT_STANDING_KNOWN;
	return WT_STANDING_KNOWN | WT_STANDING_NO_CALLS | (mode == 1 ? WT_STANDING_NO_CLOCK : 0);
}

/* The path after `prefix` at the start of a line of /proc/PID/cgroup; false: there is no such line. */
static bool find_group(const char *text, const char *controller, char *ret, size_t size)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line != 0) {
		const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		size_t len;

		if (!path || (size_t)(path - list - 1) != strlen(controller) ||
		    strncmp(list + 1, controller, strlen(controller)) != 0)
			continue;
		len = strcspn(path + 1, "\n");
		if (len >= size)
			return false;
		memcpy(ret, path + 1, len);
		ret[len] = 0;
		return true;
	}
	return false;
}

/* The program itself may soon need memory that is free now. So rings may take only a small part of a
 * group's memory. */
#define PART 8

/* True when the group, or one above it, has less room than needed, or when the need is too large a part of
 * its memory. */
static bool is_short(const struct wt_outside *outside, const char *base, const char *limit_name,
		     const char *used_name, char *group)
{
	for (unsigned depth = 0; depth < 16 && group[0] == '/'; depth++) {
		char path[800], text[32];
		uint64_t limit = UINT64_MAX, used = 0;

		snprintf(path, sizeof(path), "%s%s/%s", base, group, limit_name);
		if (read_text(path, text, sizeof(text)) && text[0] != 'm')
			limit = strtoull(text, NULL, 10);
		snprintf(path, sizeof(path), "%s%s/%s", base, group, used_name);
		if (limit < UINT64_MAX && read_text(path, text, sizeof(text)))
			used = strtoull(text, NULL, 10);
		if (limit - used < outside->need || used > limit || limit / PART < outside->need)
			return true;
		*strrchr(group, '/') = 0;
	}
	return false;
}

bool wt_outside_memory_is_short(struct wt_outside *outside, uint32_t pid)
{
	char path[40], group[sizeof(outside->group)], *text = outside->text;
	bool old;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	if (!read_text(path, text, sizeof(outside->text)))
		return false;
	old = find_group(text, "memory", group, sizeof(group));
	if (!old && !find_group(text, "", group, sizeof(group)))
		return false;
	if (strcmp(group, outside->group) == 0)
		return outside->group_is_short;
	memcpy(outside->group, group, sizeof(group));
	if (old)
		outside->group_is_short = is_short(outside, GROUPS "/memory", "memory.limit_in_bytes",
						   "memory.usage_in_bytes", group);
	else
		outside->group_is_short = is_short(outside, GROUPS, "memory.max", "memory.current", group);
	return outside->group_is_short;
}

unsigned wt_outside_look(struct wt_outside *outside, uint32_t pid, uint32_t filters)
{
	char path[40], text[16384];
	unsigned standing;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	if (!read_text(path, text, sizeof(text)))
		return 0;
	standing = wt_outside_judge(text, filters);
	if (wt_outside_memory_is_short(outside, pid))
		standing |= WT_STANDING_NO_MEMORY;
	return standing;
}
