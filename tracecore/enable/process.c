// SPDX-License-Identifier: MIT
#include "tracecore/enable/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/high_fd.h"
#include "tracecore/base/timens.h"
#include "tracecore/ring/self.h"

/** The unit of start times in /proc, ns. */
#define TICK 10000000

struct process_stat {
	uint32_t start; /* field 22, low half */
	bool gone;      /* a zombie: field 3, and no thread but the first is left: field 20 */
};

static uint64_t number(const char *p)
{
	uint64_t value = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (uint64_t)(*p - '0');
	return value;
}

static int parse_stat(const char *text, struct process_stat *ret)
{
	/* The name in field 2 may hold anything, so count from its closing parenthesis. */
	const char *p = strrchr(text, ')');
	bool zombie;

	if (!p || p[1] != ' ')
		return -1;
	zombie = p[2] == 'Z' || p[2] == 'X';
	p++;
	for (unsigned field = 3; p && field < 22; field++) {
		p = strchr(p + 1, ' ');
		if (p && field + 1 == 20)
			ret->gone = zombie && number(p + 1) <= 1;
	}
	if (!p)
		return -1;
	/* Converts to the host's time: the reader's time namespace moves it. */
	ret->start = (uint32_t)(number(p + 1) - (uint64_t)(wt_timens()->boottime / TICK));
	return 0;
}

/* 0 found, 1 no such process, -1 it cannot be read. */
static int read_stat(uint32_t pid, struct process_stat *ret)
{
	char path[40], text[1024];
	ssize_t n;
	int fd;

	/* Reads the first thread's file, which has the start of the process. An emulator may show a
	 * process another /proc/PID/stat of itself than it shows to others. */
	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, pid);
	fd = wt_high_fd(open(path, O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return errno == ENOENT && access("/proc/self/stat", R_OK) == 0 ? 1 : -1;
	n = read(fd, text, sizeof(text) - 1);
	if (n < 0 && errno == ESRCH)
		n = -2;
	close(fd);
	if (n <= 0)
		return n == -2 ? 1 : -1;
	text[n] = 0;
	return parse_stat(text, ret);
}

wt_process_read_fn *wt_process_read;

static int ask_stat(uint32_t pid, struct process_stat *ret)
{
	char name[32], text[1024];

	snprintf(name, sizeof(name), "task/%u/stat", pid);
	return wt_process_read(pid, name, text, sizeof(text)) ? parse_stat(text, ret) : -1;
}

uint64_t wt_process_self(void)
{
	struct process_stat self = {0};
	uint32_t pid = (uint32_t)getpid();

	if (read_stat(pid, &self))
		self.start = 0;
	return (uint64_t)self.start << 32 | pid;
}

/* 0: found; *start is its start, or 0 for unknown. */
static int find(uint32_t pid, uint32_t *start)
{
	struct process_stat found = {0};

	*start = 0;
	/* kill() comes first, since it is much cheaper: most of these processes have ended. */
	if (!pid || pid > INT32_MAX || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
		return -1;
	switch (wt_process_read ? ask_stat(pid, &found) : read_stat(pid, &found)) {
	case 0:
		*start = found.start;
		return found.gone ? -1 : 0;
	case 1:
		return -1;
	default:
		return 0;
	}
}

bool wt_process_alive(uint64_t process)
{
	uint32_t start = (uint32_t)(process >> 32), found;

	/* An offset of a time namespace that is not a multiple of a hundredth moves the start by up to one
	 * tick. A pid is not reused that soon. */
	return find((uint32_t)process, &found) == 0 && (!start || !found || start - found + 1 <= 2);
}

uint64_t wt_process_mark(void)
{
	/* The kernel shows hundredths whatever unit it counts in. */
	return wt_clock_boot_ticks() << 32 | wt_ring_pid();
}

uint64_t wt_process_mark_at_hand(void)
{
	return wt_clock_boot_ticks_at_hand() << 32 | wt_ring_pid();
}

bool wt_process_mark_alive(uint64_t mark)
{
	uint32_t found;

	return find((uint32_t)mark, &found) == 0 &&
	       (!found || (int32_t)((uint32_t)(mark >> 32) - found) >= 0);
}
