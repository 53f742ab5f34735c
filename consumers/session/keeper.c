// SPDX-License-Identifier: MIT
#include "consumers/session/keeper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "consumers/session/ending.h"
#include "providers/perf/perf.h"

/* Most take-overs. If workers keep dying, another one would not help. */
#define MAX_TAKEOVERS 100

static void close_client(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_clients(struct wt_session *session)
{
	for (int i = 0; i < WT_SESSION_CLIENTS; i++)
		close_client(&session->clients[i]);
	close_client(&session->stop_client);
}

int wt_keeper_fork(struct wt_session *session, struct wt_err *err)
{
	int pair[2];
	pid_t pid;

	if (wt_wire_pair(pair, err) < 0)
		return -1;
	session->worker = getpid();
	pid = fork();
	if (pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return wt_fail_errno(err, "cannot fork a keeper");
	}
	close(pair[pid != 0]);
	session->pair_fd = pair[pid == 0];
	session->keeper = pid ? pid : getpid();
	if (pid)
		return 0;
	close_clients(session);
	if (wt_perf_map(session->perf, NULL) < 0)
		_exit(1);
	return 1;
}

int wt_keeper_replace(struct wt_session *session, struct wt_err *err)
{
	close(session->pair_fd);
	session->pair_fd = -1;
	return wt_keeper_fork(session, err);
}

int wt_keeper_renew(struct wt_session *session, struct wt_err *err)
{
	send(session->pair_fd, &(char){WT_PAIR_DONE}, 1, MSG_NOSIGNAL);
	return wt_keeper_replace(session, err);
}

enum wt_keeper_end wt_keeper_run(struct wt_session *session)
{
	prctl(PR_SET_NAME, "wtrace-keeper");
	/* A SIGTERM is for the worker, which then finishes the log. */
	signal(SIGTERM, SIG_IGN);
	if (wt_ending_await(session))
		return WT_KEEPER_DONE;
	close(session->pair_fd);
	session->pair_fd = -1;
	return ++session->takeovers > MAX_TAKEOVERS ? WT_KEEPER_GIVES_UP : WT_KEEPER_TAKES_OVER;
}
