// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/session/session.h"

/* A worker that keeps dying has a reason that another one will not mend. */
#define MAX_TAKEOVERS 100

/* Sleeps until the worker says it is done (true) or is gone (false). */
static bool worker_ended_well(int pair_fd)
{
	bool done = false;
	char byte;

	for (;;) {
		ssize_t n = recv(pair_fd, &byte, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return done;
		done |= byte == WT_PAIR_DONE;
	}
}

int wt_keeper_run(struct wt_session *session)
{
	struct wt_err err = WT_ERR_INIT;

	prctl(PR_SET_NAME, "wtrace-keeper");
	/* A polite request to end goes to the worker, which finishes the log. */
	signal(SIGTERM, SIG_IGN);
	if (worker_ended_well(session->pair_fd))
		return 0;
	close(session->pair_fd);
	session->pair_fd = -1;
	if (++session->takeovers > MAX_TAKEOVERS)
		return 1;
	if (wt_session_spawn_keeper(session, &err) < 0)
		session->keeper = 0;
	return wt_worker_run(session, WT_WORKER_TAKES_OVER);
}
