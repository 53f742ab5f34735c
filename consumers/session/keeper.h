/* SPDX-License-Identifier: MIT */
/**
 * @file
 * The keeper: a sleeping copy of the worker's state. The worker that it watches forks it, and the keeper
 * becomes the worker when that one dies.
 */
#ifndef CONSUMERS_SESSION_KEEPER_H
#define CONSUMERS_SESSION_KEEPER_H

#include "consumers/session/session.h"

/** Forks a keeper with the calling worker's present state, and returns in both processes: 0 in the worker, 1
 * in the keeper, which returns to the loop of its process's life (session.c); -1 in the worker when there is
 * no keeper. */
int wt_keeper_fork(struct wt_session *session, struct wt_err *err);
/** Like wt_keeper_fork, for a keeper that died. */
int wt_keeper_replace(struct wt_session *session, struct wt_err *err);
/** Like wt_keeper_fork; the present keeper ends. */
int wt_keeper_renew(struct wt_session *session, struct wt_err *err);

/** The reason why the keeper's sleep ended. */
enum wt_keeper_end {
	WT_KEEPER_DONE,       /**< the worker ended on purpose: the session is over */
	WT_KEEPER_TAKES_OVER, /**< the worker died: this process is the next worker */
	WT_KEEPER_GIVES_UP,   /**< a worker died once too often */
};
enum wt_keeper_end wt_keeper_run(struct wt_session *session);

#endif
