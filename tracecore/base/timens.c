// SPDX-License-Identifier: MIT
#include "tracecore/base/timens.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

/* Inode of the time namespace in which all processes begin (PROC_TIME_INIT_INO). */
#define FIRST_NAMESPACE UINT32_C(0xEFFFFFFA)

static struct wt_timens offsets;
static int known;

static const char *skip_spaces(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static int64_t number(const char **at)
{
	const char *p = skip_spaces(*at);
	uint64_t value = 0;
	int minus = *p == '-';

	for (p += minus; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	*at = p;
	return (int64_t)(minus ? -value : value);
}

/* Reads "monotonic   -5   500000000": seconds, and additional nanoseconds. */
static int64_t offset_in(const char *text, const char *name)
{
	const char *p = strstr(text, name);
	int64_t seconds;

	if (!p)
		return 0;
	p += strlen(name);
	seconds = number(&p);
	return (int64_t)((uint64_t)seconds * WT_NSEC + (uint64_t)number(&p));
}

struct wt_timens wt_timens_parse(const char *text)
{
	return (struct wt_timens){.monotonic = offset_in(text, "monotonic"),
				  .boottime = offset_in(text, "boottime")};
}

static struct wt_timens look(void)
{
	char text[256];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat("/proc/self/ns/time", &st) < 0 || st.st_ino == FIRST_NAMESPACE)
		return (struct wt_timens){0};
	fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (struct wt_timens){0};
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return wt_timens_parse(text);
}

/* Threads that come here together find equal values. */
const struct wt_timens *wt_timens(void)
{
	if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
		struct wt_timens found = look();

		__atomic_store_n(&offsets.monotonic, found.monotonic, __ATOMIC_RELAXED);
		__atomic_store_n(&offsets.boottime, found.boottime, __ATOMIC_RELAXED);
		__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
	}
	return &offsets;
}

void wt_timens_forget(void)
{
	__atomic_store_n(&known, 0, __ATOMIC_RELEASE);
}
