// SPDX-License-Identifier: MIT
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "consumers/session/ending.h"

/* A worker that keeps dying has a reason that another one will not mend. */
#define MAX_TAKEOVERS 100

int wt_keeper_run(struct wt_session *session)
{
	struct wt_err err = WT_ERR_INIT;

	prctl(PR_SET_NAME, "wtrace-keeper");
	/* A polite request to end goes to the worker, which finishes the log. */
	signal(SIGTERM, SIG_IGN);
	if (wt_ending_await(session))
		return 0;
	close(session->pair_fd);
	session->pair_fd = -1;
	if (++session->takeovers > MAX_TAKEOVERS)
		return 1;
	if (wt_session_spawn_keeper(session, &err) < 0)
		session->keeper = 0;
	return wt_worker_run(session, WT_WORKER_TAKES_OVER);
}
