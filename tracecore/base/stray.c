// SPDX-License-Identifier: MIT
#include "tracecore/base/stray.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

#define PATIENCE (WT_NSEC / 10)

/* Of this process: one that is forked from it has none. */
static struct {
	pid_t parent, list[WT_STRAYS];
	unsigned n;
} strays;

/* Where nobody wants to hear of children there is nothing to wait for. */
static bool has_ended(pid_t pid)
{
	pid_t got;

	do
		got = waitpid(pid, NULL, WNOHANG);
	while (got < 0 && errno == EINTR);
	return got;
}

unsigned wt_strays(void)
{
	unsigned n = 0;

	if (strays.parent != getpid())
		strays.n = 0;
	for (unsigned i = 0; i < strays.n; i++)
		if (!has_ended(strays.list[i]))
			strays.list[n++] = strays.list[i];
	return strays.n = n;
}

bool wt_stray_end(pid_t pid)
{
	uint64_t until = wt_clock_now() + PATIENCE;

	kill(pid, SIGKILL);
	while (!has_ended(pid)) {
		if (wt_clock_now() > until) {
			if (wt_strays() < WT_STRAYS)
				strays.list[strays.n++] = pid;
			strays.parent = getpid();
			return false;
		}
		poll(NULL, 0, 1);
	}
	return true;
}
