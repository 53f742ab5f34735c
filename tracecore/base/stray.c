// SPDX-License-Identifier: MIT
#include "tracecore/base/stray.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

#define PATIENCE (WT_NSEC / 10)

/* The strays of this process; a forked child has none. */
static struct {
	pid_t parent;
	struct {
		pid_t pid;
		uint32_t uid;
	} list[WT_STRAYS];
	unsigned n;
} strays;

/* Where SIGCHLD is ignored there is nothing to wait for. */
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

	if (!strays.n)
		return 0;
	if (strays.parent != getpid())
		strays.n = 0;
	for (unsigned i = 0; i < strays.n; i++)
		if (!has_ended(strays.list[i].pid))
			strays.list[n++] = strays.list[i];
	return strays.n = n;
}

unsigned wt_strays_of(uint32_t uid)
{
	unsigned all = wt_strays(), n = 0;

	for (unsigned i = 0; i < all; i++)
		n += strays.list[i].uid == uid;
	return n;
}

static void remember(pid_t pid, uint32_t uid)
{
	unsigned n = wt_strays();

	strays.parent = getpid();
	if (n == WT_STRAYS)
		return;
	strays.list[n].pid = pid;
	strays.list[n].uid = uid;
	strays.n++;
}

bool wt_stray_end(pid_t pid, uint32_t uid)
{
	uint64_t until = wt_clock_now() + PATIENCE;

	kill(pid, SIGKILL);
	while (!has_ended(pid)) {
		if (wt_clock_now() > until) {
			remember(pid, uid);
			return false;
		}
		poll(NULL, 0, 1);
	}
	return true;
}

void wt_stray_leave(pid_t pid, uint32_t uid)
{
	kill(pid, SIGKILL);
	remember(pid, uid);
}
